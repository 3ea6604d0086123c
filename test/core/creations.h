// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Creations of topologies, of all ranks in one process.
#pragma once

#include <functional>
#include <vector>

#include "build/creation_build.h"
#include "support.h"

namespace nbrhood::test {

// The results of all ranks of one creation.
struct Created {
    std::vector<Topology> topologies;
    std::vector<int> errors; // not 0 if the rank waits forever
    bool mail_left = false;
};

// The choice for blocks of that size.
const Served &served_at(const ServedSizes &sizes, std::size_t bytes);

// Takes over the values on which builders depend.
void set_tuning(Settings &settings, const Tuning &tuning);

// Gives a parameter a different value within its range.
void change_value(ParameterValues &values, const Parameter &parameter);

// Creates the topology of every rank; settings[r] belongs to rank r. Ranks begin in random order,
// and messages have random delays. places[r] is the place that rank r reports for itself; with told
// = false no rank knows the domains of others before all report theirs. change: may change the
// words that a builder of a rank writes to another.
using ChangeMessage = std::function<void(Rank from, Message &message)>;
Created create_all(const Graph &graph, const std::vector<Place> &places,
                   const std::vector<Settings> &settings, bool told = true,
                   const ChangeMessage &change = {});
// On a machine whose regions are nodes.
Created create_all(const Graph &graph, const Machine &machine,
                   const std::vector<Settings> &settings, const ChangeMessage &change = {});
Created create_all(const Graph &graph, const Machine &machine, const Settings &settings);

} // namespace nbrhood::test
