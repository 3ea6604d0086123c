// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Plans of MPI_Allgather: real bytes between ranks in one process.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "allgather/plan.h"
#include "allgather/registry.h"
#include "memory_world.h"

namespace nbrhood::test {
namespace {

constexpr char kGuardByte = 0x5a;
constexpr std::size_t kGuard = 8;

char byte_of(std::uint64_t seed, Rank rank, std::size_t i)
{
    return static_cast<char>(mix(seed + 1000 * static_cast<std::uint64_t>(rank) + i));
}

// One rank's buffers: packed, or with a gap after each byte.
class Buffers {
public:
    Buffers(Rank rank, int ranks, std::size_t bytes, bool strided, bool in_place)
        : rank_(rank), ranks_(ranks), bytes_(bytes), step_(strided ? 2 : 1), in_place_(in_place),
          send_(bytes), receive_(2 * kGuard + step_ * bytes * static_cast<std::size_t>(ranks))
    {}

    AllgatherBuffers bind()
    {
        char *first = receive_.data() + kGuard;
        AllgatherBuffers buffers;
        if (!in_place_) {
            buffers.send = UserBlock{send_.data(), bytes_, nullptr, bytes_, send_.data()};
        }
        buffers.receive = UserBlock{first, bytes_, nullptr, bytes_, step_ == 1 ? first : nullptr};
        buffers.stride = static_cast<std::ptrdiff_t>(step_ * bytes_);
        buffers.in_place = in_place_;
        return buffers;
    }

    void fill(std::uint64_t seed)
    {
        std::fill(receive_.begin(), receive_.end(), kGuardByte);
        for (std::size_t i = 0; i < bytes_; ++i) {
            (in_place_ ? receive_[at(rank_, i)] : send_[i]) = byte_of(seed, rank_, i);
        }
    }

    bool right(std::uint64_t seed) const
    {
        std::vector<char> expected(receive_.size(), kGuardByte);
        for (Rank rank = 0; rank < ranks_; ++rank) {
            for (std::size_t i = 0; i < bytes_; ++i) {
                expected[at(rank, i)] = byte_of(seed, rank, i);
            }
        }
        return expected == receive_;
    }

private:
    std::size_t at(Rank rank, std::size_t i) const
    {
        return kGuard + step_ * (static_cast<std::size_t>(rank) * bytes_ + i);
    }
    Rank rank_;
    int ranks_;
    std::size_t bytes_;
    std::size_t step_;
    bool in_place_;
    std::vector<char> send_;
    std::vector<char> receive_;
};

// All ranks' plans of one algorithm.
struct Plans {
    Plans(const AllgatherAlgorithm &algorithm, const AllgatherShape &shape, World &world)
        : errors(static_cast<std::size_t>(shape.ranks()), -1)
    {
        for (Rank rank = 0; rank < shape.ranks(); ++rank) {
            plans.emplace_back(
                std::make_shared<AllgatherProgram>(algorithm.make(shape, rank), shape),
                world.transport(rank));
        }
        world.on_finished([this](Rank rank, AnyPlan &, int error) {
            errors[static_cast<std::size_t>(rank)] = error;
        });
    }

    // Starts all plans in random order, with other events in between.
    void run(World &world, Random &random, int tag)
    {
        std::vector<std::size_t> order(plans.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        std::shuffle(order.begin(), order.end(), random);
        std::fill(errors.begin(), errors.end(), -1);
        for (const std::size_t rank : order) {
            plans[rank].start(tag, 0);
            for (int i = draw(random, 0, 8); i > 0 && world.advance(); --i) {}
        }
        while (world.advance()) {}
    }

    std::deque<AllgatherPlan> plans;
    std::vector<int> errors; // by rank; -1: has not ended
};

TEST(AllgatherPlans, BringAllBlocksWhateverTheBuffers)
{
    for (int seed = 0; seed < scaled(2000) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 24);
        const AllgatherShape shape(random_machine(random, ranks), Nesting::regions,
                                   chance(random, 0.5));
        const auto &algorithms = allgather_algorithms();
        const AllgatherAlgorithm &algorithm =
            algorithms[static_cast<std::size_t>(seed) % algorithms.size()];
        SCOPED_TRACE(algorithm.name);
        WorldOptions options;
        options.eager = draw(random, 0, 2) / 2.0;
        options.at_once = draw(random, 0, 2) / 2.0;
        World world(ranks, random(), options);
        Plans all(algorithm, shape, world);
        for (int round = 0; round < 4; ++round) {
            const std::size_t bytes = static_cast<std::size_t>(draw(random, 1, 40));
            const bool in_place = chance(random, 0.3);
            std::vector<Buffers> buffers;
            for (Rank rank = 0; rank < ranks; ++rank) {
                buffers.emplace_back(rank, ranks, bytes, chance(random, 0.4), in_place);
                buffers.back().fill(static_cast<std::uint64_t>(round));
            }
            for (Rank rank = 0; rank < ranks; ++rank) {
                const auto number = static_cast<std::size_t>(rank);
                all.plans[number].buffers = buffers[number].bind();
            }
            all.run(world, random, 5);
            for (Rank rank = 0; rank < ranks; ++rank) {
                const auto number = static_cast<std::size_t>(rank);
                ASSERT_EQ(all.errors[number], 0) << "rank " << rank;
                ASSERT_TRUE(buffers[number].right(static_cast<std::uint64_t>(round)))
                    << "rank " << rank << ", " << bytes << " bytes";
            }
            EXPECT_TRUE(world.empty());
        }
    }
}

// Ranks start the next call while others are still in the previous one.
TEST(AllgatherPlans, OfConsecutiveCallsDoNotMix)
{
    for (int seed = 0; seed < scaled(400) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 2, 16);
        const std::size_t bytes = 3;
        const AllgatherShape shape(random_machine(random, ranks), Nesting::regions, false);
        const auto &algorithms = allgather_algorithms();
        WorldOptions options;
        options.eager = draw(random, 0, 2) / 2.0;
        World world(ranks, random(), options);
        // The algorithms take turns, because all use one tag.
        std::vector<std::unique_ptr<Plans>> plans;
        for (const AllgatherAlgorithm &algorithm : algorithms) {
            plans.push_back(std::make_unique<Plans>(algorithm, shape, world));
        }
        constexpr int kCalls = 8;
        std::vector<int> ended(static_cast<std::size_t>(ranks), 0);
        std::vector<Buffers> buffers;
        for (Rank rank = 0; rank < ranks; ++rank) {
            buffers.emplace_back(rank, ranks, bytes, false, false);
        }
        const auto start = [&](Rank rank) {
            const auto number = static_cast<std::size_t>(rank);
            const int call = ended[number];
            AllgatherPlan &plan =
                plans[static_cast<std::size_t>(call) % plans.size()]->plans[number];
            buffers[number].fill(static_cast<std::uint64_t>(call));
            plan.buffers = buffers[number].bind();
            plan.start(7, 0);
        };
        std::vector<Rank> idle;
        world.on_finished([&](Rank rank, AnyPlan &, int error) {
            const auto number = static_cast<std::size_t>(rank);
            EXPECT_EQ(error, 0);
            EXPECT_TRUE(buffers[number].right(static_cast<std::uint64_t>(ended[number])))
                << "rank " << rank << ", call " << ended[number];
            if (++ended[number] < kCalls) {
                idle.push_back(rank);
            }
        });
        for (Rank rank = 0; rank < ranks; ++rank) {
            start(rank);
        }
        while (world.advance() || !idle.empty()) {
            while (!idle.empty()) {
                const Rank rank = idle.back();
                idle.pop_back();
                start(rank);
            }
        }
        EXPECT_TRUE(world.empty());
        EXPECT_EQ(*std::min_element(ended.begin(), ended.end()), kCalls);
    }
}

TEST(AllgatherPlans, EndWithAnErrorWhereAMessageCannotBeSent)
{
    for (int seed = 0; seed < scaled(600) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 2, 16);
        const AllgatherShape shape(random_machine(random, ranks), Nesting::regions, false);
        const auto &algorithms = allgather_algorithms();
        const AllgatherAlgorithm &algorithm =
            algorithms[static_cast<std::size_t>(seed) % algorithms.size()];
        // Ranks whose own two sizes differ.
        World world(ranks, random(), WorldOptions{});
        Plans all(algorithm, shape, world);
        const Rank odd = draw(random, 0, ranks - 1);
        std::vector<Buffers> buffers;
        for (Rank rank = 0; rank < ranks; ++rank) {
            buffers.emplace_back(rank, ranks, 4, false, false);
            buffers.back().fill(1);
        }
        for (Rank rank = 0; rank < ranks; ++rank) {
            const auto number = static_cast<std::size_t>(rank);
            all.plans[number].buffers = buffers[number].bind();
            if (rank == odd) {
                all.plans[number].buffers.send.bytes = 3;
            }
        }
        all.run(world, random, 5);
        EXPECT_TRUE(world.empty()) << "a rank waits";
        for (const int error : all.errors) {
            EXPECT_GT(error, 0); // nobody gets the odd rank's block
        }
        // The error has no effect on the next call.
        all.plans[static_cast<std::size_t>(odd)].buffers.send.bytes = 4;
        all.run(world, random, 5);
        for (Rank rank = 0; rank < ranks; ++rank) {
            EXPECT_EQ(all.errors[static_cast<std::size_t>(rank)], 0);
            EXPECT_TRUE(buffers[static_cast<std::size_t>(rank)].right(1));
        }
    }
}

TEST(AllgatherPrograms, RefusePatternsThatAreNoAllgathers)
{
    const AllgatherShape shape(make_machine({2, 2}), Nesting::regions, false);
    const auto refused = [&](const auto &damage) {
        AllgatherPattern pattern = allgather_algorithms().front().make(shape, 1);
        damage(pattern.pattern.operations);
        return reason_of([&] { AllgatherProgram(pattern, shape); }) != "accepted";
    };
    EXPECT_FALSE(refused([](auto &) {}));
    EXPECT_TRUE(refused([](auto &operations) { operations.erase(operations.begin()); }));
    EXPECT_TRUE(refused([](auto &operations) { operations[1].slices[0].space = Space::send; }));
    EXPECT_TRUE(refused([](auto &operations) { operations[1].slices[0].block = 4; }));
    EXPECT_TRUE(refused([](auto &operations) { operations.push_back(operations[0]); }));
    EXPECT_TRUE(refused([](auto &operations) {
        operations.erase(std::remove_if(operations.begin(), operations.end(),
                                        [](const Operation &operation) {
                                            return operation.kind == OperationKind::receive;
                                        }),
                         operations.end());
    }));
}

} // namespace
} // namespace nbrhood::test
