// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Builders that decline, and builders that fail in any superstep: nobody waits forever.
#include <gtest/gtest.h>

#include "analysis/lockstep.h"
#include "support.h"

namespace nbrhood::test {
namespace {

TEST(BuilderFailures, DecliningLeavesAllRanksDeclined)
{
    for (int seed = 0; seed < scaled(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 24);
        int asked = 0;
        std::vector<Traffic> seen;
        Construction declined(random_graph(random, ranks), random_machine(random, ranks),
                              random_tuning(random), all_tasks(),
                              [&](const std::vector<Traffic> &totals, bool /*one_size*/) {
                                  ++asked;
                                  seen = totals;
                                  return std::vector<char>(totals.size(), 0);
                              });
        ASSERT_NO_THROW(run_lockstep(declined.builders()));
        bool any = false;
        for (std::size_t r = 0; r < declined.builders().size(); ++r) {
            if (declined.has_edges(r)) {
                any = true;
                for (std::size_t task = 0; task < seen.size(); ++task) {
                    ASSERT_EQ(declined.outcome(r, task), Outcome::declined) << "rank " << r;
                    ASSERT_EQ(words_of(declined.traffic(r, task)), words_of(seen[task]));
                }
            }
        }
        ASSERT_EQ(asked, any ? 1 : 0) << "one rank decides for all";
    }
}

// A superstep that every such rank has: members send their edges and receive their operations;
// leaders collect and distribute as well.
int last_certain_step(const Construction &construction, Rank rank)
{
    const Machine &machine = construction.machine();
    for (Rank member : machine.members(machine.region_of(rank))) {
        if (construction.has_edges(static_cast<std::size_t>(member))) {
            return member == rank ? 2 : 1;
        }
    }
    return -1;
}

void fail_everywhere(Random &random, bool in_random_order)
{
    const int ranks = draw(random, 1, 10);
    const Graph graph = random_graph(random, ranks);
    const Machine machine = random_machine(random, ranks);
    const Tuning tuning = random_tuning(random);
    std::vector<Task> tasks = all_tasks();
    tasks.resize(static_cast<std::size_t>(draw(random, 1, 4)));
    for (Rank victim = 0; victim < ranks; ++victim) {
        for (int step = 0; step < 6; ++step) {
            SCOPED_TRACE("rank " + std::to_string(victim) + ", step " + std::to_string(step));
            Construction failing(graph, machine, tuning, tasks, {}, victim, step);
            if (in_random_order) {
                ASSERT_GE(run_in_random_order(failing.builders(), random), 0);
            } else {
                ASSERT_NO_THROW(run_lockstep(failing.builders()));
            }
            const auto v = static_cast<std::size_t>(victim);
            if (failing.has_edges(v) && step <= last_certain_step(failing, victim)) {
                ASSERT_EQ(failing.outcome(v), Outcome::failed);
            }
        }
    }
}

TEST(BuilderFailures, OfAnyRankInAnyStepEndTheProtocol)
{
    for (int seed = 0; seed < scaled(80) && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 100);
        fail_everywhere(random, false);
    }
}

TEST(BuilderFailures, EndTheProtocolInAnyOrderOfSteps)
{
    for (int seed = 0; seed < scaled(40) && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 200);
        fail_everywhere(random, true);
    }
}

// If a rank fails before labels are known, no rank uses the pattern.
TEST(BuilderFailures, InTheFirstStepReachAllRanks)
{
    Random random(1);
    const Graph graph = match(dense_lists(random, 12, 0.5));
    const Machine machine = make_machine({4, 4, 4});
    for (Rank victim = 0; victim < 12; ++victim) {
        Construction failing(graph, machine, Tuning{}, all_tasks(), {}, victim, 0);
        run_lockstep(failing.builders());
        for (std::size_t r = 0; r < failing.builders().size(); ++r) {
            EXPECT_EQ(failing.outcome(r), Outcome::failed);
        }
    }
}

// A stub of a builder: expects a message from a rank that never writes.
class Waiting : public Builder {
public:
    Step step(const std::vector<Message> &) override { return Step{{}, {0}, false}; }
    Outcome outcome(std::size_t /*task*/) const override { return Outcome::built; }
    Traffic traffic(std::size_t /*task*/) const override { return {}; }
    bool one_size() const override { return false; }
    Pattern take_pattern(std::size_t /*task*/) override { return {}; }
};

class Writing : public Waiting {
public:
    explicit Writing(Rank to) : to_(to) {}
    Step step(const std::vector<Message> &) override
    {
        return Step{{Message{to_, false, {}}}, {}, true};
    }

private:
    Rank to_;
};

TEST(Lockstep, ReportsBuildersThatWaitLeaveMessagesOrWriteToNoRank)
{
    std::vector<std::unique_ptr<Builder>> waiting, unread, nowhere;
    waiting.push_back(std::make_unique<Waiting>());
    unread.push_back(std::make_unique<Writing>(0));
    nowhere.push_back(std::make_unique<Writing>(1));
    EXPECT_THROW(run_lockstep(waiting), std::runtime_error);
    EXPECT_THROW(run_lockstep(unread), std::runtime_error);
    EXPECT_THROW(run_lockstep(nowhere), std::runtime_error);
}

} // namespace
} // namespace nbrhood::test
