// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results of distance halving on a graph: the number of ranks that find an agent, step by step.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/toolkit/parameter.h"
#include "graph/neighbourhood.h"
#include "machine/machine.h"

namespace nbrhood {

// One step of halving, over all parts that it divides.
struct HalvingStep {
    std::int64_t ranks = 0;  // in these parts
    std::int64_t may = 0;    // ranks that share a destination with a rank of the opposite half
    std::int64_t found = 0;  // ranks that found an agent
    std::int64_t second = 0; // ranks among these whose agent already serves another rank
};

// Selects the agents of distance_halving for all ranks of a graph: graph[r] belongs to rank r.
// values: the values of its parameters. For tools and tests, because the paper reports the success
// of its search (Sharifian, Sojoodi, Afsahi 2024, section VII-A).
std::vector<HalvingStep> search_agents(const std::vector<Neighbourhood> &graph,
                                       const Machine &machine, const ParameterValues &values);

} // namespace nbrhood
