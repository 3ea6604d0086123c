// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Exchanges along trees: data that goes up, data that comes down, and the knowledge of ranks if one
// fails.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "algorithms/toolkit/protocol.h"
#include "analysis/lockstep.h"
#include "changing_builder.h"
#include "support.h"

namespace nbrhood::test {
namespace {

constexpr int kTurns = 3; // superstep in which the root concludes

// A builder with a single exchange: members send their rank to their leader, leaders send the sums
// of their regions up the tree, with the ranks below them, and each rank gets the total and the
// square of its own rank.
class Exchanging : public Protocol {
public:
    explicit Exchanging(const BuildInput &from) : Protocol(from)
    {
        exchange_.emplace(input(), input().tree, 7, terms());
    }
    Exchanging(const Exchanging &) = delete;
    Exchanging &operator=(const Exchanging &) = delete;

    const TreeExchange &exchange() const { return *exchange_; }
    std::int32_t total = 0;
    std::map<Rank, std::int32_t> squares; // of this rank and those below it

private:
    Step advance(const std::vector<Message> &inbox) override
    {
        const auto step = deliver(*exchange_, inbox);
        return step ? *step : Step{{}, {}, true};
    }

    TreeExchange::Terms terms()
    {
        squares[self()] = 0;
        TreeExchange::Terms terms;
        terms.put_own = [this](WordWriter &words) { words.put(self()); };
        terms.add_own = [this](Rank member, WordReader &words) {
            EXPECT_TRUE(through_.empty() && member > last_member_);
            EXPECT_EQ(input().known_ranks->region_of(member), self());
            last_member_ = member;
            total += words.take(member, member);
        };
        terms.put_up = [this](WordWriter &words) {
            words.put(total);
            for (const auto &entry : squares) {
                words.put(entry.first);
            }
        };
        terms.add_up = [this](Rank child, WordReader &words) {
            total += words.take();
            while (words.left() != 0) {
                through_[child].push_back(words.take());
                squares[through_[child].back()] = 0;
            }
        };
        terms.conclude = [this] {
            for (auto &[rank, square] : squares) {
                square = rank * rank;
            }
            return ++turns_ == kTurns;
        };
        terms.put_down = [this](Rank child, WordWriter &words) {
            words.put(total);
            for (const Rank rank : through_.at(child)) {
                words.put(squares.at(rank));
            }
        };
        terms.take_down = [this](WordReader &words) {
            total = words.take();
            squares[self()] = self() * self();
            for (auto &[rank, square] : squares) {
                square = words.take(rank * rank, rank * rank);
            }
        };
        return terms;
    }

    std::optional<TreeExchange> exchange_;
    std::map<Rank, std::vector<Rank>> through_; // by child: in the order in which it told them
    Rank last_member_ = kNoRank;
    int turns_ = 0;
};

// All ranks in a tree of leaders and their members, or in a random tree in which the children of a
// rank need not belong to its region.
struct ExchangeWorld {
    ExchangeWorld(Random &random, int ranks, Rank victim = kNoRank, int step = -1)
        : graph(match(Lists(ranks))),
          all(random_machine(random, ranks), std::vector<char>(static_cast<std::size_t>(ranks), 1))
    {
        std::vector<Rank> order(static_cast<std::size_t>(ranks));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        const bool by_region = chance(random, 0.5);
        for (const Neighbourhood &own : graph) {
            BuildInput input;
            input.neighbourhood = &own;
            input.known_ranks = &all;
            input.ranks = ranks;
            input.tree = by_region ? place_in_tree(all, own.rank) : TreePlace(order, own.rank);
            input.tasks = {Task{}};
            input.fail_in_step = own.rank == victim ? step : -1;
            builders.push_back(std::make_unique<Exchanging>(input));
            root = input.tree.parent == kNoRank ? own.rank : root;
        }
    }

    const Exchanging &at(Rank rank) const
    {
        return static_cast<const Exchanging &>(*builders[static_cast<std::size_t>(rank)]);
    }
    int failed() const
    {
        return static_cast<int>(
            std::count_if(builders.begin(), builders.end(),
                          [](const auto &one) { return one->outcome(0) == Outcome::failed; }));
    }

    Graph graph;
    KnownRanks all;
    std::vector<std::unique_ptr<Builder>> builders;
    Rank root = kNoRank;
};

TEST(TreeExchange, SumsGathersAndScatters)
{
    for (int seed = 0; seed < scaled(500) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 40);
        ExchangeWorld world(random, ranks);
        ASSERT_GE(run_in_random_order(world.builders, random), 0);
        for (Rank rank = 0; rank < ranks; ++rank) {
            EXPECT_EQ(world.at(rank).total, ranks * (ranks - 1) / 2);
            EXPECT_EQ(world.at(rank).squares.at(rank), rank * rank);
            EXPECT_TRUE(world.at(rank).exchange().told() && !world.at(rank).exchange().stopped());
        }
        EXPECT_EQ(world.failed(), 0);
    }
}

// A rank that fails before it has sent its contribution stops all ranks; a rank that fails later
// fails alone.
TEST(TreeExchange, FailuresBeforeARankHasSaidItsPartStopAll)
{
    for (int seed = 0; seed < scaled(1000) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 1000);
        const int ranks = draw(random, 1, 24);
        const Rank victim = draw(random, 0, ranks - 1);
        const int step = draw(random, 0, 4);
        ExchangeWorld world(random, ranks, victim, step);
        ASSERT_GE(run_in_random_order(world.builders, random), 0);
        const bool stops = step < (victim == world.root ? 1 + kTurns : 2);
        for (Rank rank = 0; rank < ranks; ++rank) {
            EXPECT_EQ(world.at(rank).exchange().stopped(), stops) << "rank " << rank;
            EXPECT_EQ(world.at(rank).total, stops ? world.at(rank).total : ranks * (ranks - 1) / 2);
        }
        EXPECT_TRUE(stops ? world.failed() == ranks : world.failed() <= 1);
    }
}

// Ranks that could not read the answer from above know that they do not have it.
TEST(TreeExchange, ChangedMessagesAreFailures)
{
    int untold = 0;
    for (int seed = 0; seed < scaled(1000) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 5000);
        const int ranks = draw(random, 2, 24);
        const ExchangeWorld world(random, ranks);
        const Rank victim = draw(random, 0, ranks - 1);
        std::vector<std::unique_ptr<Builder>> builders;
        builders.reserve(world.builders.size());
        for (Rank rank = 0; rank < ranks; ++rank) {
            builders.push_back(
                std::make_unique<Changing>(*world.builders[static_cast<std::size_t>(rank)],
                                           rank == victim ? draw(random, 0, 3) : -1));
        }
        ASSERT_NO_THROW(run_lockstep(builders));
        const auto &changing = *builders[static_cast<std::size_t>(victim)];
        EXPECT_EQ(world.failed() > 0, static_cast<const Changing &>(changing).changed);
        for (Rank rank = 0; rank < ranks; ++rank) {
            const TreeExchange &exchange = world.at(rank).exchange();
            EXPECT_TRUE(!exchange.stopped() || world.failed() == ranks);
            EXPECT_TRUE(exchange.told() || world.at(rank).outcome(0) == Outcome::failed);
            untold += exchange.told() ? 0 : 1;
        }
    }
    EXPECT_GT(untold, scaled(100));
}

} // namespace
} // namespace nbrhood::test
