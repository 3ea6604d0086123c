// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The choices of `auto` for large blocks, and the sizes that a named leader_scatter serves.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/leader_scatter/leader_scatter.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

constexpr auto kAllgather = static_cast<std::size_t>(Collective::neighbor_allgather);
constexpr auto kAllgatherv = static_cast<std::size_t>(Collective::neighbor_allgatherv);
constexpr auto kAlltoall = static_cast<std::size_t>(Collective::neighbor_alltoall);
constexpr std::size_t kMebibyte = 1 << 20;

// A network that is slow compared with the links inside a node.
Settings slow_network(int choice)
{
    Settings settings;
    settings.choice.fill(choice);
    for (LinkCosts &link : settings.costs.links) {
        link.byte = link.long_byte = 1e-10;
    }
    settings.costs.injection_byte = 1e-8;
    return settings;
}

Created create(const Settings &settings)
{
    Random random(1);
    return create_all(match(dense_lists(random, 32, 0.5)), make_machine({8, 8, 8, 8}), settings);
}

TEST(EngineLarge, AutoScattersLargeBlocks)
{
    const int scatter = find_choice("leader_scatter");
    Settings settings = slow_network(kAuto);
    settings.values.set(kBlockBytes, 4 * kMebibyte); // no other algorithm relays this much
    const Created created = create(settings);
    for (const Topology &topology : created.topologies) {
        for (const std::size_t bytes : {4 * kMebibyte, 64 * kMebibyte}) {
            const Served &served = served_at(topology.served[kAllgather], bytes);
            EXPECT_EQ(served.choice, scatter);
            EXPECT_EQ(served.reason, Reason::gain);
            EXPECT_EQ(served.combining_threshold, settings.values.get(kScatterAbove));
        }
        EXPECT_NE(served_at(topology.served[kAllgather], 64 << 10).choice, scatter);
        EXPECT_EQ(served_at(topology.served[kAllgatherv], 4 * kMebibyte).choice, scatter);
        EXPECT_NE(served_at(topology.served[kAlltoall], 4 * kMebibyte).choice, scatter);
    }
}

// If calls are not known to have large blocks, no pattern for these is built.
TEST(EngineLarge, AutoDoesNotCountItForSmallBlocks)
{
    for (const Topology &topology : create(slow_network(kAuto)).topologies) {
        EXPECT_TRUE(std::none_of(topology.expected.begin(), topology.expected.end(),
                                 [](const Expectation &expected) {
                                     return expected.choice == find_choice("leader_scatter");
                                 }));
    }
}

TEST(EngineLarge, NamedItServesAllSizes)
{
    const int scatter = find_choice("leader_scatter");
    Settings settings = slow_network(scatter);
    settings.choice[kAlltoall] = kAuto;
    settings.values.set(kScatterAbove, std::size_t{5000});
    for (const Topology &topology : create(settings).topologies) {
        ASSERT_EQ(topology.served[kAllgather].size(), 1U);
        EXPECT_EQ(topology.served[kAllgather].front().choice, scatter);
        EXPECT_EQ(topology.served[kAllgather].front().combining_threshold, 5000U);
    }
}

} // namespace
} // namespace nbrhood::test
