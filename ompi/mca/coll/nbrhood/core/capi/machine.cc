// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Synthetic machines and levels for the glue.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <type_traits>

#include "capi/nbrhood_machine.h"
#include "machine/synthetic.h"

using namespace nbrhood;

static_assert(NBRHOOD_NO_DOMAIN == kNoDomain, "one value for no domain");
static_assert(std::is_same_v<Rank, int>, "the C interface passes ranks as int");
static_assert(NBRHOOD_REGION_DIE == static_cast<int>(Level::die) && NBRHOOD_REGION_KINDS == kLevels,
              "the C interface lists all levels");
static_assert(NBRHOOD_SAME_REGION == static_cast<int>(Locality::same_region),
              "the C interface lists all kinds of locality");

struct nbrhood_machine {
    explicit nbrhood_machine(const char *text) : synthetic(text) {}
    SyntheticMachine synthetic;
};

const char *nbrhood_region_name(int level)
{
    return level_name(level);
}

nbrhood_machine *nbrhood_machine_create(const char *text, char *why, size_t room)
{
    try {
        return new nbrhood_machine(text);
    } catch (const std::exception &error) {
        std::snprintf(why, room, "%s", error.what());
        return nullptr;
    }
}

void nbrhood_machine_destroy(nbrhood_machine *machine)
{
    delete machine;
}

int nbrhood_machine_slots(const nbrhood_machine *machine)
{
    return machine->synthetic.slots();
}

int nbrhood_machine_slots_of_node(const nbrhood_machine *machine)
{
    const SyntheticMachine &synthetic = machine->synthetic;
    return synthetic.slots() / (synthetic.place(synthetic.slots() - 1).node + 1);
}

nbrhood_place nbrhood_machine_place(const nbrhood_machine *machine, int slot)
{
    const Place place = machine->synthetic.place(slot);
    nbrhood_place result{place.node, {}};
    std::copy(place.domains.begin(), place.domains.end(), result.domains);
    return result;
}
