// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Random graphs, machines and settings for the tests of the core, and a place to build patterns.
#pragma once

#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/aggregated/aggregated.h"
#include "algorithms/registry.h"
#include "analysis/prove.h"

namespace nbrhood::test {

using Random = std::mt19937_64;
using Graph = std::vector<Neighbourhood>;

// A number of random cases, multiplied by the environment variable NBRHOOD_TEST_SCALE (default 1).
int scaled(int cases);

// The same for a number of ranks, never multiplied up; for tests that take long on slow builds.
int scaled_ranks(int ranks);

// A number from low to high, both included; true with probability p.
int draw(Random &random, int low, int high);
bool chance(Random &random, double p);

// The neighbours of each rank, before edges are matched.
struct Lists {
    std::vector<std::vector<Rank>> sources, destinations; // by rank
    explicit Lists(int ranks)
        : sources(static_cast<std::size_t>(ranks)), destinations(static_cast<std::size_t>(ranks))
    {}
    int ranks() const { return static_cast<int>(sources.size()); }
    void add(Rank source, Rank destination);
};

Graph match(const Lists &lists);

// Every ordered pair of different ranks is an edge with this probability.
Lists dense_lists(Random &random, int ranks, double density);

// Every rank sends to about `degree` random ranks (perhaps twice to one): for many ranks.
Lists sparse_lists(Random &random, int ranks, int degree);

// The Cartesian grid of these extents, row-major, as MPI numbers neighbours; kNoRank at open ends.
Graph cartesian_graph(const std::vector<int> &extents, const std::vector<bool> &periodic);

// A graph of a random kind: random of many densities, rings with duplicate edges, stars,
// one-directional, disconnected parts, more edges than ranks, Cartesian; often with self edges,
// edges to kNoRank, isolated ranks, weights, and edges in any order.
Graph random_graph(Random &random, int ranks);

// Gives all edges weights from 0 to the greatest, unlike at their two ends.
void set_random_weights(Random &random, Graph &graph);

// Uneven nodes, one-rank nodes, a single node or only one-rank nodes; by_slot or by_node.
Machine random_machine(Random &random, int ranks);

Tuning random_tuning(Random &random);

// None, all, or a random half of the edges.
IsLarge random_large(Random &random);

std::uint64_t hash_of(const Edge &edge);

// The label of each rank's weakly connected component, found by walking the edges.
std::vector<Rank> components_of(const Graph &graph);

constexpr BlockKind kKinds[] = {BlockKind::one_per_rank, BlockKind::one_per_edge};

// The kinds of blocks that a row of the registry serves.
std::vector<BlockKind> kinds_of(const Algorithm &row);

// Whether blocks go directly from region to region: each enters a region once, and no third region.
bool enters_regions_once(const Algorithm &row);

constexpr Scheme kSchemes[] = {kThreeStep, kTwoStep};

// Both kinds of blocks, each in all schemes.
std::vector<Task> all_tasks();

// The builders of all ranks, for aggregated patterns unless another maker is named, and their
// inputs.
class Construction {
public:
    // Asks for the patterns of one kind.
    Construction(Graph graph, Machine machine, const Tuning &tuning,
                 BlockKind kind = BlockKind::one_per_edge, Scheme scheme = kThreeStep);
    Construction(Graph graph, Machine machine, const Tuning &tuning, std::vector<Task> tasks,
                 const DecisionFunction &decide = {}, Rank fail_rank = kNoRank, int fail_step = -1,
                 Maker maker = make_aggregated_builder);
    Construction(const Construction &) = delete;
    Construction &operator=(const Construction &) = delete;

    const std::vector<std::unique_ptr<Builder>> &builders() const { return builders_; }
    const Graph &graph() const { return graph_; }
    const Machine &machine() const { return machine_; }
    bool has_edges(std::size_t rank) const { return has_edges_[rank] != 0; }

    Outcome outcome(std::size_t rank, std::size_t task = 0) const
    {
        return builders_[rank]->outcome(task);
    }
    Traffic traffic(std::size_t rank, std::size_t task = 0) const
    {
        return builders_[rank]->traffic(task);
    }

    // Steps all builders, in rank order or in random order, and takes the patterns of the first
    // task.
    std::vector<Pattern> run();
    std::vector<Pattern> run(Random &random);

    // The patterns of builders that are done. Throws std::runtime_error if a builder has no
    // pattern.
    std::vector<Pattern> take(std::size_t task = 0);

private:
    Graph graph_;
    Machine machine_;
    std::vector<char> has_edges_;
    KnownRanks known_ranks_;
    std::vector<std::unique_ptr<Builder>> builders_;
};

// Steps builders one at a time in random order. Returns the number of messages, or -1 if some wait
// forever or messages are left.
int run_in_random_order(const std::vector<std::unique_ptr<Builder>> &builders, Random &random);

std::vector<Pattern> direct_patterns(const Graph &graph, BlockKind kind);

std::string joined(const std::vector<std::string> &faults);

// All numbers of a traffic.
std::vector<std::int32_t> words_of(const Traffic &traffic);

// The message of the exception that a call throws, or "accepted".
template <typename Call>
std::string reason_of(const Call &call)
{
    try {
        call();
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "accepted";
}

} // namespace nbrhood::test
