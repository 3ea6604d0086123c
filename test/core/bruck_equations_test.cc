// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The paper's equations on Bruck allgathers, compared with the messages of patterns.
#include <gtest/gtest.h>

#include "allgather/locality_bruck.h"
#include "analysis/bruck_equations.h"
#include "machine/synthetic.h"
#include "support.h"

namespace nbrhood::test {
namespace {

BruckModel model_of(int regions, int per_region, double bytes)
{
    BruckModel model;
    model.regions = regions;
    model.per_region = per_region;
    model.block_bytes = bytes;
    model.costs = default_costs();
    return model;
}

double counted(AllgatherPattern (*make)(const AllgatherShape &, Rank), const BruckModel &model)
{
    const Machine machine = make_machine(std::vector<int>(static_cast<std::size_t>(model.regions),
                                                          static_cast<int>(model.per_region)));
    const AllgatherShape shape(machine, Nesting::regions, false, FirstRank::idles);
    std::vector<AllgatherPattern> patterns;
    for (Rank rank = 0; rank < shape.ranks(); ++rank) {
        patterns.push_back(make(shape, rank));
    }
    return counted_seconds(patterns, machine, model);
}

TEST(BruckEquations, CorrectedAreWhatPatternsSend)
{
    for (const auto &[regions, per_region] :
         {std::pair(4, 4), std::pair(16, 4), std::pair(64, 4), std::pair(8, 8), std::pair(16, 16),
          std::pair(4, 2), std::pair(8, 2)}) {
        for (const double bytes : {4.0, 512.0, 65536.0}) {
            const BruckModel model = model_of(regions, per_region, bytes);
            EXPECT_NEAR(counted(locality_bruck, model), model.locality_bruck(),
                        1e-9 * model.locality_bruck())
                << regions << " regions of " << per_region;
        }
    }
}

TEST(BruckEquations, OfPlainBruckAreThoseOfARankAllOfWhoseMessagesLeaveItsRegion)
{
    // Rank 0 of example 2.1: section 4.
    const BruckModel model = model_of(4, 4, 4);
    EXPECT_NEAR(counted(bruck, model), model.bruck(), 1e-9 * model.bruck());
}

TEST(BruckEquations, AsPrintedHaveFewerMessagesAndBytes)
{
    for (const auto &[regions, per_region] : {std::pair(16, 4), std::pair(16, 16)}) {
        const BruckModel model = model_of(regions, per_region, 4);
        EXPECT_LT(model.locality_bruck_as_printed(), model.locality_bruck());
        EXPECT_LT(model.locality_bruck(), model.bruck());
    }
}

// Figure 3: a message inside a socket is cheap, one between sockets expensive, one between nodes
// most expensive.
TEST(BruckEquations, CountEachMessageOnItsLink)
{
    const SyntheticMachine synthetic("node:4 socket:2 core:4");
    std::vector<Place> places;
    for (int slot = 0; slot < 32; ++slot) {
        places.push_back(synthetic.place(slot));
    }
    const auto counted = [&](Level region, Nesting nesting) {
        const Machine machine(places, region);
        const AllgatherShape shape(machine, nesting, false);
        std::vector<AllgatherPattern> patterns;
        for (Rank rank = 0; rank < shape.ranks(); ++rank) {
            patterns.push_back(locality_bruck(shape, rank));
        }
        return count_by_link(patterns, machine, 4, default_costs());
    };
    const auto on = [](const LinkCounts &counts, Link link) {
        return counts.most[static_cast<std::size_t>(link)];
    };
    const LinkCounts by_node = counted(Level::node, Nesting::regions);
    const LinkCounts by_level = counted(Level::node, Nesting::levels);
    const LinkCounts by_socket = counted(Level::socket, Nesting::regions);
    EXPECT_EQ(on(by_node, Link::network).messages, 1); // 4 nodes of 8 ranks
    EXPECT_EQ(on(by_node, Link::network).blocks, 4);   // two ranks share an exchange
    EXPECT_EQ(on(by_level, Link::network).messages, 1);
    EXPECT_EQ(on(by_level, Link::network).blocks, 4);
    EXPECT_LT(on(by_level, Link::node).blocks, on(by_node, Link::node).blocks);
    EXPECT_EQ(on(by_socket, Link::network).messages, 2); // 8 sockets of 4 ranks
    EXPECT_GE(on(by_socket, Link::network).blocks, 8);
    EXPECT_GT(by_level.seconds, 0);
}

} // namespace
} // namespace nbrhood::test
