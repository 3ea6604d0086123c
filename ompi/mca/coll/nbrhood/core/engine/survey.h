// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Facts of all ranks before algorithms are chosen and built.
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
    std::int32_t whole_nodes = 0;   // nodes not divided: a rank there has no domain
    bool over_tcp = false;          // Settings::over_tcp of any rank
    std::uint64_t settings = 0;     // sum of hash_settings() over all ranks
    std::uint64_t squares = 0;      // sum of their squares
    std::uint64_t balance = 0;      // sum of edge_balance
    std::int32_t sets_of_roles = 0; // see RoleWaves

    void merge(const Survey &other);
    void put(WordWriter &words) const;
    static Survey take(WordReader &words); // throws BadMessage
};

// Facts of one rank and its edges, without those of nodes and regions.
Survey survey_of(const Neighbourhood &neighbourhood, const Settings &settings,
                 const std::function<Locality(Rank)> &locality);
// Adds the facts of a node; one of its ranks does so. node: the ranks of the node that take part,
// and their regions.
void add_node(const Machine &node, Survey &survey);

// Removes the dies of nodes whose ranks do not know the same GPU dies (hash_of_dies), because these
// ranks would not build the same pattern. Returns these nodes. places, dies: in the same order. All
// ranks must call it with the same arguments.
std::unordered_set<std::int32_t> agree_on_dies(std::vector<Place> &places,
                                               const std::vector<std::uint32_t> &dies);

// The error in the facts of these ranks, or none.
Diagnostic diagnose(const Survey &survey, std::int64_t ranks);

// Whether n numbers are equal, from their sum and the sum of their squares: then n times the sum of
// squares is the square of the sum. (For hashes that are not all equal, this is very unlikely to
// hold modulo 2^64.)
inline bool all_equal(std::int64_t n, std::uint64_t sum, std::uint64_t squares)
{
    return static_cast<std::uint64_t>(n) * squares == sum * sum;
}

} // namespace nbrhood
