// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Facts of all ranks before anything is chosen or built.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "algorithms/toolkit/facts.h"
#include "engine/engine.h"

namespace nbrhood {

// Facts of one rank or of several.
struct Survey {
    Survey() // of no rank and no region
    {
        facts.regions = facts.regions_of_node = 0;
        facts.within_regions = Link::die_pair;
    }

    Facts facts;
    std::int32_t whole_nodes = 0;   // not divided into regions, because a rank there has no domain
    bool over_tcp = false;          // Settings::over_tcp of any rank
    std::uint64_t settings = 0;     // sum of the hashes of what must be equal on all ranks
    std::uint64_t squares = 0;      // and of their squares
    std::uint64_t balance = 0;      // sum of edge_balance
    std::int32_t sets_of_roles = 0; // see RoleWaves

    void merge(const Survey &other);
    void put(WordWriter &words) const;
    static Survey take(WordReader &words); // throws BadMessage
};

// Facts of one rank and its edges, without those of nodes and regions.
Survey survey_of(const Neighbourhood &neighbourhood, const Settings &settings,
                 const std::function<Locality(Rank)> &locality);
// The same of a node, for one of its ranks to add. node: the ranks there that take part, and the
// regions that they make.
void add_node(const Machine &node, Survey &survey);

// Removes the dies of nodes whose ranks do not know the same GPU dies (hash_of_dies), because these
// ranks would not build the same pattern. Returns these nodes. places, dies: in one order, of ranks
// that all have the same facts.
std::unordered_set<std::int32_t> agree_on_dies(std::vector<Place> &places,
                                               const std::vector<std::uint32_t> &dies);

// The error in the facts that so many ranks gave, or none.
Diagnostic diagnose(const Survey &survey, std::int64_t ranks);

// Whether n numbers are equal, from their sum and that of their squares: n times the sum of squares
// is the square of the sum then. (For numbers that are hashes this hardly holds otherwise modulo
// 2^64.)
inline bool all_equal(std::int64_t n, std::uint64_t sum, std::uint64_t squares)
{
    return static_cast<std::uint64_t>(n) * squares == sum * sum;
}

} // namespace nbrhood
