// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "graph/neighbourhood.h"

#include <algorithm>
#include <unordered_map>

namespace nbrhood {
namespace {

std::vector<EdgeEnd> number_by_peer(const std::vector<Rank> &peers)
{
    std::unordered_map<Rank, std::int32_t> seen;
    std::vector<EdgeEnd> ends;
    ends.reserve(peers.size());
    for (Rank peer : peers) {
        ends.push_back(peer < 0 ? EdgeEnd{kNoRank, 0, 1} : EdgeEnd{peer, seen[peer]++, 1});
    }
    return ends;
}

std::uint64_t hash_edge(const Edge &edge)
{
    const auto pair = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(edge.source)) << 32)
                      | static_cast<std::uint32_t>(edge.destination);
    return mix(mix(pair) + static_cast<std::uint32_t>(edge.key));
}

} // namespace

bool Neighbourhood::has_edges() const
{
    const auto leads_somewhere = [](const EdgeEnd &end) { return end.peer != kNoRank; };
    return std::any_of(in.begin(), in.end(), leads_somewhere)
           || std::any_of(out.begin(), out.end(), leads_somewhere);
}

Neighbourhood match_by_order(Rank rank, const std::vector<Rank> &sources,
                             const std::vector<Rank> &destinations)
{
    return Neighbourhood{rank, number_by_peer(sources), number_by_peer(destinations)};
}

Neighbourhood match_cartesian(Rank rank, const std::vector<Rank> &neighbours)
{
    Neighbourhood result;
    result.rank = rank;
    for (std::size_t slot = 0; slot < neighbours.size(); ++slot) {
        const Rank peer = neighbours[slot] < 0 ? kNoRank : neighbours[slot];
        result.out.push_back(EdgeEnd{peer, static_cast<std::int32_t>(slot), 1});
        result.in.push_back(EdgeEnd{peer, static_cast<std::int32_t>(slot ^ 1U), 1});
    }
    return result;
}

void set_weights(Neighbourhood &neighbourhood, const std::vector<std::int32_t> &in,
                 const std::vector<std::int32_t> &out)
{
    const auto set = [](std::vector<EdgeEnd> &ends, const std::vector<std::int32_t> &weights) {
        for (std::size_t slot = 0; slot < ends.size(); ++slot) {
            ends[slot].weight = std::clamp(weights.at(slot), 0, kGreatestWeight);
        }
    };
    set(neighbourhood.in, in);
    set(neighbourhood.out, out);
}

std::uint64_t edge_balance(const Neighbourhood &neighbourhood)
{
    std::uint64_t balance = 0;
    for (const EdgeEnd &end : neighbourhood.out) {
        if (end.peer != kNoRank) {
            balance += hash_edge(Edge{neighbourhood.rank, end.peer, end.key});
        }
    }
    for (const EdgeEnd &end : neighbourhood.in) {
        if (end.peer != kNoRank) {
            balance -= hash_edge(Edge{end.peer, neighbourhood.rank, end.key});
        }
    }
    return balance;
}

std::uint64_t mix(std::uint64_t value)
{
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

} // namespace nbrhood
