// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Creations of topologies, of all ranks in one process.
#pragma once

#include <functional>
#include <vector>

#include "build/creation_build.h"
#include "support.h"

namespace nbrhood::test {

// What all ranks of one creation ended with.
struct Created {
    std::vector<Topology> topologies;
    std::vector<int> errors; // of a rank that waits forever: not 0
    bool mail_left = false;
};

// What serves blocks of that size.
const Served &served_at(const ServedSizes &sizes, std::size_t bytes);

// Takes over what builders are steered by.
void set_tuning(Settings &settings, const Tuning &tuning);

// Gives a parameter another value than it has, within its range.
void change_value(ParameterValues &values, const Parameter &parameter);

// Creates the topology of every rank; settings[r] belongs to rank r. Ranks begin in any order, and
// messages take any time they like. places[r] is what rank r says of itself; with told = false no
// rank knows the domains of others before all say theirs. change: may change what a builder of a
// rank writes to another.
using ChangeMessage = std::function<void(Rank from, Message &message)>;
Created create_all(const Graph &graph, const std::vector<Place> &places,
                   const std::vector<Settings> &settings, bool told = true,
                   const ChangeMessage &change = {});
// On a machine whose regions are nodes.
Created create_all(const Graph &graph, const Machine &machine,
                   const std::vector<Settings> &settings, const ChangeMessage &change = {});
Created create_all(const Graph &graph, const Machine &machine, const Settings &settings);

} // namespace nbrhood::test
