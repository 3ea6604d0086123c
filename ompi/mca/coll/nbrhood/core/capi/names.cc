// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Names of collectives and algorithms for the glue.
#include "capi/nbrhood_names.h"

#include <new>

#include "engine/engine.h"

using namespace nbrhood;

static_assert(NBRHOOD_COLLECTIVES == kCollectives, "the C interface lists all collectives");

int nbrhood_core_version(void)
{
    return kProtocolVersion;
}

uint32_t nbrhood_core_names(void)
{
    try {
        return hash_names();
    } catch (const std::bad_alloc &) {
        return 0;
    }
}

const char *nbrhood_collective_name(int collective)
{
    switch (collective) {
    case NBRHOOD_ALL_ALLGATHER:
        return "allgather";
    case NBRHOOD_ALL_ALLTOALLV:
        return "alltoallv";
    case NBRHOOD_ALL_ALLTOALLW:
        return "alltoallw";
    default:
        return name_of(static_cast<Collective>(collective));
    }
}

const char *nbrhood_choice_name(int choice)
{
    return choice_name(choice);
}

bool nbrhood_is_for_large_blocks(int choice)
{
    return row_of(choice).above != nullptr;
}

int nbrhood_find_choice(const char *name)
{
    return find_choice(name);
}

const char *nbrhood_choice_summary(int choice)
{
    return choice >= kFirstRow && choice < choices() ? row_of(choice).summary : nullptr;
}

bool nbrhood_choice_serves(int choice, int collective)
{
    return serves(choice, static_cast<Collective>(collective));
}
