// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The GPU dies of a node for the glue.
#include "capi/die_links.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <set>
#include <stdexcept>
#include <string>

#include "files/file_io.h"
#include "machine/die_links_file.h"
#include "machine/machine.h"

using namespace nbrhood;

static_assert(NBRHOOD_MOST_DIES == kMostDies, "the C interface has the same limit");

namespace {

Gpu gpu_of(const nbrhood_gpu &given)
{
    return Gpu{PciAddress{given.domain, given.bus, given.device, given.function}, given.numa};
}

// The die of the rank in this slot of its node: from the machine's description if it has dies,
// otherwise slots are put on the dies in turn.
int die_in(const DieLinks &links, const nbrhood_place &place, int slot)
{
    const int told = place.domains[NBRHOOD_REGION_DIE - 1];
    return told > 0 ? told - 1 : slot % links.dies();
}

// Why the nodes of a synthetic machine cannot have these dies; empty if they can.
std::string contradiction(const DieLinks &links, const nbrhood_machine *machine)
{
    const int slots = nbrhood_machine_slots_of_node(machine);
    std::set<int> dies;
    std::set<int> gpus;
    for (int slot = 0; slot < slots; ++slot) {
        const nbrhood_place place = nbrhood_machine_place(machine, slot);
        const int die = die_in(links, place, slot);
        const int gpu = place.domains[NBRHOOD_REGION_GPU - 1];
        dies.insert(place.domains[NBRHOOD_REGION_DIE - 1]);
        gpus.insert(gpu);
        if (die < links.dies() && gpu != kNoSuchLevel && gpu - 1 != links.package_of(die)) {
            return "slot " + std::to_string(slot) + " of a node is on GPU "
                   + std::to_string(gpu - 1) + ", and on die " + std::to_string(die)
                   + ", which the file has in package " + std::to_string(links.package_of(die));
        }
    }
    if (*dies.begin() != kNoSuchLevel && static_cast<int>(dies.size()) != links.dies()) {
        return "a node has " + std::to_string(dies.size()) + " dies, and in the file "
               + std::to_string(links.dies());
    }
    std::set<int> packages;
    for (int die = 0; die < links.dies(); ++die) {
        packages.insert(links.package_of(die));
    }
    if (*gpus.begin() != kNoSuchLevel && gpus.size() != packages.size()) {
        return "a node has " + std::to_string(gpus.size()) + " GPUs, and in the file "
               + std::to_string(packages.size());
    }
    return "";
}

// The result of make(); NULL if it throws, with the reason in `error`.
template <typename Make>
nbrhood_die_links *attempt(const Make &make, char *why, std::size_t room)
{
    try {
        return new nbrhood_die_links(make());
    } catch (const std::exception &reason) {
        std::snprintf(why, room, "%s", reason.what());
        return nullptr;
    }
}

} // namespace

nbrhood_die_links *nbrhood_die_links_read(const char *file, char *error, size_t room)
{
    return attempt([&] { return read_die_table_file(file); }, error, room);
}

nbrhood_die_links *nbrhood_die_links_create(int dies, const int *links, const nbrhood_gpu *where,
                                            char *why, size_t room)
{
    return attempt(
        [&] {
            std::vector<std::vector<int>> rows;
            std::vector<Gpu> gpus;
            for (int die = 0; die < dies; ++die) {
                rows.emplace_back(links + die * dies, links + (die + 1) * dies);
                gpus.push_back(gpu_of(where[die]));
            }
            return make_table(rows, gpus);
        },
        why, room);
}

void nbrhood_die_links_destroy(nbrhood_die_links *links)
{
    delete links;
}

bool nbrhood_die_links_add_gpus(nbrhood_die_links *links, const nbrhood_gpu *gpus, size_t count,
                                char *why, size_t room)
{
    try {
        std::vector<Gpu> all;
        for (size_t i = 0; i < count; ++i) {
            all.push_back(gpu_of(gpus[i]));
        }
        add_gpus(std::move(all), links->table);
        return true;
    } catch (const std::exception &reason) {
        std::snprintf(why, room, "%s", reason.what());
        return false;
    }
}

bool nbrhood_die_links_fit(const nbrhood_die_links *links, const nbrhood_machine *machine,
                           char *why, size_t room)
{
    try {
        const std::string reason = contradiction(*links->data, machine);
        std::snprintf(why, room, "%s", reason.c_str());
        return reason.empty();
    } catch (const std::exception &reason) {
        std::snprintf(why, room, "%s", reason.what());
        return false;
    }
}

int nbrhood_die_links_dies(const nbrhood_die_links *links)
{
    return links->data->dies();
}

int nbrhood_die_links_find(const nbrhood_die_links *links, const nbrhood_gpu *gpu)
{
    return links->table.find(gpu_of(*gpu).pci);
}

void nbrhood_die_links_put(const nbrhood_die_links *links, int slot, nbrhood_place *place)
{
    nbrhood_die_links_put_die(links, die_in(*links->data, *place, slot), place);
}

void nbrhood_die_links_put_die(const nbrhood_die_links *links, int die, nbrhood_place *place)
{
    place->domains[NBRHOOD_REGION_GPU - 1] = static_cast<int16_t>(links->data->package_of(die) + 1);
    place->domains[NBRHOOD_REGION_DIE - 1] = static_cast<int16_t>(die + 1);
}

char *nbrhood_read_file(const char *file, size_t *length, char *error, size_t room)
{
    constexpr std::uint64_t kMost = 1 << 24; // far more than any topology has
    try {
        const std::string text = read_file(file, kMost);
        auto *copy = static_cast<char *>(std::malloc(text.size() + 1));
        if (copy == nullptr) {
            throw std::bad_alloc();
        }
        std::memcpy(copy, text.c_str(), text.size() + 1);
        *length = text.size();
        return copy;
    } catch (const std::exception &reason) {
        std::snprintf(error, room, "%s", reason.what());
        return nullptr;
    }
}

size_t nbrhood_die_links_write(const nbrhood_die_links *links, char *text, size_t room)
{
    try {
        const std::string written = write_die_table(links->table);
        std::snprintf(text, room, "%s", written.c_str());
        return written.size();
    } catch (const std::exception &) {
        return 0;
    }
}
