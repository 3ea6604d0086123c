// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Patterns of MPI_Allgather: proved for all ranks, and counted against the paper's numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "allgather/hierarchical.h"
#include "allgather/locality_bruck.h"
#include "allgather/registry.h"
#include "analysis/allgather_proof.h"
#include "machine/synthetic.h"
#include "support.h"

namespace nbrhood::test {
namespace {

using Make = AllgatherPattern (*)(const AllgatherShape &, Rank);

std::vector<AllgatherPattern> all_ranks(Make make, const AllgatherShape &shape)
{
    std::vector<AllgatherPattern> patterns;
    for (Rank rank = 0; rank < shape.ranks(); ++rank) {
        patterns.push_back(make(shape, rank));
    }
    return patterns;
}

AllgatherShape shape_of(const Machine &machine, bool shares_cores = false)
{
    return AllgatherShape(machine, Nesting::regions, shares_cores);
}

AllgatherCounts counted(Make make, const Machine &machine)
{
    return count_allgather(all_ranks(make, shape_of(machine)), machine);
}

Machine nodes(int count, int ranks, Placement placement = Placement::by_slot)
{
    return make_machine(std::vector<int>(static_cast<std::size_t>(count), ranks), placement);
}

void prove_all(const Machine &machine, Nesting nesting, bool shares_cores)
{
    const AllgatherShape shape(machine, nesting, shares_cores);
    for (const AllgatherAlgorithm &algorithm : allgather_algorithms()) {
        const auto faults = prove_allgather(all_ranks(algorithm.make, shape), shape);
        EXPECT_TRUE(faults.empty()) << algorithm.name << ": " << joined(faults);
    }
}

// Places on several levels; not all ranks know all levels.
Machine nested_machine(Random &random, int ranks)
{
    std::vector<Place> places;
    const int nodes = draw(random, 1, 6);
    const int sockets = draw(random, 1, 4);
    const bool known = chance(random, 0.8);
    for (int rank = 0; rank < ranks; ++rank) {
        Place place;
        place.node = draw(random, 0, nodes - 1);
        const int socket = draw(random, 1, sockets);
        place.domain(Level::socket) = static_cast<std::int16_t>(socket);
        place.domain(Level::numa) = static_cast<std::int16_t>(2 * socket - draw(random, 0, 1));
        if (!known && chance(random, 0.1)) {
            place.domain(Level::socket) = kNoDomain;
        }
        places.push_back(place);
    }
    return Machine(places, chance(random, 0.3) ? Level::socket : Level::node);
}

TEST(AllgatherPatterns, BringEveryBlockOnceOnRandomMachines)
{
    for (int seed = 0; seed < scaled(600) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, seed % 10 == 0 ? 200 : 40);
        const bool nested = chance(random, 0.5);
        const Machine machine =
            nested ? nested_machine(random, ranks) : random_machine(random, ranks);
        prove_all(machine, chance(random, 0.5) ? Nesting::levels : Nesting::regions,
                  chance(random, 0.5));
    }
}

TEST(AllgatherPatterns, AreProvedForThousandsOfRanks)
{
    const int ranks = scaled_ranks(4096);
    for (const int region : {1, 32, 17}) {
        for (const Placement placement : {Placement::by_slot, Placement::by_node}) {
            if (placement == Placement::by_node && region != 17) {
                continue; // the same patterns, under other names
            }
            std::vector<int> sizes(static_cast<std::size_t>(ranks / region), region);
            if (ranks % region != 0) {
                sizes.push_back(ranks % region);
            }
            const AllgatherShape shape = shape_of(make_machine(sizes, placement));
            for (const AllgatherAlgorithm &algorithm : allgather_algorithms()) {
                // Its messages grow with the square of the ranks; random machines test it.
                if (std::string(algorithm.name) != "ring") {
                    const auto faults = prove_allgather(all_ranks(algorithm.make, shape), shape);
                    EXPECT_TRUE(faults.empty()) << algorithm.name << ": " << joined(faults);
                }
            }
        }
    }
}

TEST(AllgatherPatterns, OfAPatternThatLacksSomethingTheProofSaysWhat)
{
    const AllgatherShape shape = shape_of(nodes(3, 3));
    const auto damaged = [&](const auto &damage) {
        std::vector<AllgatherPattern> patterns = all_ranks(locality_bruck, shape);
        damage(patterns);
        return joined(prove_allgather(patterns, shape));
    };
    EXPECT_EQ(damaged([](auto &) {}), "");
    EXPECT_NE(damaged([](auto &p) { p[4].pattern.operations.pop_back(); }), "");
    EXPECT_NE(damaged([](auto &p) { p[4].pattern.operations[1].slices[0].block = 0; }), "");
    EXPECT_NE(damaged([](auto &p) { std::swap(p[0], p[1]); }), "");
    EXPECT_NE(
        damaged([](auto &p) { p[2].pattern.operations.push_back(p[2].pattern.operations[1]); }),
        "");
    EXPECT_NE(damaged([](auto &p) { p.pop_back(); }), "");
}

// ---- The paper's numbers (Bienz, Gautam, Kharel 2022) ----

TEST(AllgatherPatterns, OfThePapersExampleSendWhatItSays)
{
    const Machine machine = nodes(4, 4); // example 2.1
    const AllgatherCounts plain = counted(bruck, machine);
    EXPECT_EQ(plain.most_nonlocal.messages, 4);
    EXPECT_EQ(plain.most_nonlocal.blocks, 15);
    const AllgatherCounts aware = counted(locality_bruck, machine);
    EXPECT_EQ(aware.most_nonlocal.messages, 1);
    EXPECT_EQ(aware.most_nonlocal.blocks, 4);
    // The first rank of a region sends nothing to other regions.
    for (const Operation &operation : locality_bruck(shape_of(machine), 0).pattern.operations) {
        EXPECT_TRUE(machine.local(0, operation.peer));
    }
}

TEST(AllgatherPatterns, OfThePapersExampleOfSixtyFourRanksTakeOneStepMore)
{
    const Machine machine = nodes(16, 4); // figure 6
    const AllgatherCounts aware = counted(locality_bruck, machine);
    EXPECT_EQ(aware.most_nonlocal.messages, 2);
    EXPECT_EQ(aware.most_nonlocal.blocks,
              4 + 16); // 16 by equation 4, which counts only the last step
    EXPECT_EQ(counted(bruck, machine).most_nonlocal.messages, 6);
    // Equation 4 has one local message for each of three allgathers; each takes two messages.
    EXPECT_EQ(aware.most_local.messages, 6);
}

TEST(AllgatherPatterns, SendWhatTheClosedFormsSayWhereRegionsAreAPowerOfTheirSize)
{
    for (const int size : {2, 4, 8, 16, 32}) {
        std::int64_t regions = 1;
        for (int steps = 1; regions * size * size <= scaled_ranks(4096); ++steps) {
            regions *= size;
            const Machine machine = nodes(static_cast<int>(regions), size);
            const AllgatherShape shape(machine, Nesting::regions, false, FirstRank::idles);
            const AllgatherCounts counts =
                count_allgather(all_ranks(locality_bruck, shape), machine);
            EXPECT_EQ(counts.most_nonlocal.messages, steps) << regions << " regions of " << size;
            std::int64_t blocks = 0; // size^1 + ... + size^steps
            for (std::int64_t sent = size; sent <= regions; sent *= size) {
                blocks += sent;
            }
            EXPECT_EQ(counts.most_nonlocal.blocks, blocks);
            // If the first rank exchanges, too, no rank takes more steps.
            EXPECT_LE(counted(locality_bruck, machine).most_nonlocal.messages, steps);
        }
    }
}

TEST(AllgatherPatterns, CarryOnlyMissingBlocksWhereRegionsAreNoPower)
{
    // 1,024 regions of 16 in three steps. The test takes a quarter of these regions, because that
    // proof takes less time.
    EXPECT_EQ(step_radix(1024, 16, FirstRank::exchanges), 11);
    EXPECT_EQ(step_radix(8, 2, FirstRank::exchanges), 3); // two steps; the paper takes three
    EXPECT_EQ(step_radix(8, 2, FirstRank::idles), 2);
    const Machine machine = nodes(scaled_ranks(256), 16);
    const AllgatherShape shape = shape_of(machine);
    const auto patterns = all_ranks(locality_bruck, shape);
    const AllgatherCounts counts = count_allgather(patterns, machine);
    EXPECT_LE(counts.most_nonlocal.messages, 2);
    // Every region gets every foreign block once.
    const std::int64_t regions = machine.regions();
    EXPECT_EQ(counts.all_nonlocal.blocks, regions * (regions - 1) * 16);
}

TEST(AllgatherPatterns, OfOneLeaderHaveTheFewestMessagesWhereRanksShareCores)
{
    for (const auto &[count, ranks] : {std::pair(4, 16), std::pair(16, 4), std::pair(13, 3)}) {
        const Machine machine = nodes(count, ranks);
        const AllgatherCounts counts =
            count_allgather(all_ranks(hierarchical, shape_of(machine, true)), machine);
        EXPECT_EQ(counts.all_local.messages + counts.all_nonlocal.messages,
                  2 * (count * ranks - 1));
        EXPECT_EQ(counts.all_nonlocal.messages, 2 * (count - 1));
    }
}

TEST(AllgatherPatterns, DoNotDependOnPlacement)
{
    for (const auto &[count, ranks] : {std::pair(4, 16), std::pair(8, 8), std::pair(16, 4)}) {
        const AllgatherCounts by_slot = counted(locality_bruck, nodes(count, ranks));
        const AllgatherCounts by_node =
            counted(locality_bruck, nodes(count, ranks, Placement::by_node));
        EXPECT_EQ(by_slot.all_nonlocal.messages, by_node.all_nonlocal.messages);
        EXPECT_EQ(by_slot.all_nonlocal.blocks, by_node.all_nonlocal.blocks);
        // Plain Bruck's messages do depend on placement. If ranks are dealt out round robin, only
        // its short first steps leave a node, which suits it.
        EXPECT_LT(counted(bruck, nodes(count, ranks, Placement::by_node)).all_nonlocal.blocks,
                  counted(bruck, nodes(count, ranks)).all_nonlocal.blocks);
    }
}

TEST(AllgatherPatterns, FollowFurtherLevels)
{
    const SyntheticMachine synthetic("node:4 socket:2 core:4");
    std::vector<Place> places;
    for (int slot = 0; slot < 32; ++slot) {
        places.push_back(synthetic.place(slot));
    }
    const Machine machine(places);
    const AllgatherShape shape(machine, Nesting::levels, false);
    EXPECT_EQ(shape.levels.size(), 2u);
    const auto patterns = all_ranks(locality_bruck, shape);
    EXPECT_TRUE(prove_allgather(patterns, shape).empty());
    const AllgatherCounts between_sockets = count_allgather(patterns, machine.at(Level::socket));
    const AllgatherCounts flat =
        count_allgather(all_ranks(locality_bruck, AllgatherShape(machine, Nesting::regions, false)),
                        machine.at(Level::socket));
    EXPECT_LT(between_sockets.all_nonlocal.messages, flat.all_nonlocal.messages);
    EXPECT_LT(between_sockets.all_nonlocal.blocks, flat.all_nonlocal.blocks);
}

} // namespace
} // namespace nbrhood::test
