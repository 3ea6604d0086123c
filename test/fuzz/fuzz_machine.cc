// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Descriptions of synthetic machines (coll_nbrhood_machine, nbrhood-explain --machine), and the
// names of algorithms and regions, through the interface that the component calls.
#include "fuzz_target.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "capi/nbrhood_machine.h"
#include "capi/nbrhood_names.h"

using nbrhood_fuzz::demand;

namespace {

void check_names(const std::string &text)
{
    const int choice = nbrhood_find_choice(text.c_str());
    demand(choice < 0 || std::strcmp(nbrhood_choice_name(choice), text.c_str()) == 0,
           "a name that is found is that of the choice");
}

// The message is truncated if there is no room for it.
void check_refusal(const std::string &text, const std::string &why)
{
    nbrhood_fuzz::demand_place(why, "character ", text.size() + 1);
    std::array<char, 16> little;
    little.fill('x');
    demand(nbrhood_machine_create(text.c_str(), little.data(), little.size()) == nullptr
               && why.compare(0, little.size() - 1, little.data()) == 0,
           "the message is cut to the room that there is");
}

// The first rank, the last and some in between.
void check_places(const nbrhood_machine *machine)
{
    const int slots = nbrhood_machine_slots(machine);
    demand(slots >= 1, "a machine has room for a rank");
    const int step = std::max(1, slots / 64);
    for (int level = NBRHOOD_REGION_SOCKET; level < NBRHOOD_REGION_KINDS; ++level) {
        nbrhood_place last{};
        for (int slot = 0; slot < slots; slot += std::min(step, std::max(1, slots - 1 - slot))) {
            const nbrhood_place place = nbrhood_machine_place(machine, slot);
            const int domain = place.domains[level - 1];
            demand(place.node > last.node
                       || (place.node == last.node && domain >= last.domains[level - 1]),
                   "ranks fill a machine in order");
            last = place;
        }
        demand(last.node < slots && last.domains[level - 1] <= slots,
               "no place lies outside the machine");
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    // As C sees it.
    const std::string text = nbrhood_fuzz::text_of(data, size).c_str();
    check_names(text);
    std::array<char, 4096> why{};
    const std::unique_ptr<nbrhood_machine, void (*)(nbrhood_machine *)> machine(
        nbrhood_machine_create(text.c_str(), why.data(), why.size()), nbrhood_machine_destroy);
    if (machine) {
        check_places(machine.get());
    } else {
        check_refusal(text, why.data());
    }
    return 0;
}
