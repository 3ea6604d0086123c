// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Settings and costs for the glue.
#include "capi/settings.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>

#include "capi/die_links.h"
#include "capi/parameters.h"

using namespace nbrhood;

struct nbrhood_costs {
    Costs data;
};

std::array<int, kCollectives> nbrhood::choices_of(const int *given)
{
    std::array<int, kCollectives> choices{};
    std::copy(given, given + kCollectives, choices.begin());
    return choices;
}

Settings nbrhood::settings_of(const nbrhood_settings &given)
{
    Settings settings;
    settings.presence = given.presence;
    settings.choice = choices_of(given.choice);
    settings.values = values_of(given.values);
    settings.reuse = given.reuse;
    settings.ranks_per_core = given.ranks_per_core;
    if (given.costs != nullptr) {
        settings.costs = given.costs->data;
    } else {
        settings.over_tcp = given.over_tcp;
    }
    if (given.die_links != nullptr) {
        settings.die_links = given.die_links->data;
        settings.die_links_of_file = given.die_links_of_file;
    }
    settings.fail_rank = given.fail_rank;
    settings.fail_step = given.fail_step;
    settings.timestamp = given.timestamp;
    return settings;
}

nbrhood_costs *nbrhood_costs_read(const char *file, char *error, size_t room)
{
    try {
        auto costs = std::make_unique<nbrhood_costs>();
        costs->data = read_costs_file(file);
        return costs.release();
    } catch (const std::exception &reason) {
        std::snprintf(error, room, "%s", reason.what());
        return nullptr;
    }
}

void nbrhood_costs_destroy(nbrhood_costs *costs)
{
    delete costs;
}

uint64_t nbrhood_settings_checksum(const nbrhood_settings *settings)
{
    try {
        return hash_settings(settings_of(*settings));
    } catch (const std::bad_alloc &) {
        return 0;
    }
}

uint64_t nbrhood_serving_checksum(const nbrhood_settings *settings)
{
    try {
        return hash_serving(settings_of(*settings));
    } catch (const std::bad_alloc &) {
        return 0;
    }
}

bool nbrhood_builds_at_creation(const int *choices, int build_after)
{
    return builds_at_creation(choices_of(choices), build_after);
}
