// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Independent builds of the components of a graph, with random message delays.
#pragma once

#include <memory>
#include <vector>

#include "analysis/build_network.h"
#include "build/component_build.h"
#include "support.h"

namespace nbrhood::test {

// A rank that makes calls while it takes part in a build.
class BuildingRank : public Post {
public:
    BuildingRank(const Neighbourhood &neighbourhood, const Machine &machine,
                 const Settings &settings, Collective collective, std::int64_t block_bytes,
                 Earlier earlier, BuildNetwork &network);

    void send(Rank peer, Channel channel, std::vector<std::int32_t> words) override
    {
        joined = joined || channel == Channel::step;
        network_.send(rank, peer, channel, words);
    }
    void expect(Rank peer, Channel channel) override { network_.expect(peer, rank, channel); }

    Rank rank;
    std::uint32_t calls = 0;
    CallCounts limit;
    bool begun = false;
    bool joined = false; // it has sent messages that may be large

private:
    std::function<Locality(Rank)> locality_;
    BuildNetwork &network_;

public:
    ComponentBuild build;
};

// All ranks of a graph; each begins at a random time, in a call with blocks of this many bytes.
class Builds {
public:
    Builds(Graph graph, Machine machine, const std::vector<Settings> &settings, Random &random,
           Collective collective = Collective::neighbor_alltoallv, std::int64_t block_bytes = 0,
           Earlier earlier = Earlier::none);

    void run(Random &random);

    const Served &served(Rank rank)
    {
        return ranks[static_cast<std::size_t>(rank)]
            ->build.topology()
            .served[static_cast<std::size_t>(collective_)]
            .front();
    }

    Graph graph_;
    Machine machine_;
    std::vector<Settings> settings_;
    Collective collective_;
    BuildNetwork network;
    std::vector<std::unique_ptr<BuildingRank>> ranks;
    int turns = 0; // turns that ranks took after they had paused
};

// This choice serves one collective.
Settings settings_of(int choice, Collective collective = Collective::neighbor_alltoallv);

// Checks that all builds end, that the ranks of a component agree on the choice and on the number
// from which it serves, that this number is above the limit of every rank, and that the patterns of
// all components together are right.
void expect_right(Builds &builds);

} // namespace nbrhood::test
