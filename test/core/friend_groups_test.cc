// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The matching of ranks into friend groups, and the plan of each rank.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "algorithms/common_neighbor/friend_search.h"
#include "support.h"

namespace nbrhood::test {
namespace {

constexpr std::int64_t kMost = 1024; // the parameter's default
constexpr std::int64_t kAll = 1 << 20;

std::vector<Sender> random_senders(Random &random, int ranks, double density, int destinations)
{
    std::vector<Sender> senders;
    for (Rank rank = 0; rank < ranks; ++rank) {
        Sender sender{rank, {}};
        for (Rank other = 0; other < destinations; ++other) {
            if (other != rank && chance(random, density)) {
                sender.destinations.push_back(other);
            }
        }
        senders.push_back(sender);
    }
    return senders;
}

std::vector<Rank> common_of(const std::vector<std::vector<Rank>> &active,
                            const std::vector<Rank> &group)
{
    std::vector<Rank> common = active[static_cast<std::size_t>(group.front())];
    for (const Rank member : group) {
        std::vector<Rank> fewer;
        const auto &other = active[static_cast<std::size_t>(member)];
        std::set_intersection(common.begin(), common.end(), other.begin(), other.end(),
                              std::back_inserter(fewer));
        common = fewer;
    }
    return common;
}

// Algorithm 3 as printed in the paper: every rank asks the heaviest group that it can still join,
// and tells its other groups when it has joined one, or none is left.
class NegotiatingRank {
public:
    using Group = std::vector<Rank>;
    struct Signal {
        Rank from = kNoRank;
        Rank to = kNoRank;
        Group group; // none: drop
    };

    NegotiatingRank(Rank self, std::deque<Signal> &mail) : self_(self), mail_(mail) {}

    void add(int weight, const Group &group) { groups_.insert({-weight, group}); }
    void begin() { ask(); }

    void take(const Signal &signal)
    {
        if (matched_) {
            return;
        }
        if (!signal.group.empty()) {
            requests_.insert({signal.from, signal.group});
        } else {
            const bool was_first = !groups_.empty() && has(groups_.begin()->second, signal.from);
            for (auto group = groups_.begin(); group != groups_.end();) {
                group = has(group->second, signal.from) ? groups_.erase(group) : std::next(group);
            }
            if (was_first) {
                ask();
            }
        }
        conclude();
    }

    const Group &group() const { return group_; }

private:
    static bool has(const Group &group, Rank rank)
    {
        return std::binary_search(group.begin(), group.end(), rank);
    }

    void ask()
    {
        if (!groups_.empty()) {
            for (const Rank other : groups_.begin()->second) {
                if (other != self_) {
                    mail_.push_back({self_, other, groups_.begin()->second});
                }
            }
        }
    }

    void conclude()
    {
        if (groups_.empty()) {
            return;
        }
        const Group &first = groups_.begin()->second;
        if (!std::all_of(first.begin(), first.end(), [&](Rank other) {
                return other == self_ || requests_.count({other, first}) != 0;
            })) {
            return;
        }
        matched_ = true;
        group_ = first;
        std::set<Rank> others;
        for (const auto &entry : groups_) {
            others.insert(entry.second.begin(), entry.second.end());
        }
        for (const Rank other : others) {
            if (!has(group_, other)) {
                mail_.push_back({self_, other, {}});
            }
        }
    }

    Rank self_;
    std::deque<Signal> &mail_;
    std::set<std::pair<int, Group>> groups_;    // B, the heaviest first
    std::set<std::pair<Rank, Group>> requests_; // R
    bool matched_ = false;
    Group group_;
};

// All groups of k ranks with more than k active neighbours in common.
void add_groups(const std::vector<std::vector<Rank>> &active, std::size_t k,
                std::vector<Rank> &group, std::vector<NegotiatingRank> &ranks)
{
    if (group.size() == k) {
        const std::size_t weight = common_of(active, group).size();
        for (const Rank member : group) {
            if (weight > k) {
                ranks[static_cast<std::size_t>(member)].add(static_cast<int>(weight), group);
            }
        }
        return;
    }
    for (Rank next = group.empty() ? 0 : group.back() + 1; next < static_cast<Rank>(active.size());
         ++next) {
        group.push_back(next);
        add_groups(active, k, group, ranks);
        group.pop_back();
    }
}

// The groups of one build step by negotiation, with signals delivered in any order.
std::set<std::vector<Rank>> negotiate(const std::vector<std::vector<Rank>> &active, int k,
                                      Random &random)
{
    std::deque<NegotiatingRank::Signal> mail;
    std::vector<NegotiatingRank> ranks;
    for (std::size_t rank = 0; rank < active.size(); ++rank) {
        ranks.emplace_back(static_cast<Rank>(rank), mail);
    }
    std::vector<Rank> group;
    add_groups(active, static_cast<std::size_t>(k), group, ranks);
    for (NegotiatingRank &rank : ranks) {
        rank.begin();
    }
    while (!mail.empty()) {
        // Signals of one pair keep their order.
        const auto drawn = static_cast<std::size_t>(random() % mail.size());
        const auto first = std::find_if(mail.begin(), mail.end(), [&](const auto &signal) {
            return signal.from == mail[drawn].from && signal.to == mail[drawn].to;
        });
        const NegotiatingRank::Signal signal = *first;
        mail.erase(first);
        ranks[static_cast<std::size_t>(signal.to)].take(signal);
    }
    std::set<std::vector<Rank>> groups;
    for (const NegotiatingRank &rank : ranks) {
        if (!rank.group().empty()) {
            groups.insert(rank.group());
        }
    }
    return groups;
}

TEST(FriendGroups, AreThoseThatThePapersNegotiationFinds)
{
    std::size_t found = 0;
    for (int seed = 0; seed < scaled(400) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 2, 10);
        const int k = draw(random, 2, 4);
        const auto senders =
            random_senders(random, ranks, draw(random, 2, 9) / 10.0, draw(random, 5, 40));
        const FriendMatching matching = match_friends(senders, k, kAll);
        EXPECT_FALSE(matching.bounded);
        std::vector<std::vector<Rank>> active;
        for (const Sender &sender : senders) {
            active.push_back(sender.destinations);
        }
        for (const auto &groups : matching.steps) {
            std::set<std::vector<Rank>> expected = negotiate(active, k, random), got;
            for (const FriendGroup &group : groups) {
                ++found;
                got.insert(group.friends);
                EXPECT_EQ(group.common, common_of(active, group.friends));
            }
            EXPECT_EQ(got, expected);
            EXPECT_EQ(got.size(), groups.size());
            for (const FriendGroup &group : groups) {
                for (const Rank member : group.friends) {
                    auto &left = active[static_cast<std::size_t>(member)];
                    const auto is_done = [&](Rank rank) {
                        return std::count(group.common.begin(), group.common.end(), rank) != 0
                               || std::count(group.friends.begin(), group.friends.end(), rank) != 0;
                    };
                    left.erase(std::remove_if(left.begin(), left.end(), is_done), left.end());
                }
            }
        }
        EXPECT_TRUE(negotiate(active, k, random).empty()) << "groups are left";
    }
    EXPECT_GT(found, static_cast<std::size_t>(scaled(400)));
}

// If few candidates are allowed, groups are grown; the results are still valid groups.
TEST(FriendGroups, AreDisjointAndHaveEnoughInCommonWithAnyBound)
{
    int bounded = 0;
    for (int seed = 0; seed < scaled(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 1000);
        const int ranks = draw(random, 2, 40);
        const int k = draw(random, 2, 8);
        const auto senders = random_senders(random, ranks, 0.7, 100);
        const FriendMatching matching =
            match_friends(senders, k, std::int64_t{1} << draw(random, 0, 12));
        bounded += matching.bounded ? 1 : 0;
        for (const auto &groups : matching.steps) {
            EXPECT_FALSE(groups.empty());
            std::set<Rank> members;
            for (const FriendGroup &group : groups) {
                EXPECT_EQ(group.friends.size(), static_cast<std::size_t>(k));
                EXPECT_GT(group.common.size(), static_cast<std::size_t>(k));
                EXPECT_TRUE(std::is_sorted(group.friends.begin(), group.friends.end()));
                members.insert(group.friends.begin(), group.friends.end());
            }
            EXPECT_EQ(members.size(), groups.size() * static_cast<std::size_t>(k));
        }
        const auto plans = plan_friends(senders, matching);
        std::int64_t edges = 0;
        for (const Sender &sender : senders) {
            edges += static_cast<std::int64_t>(sender.destinations.size());
        }
        EXPECT_LE(count_messages(senders, plans), edges);
    }
    EXPECT_GT(bounded, scaled(50));
}

// Equation 1: m / k messages to common neighbours and k - 1 to friends, one more for some.
TEST(FriendGroups, DivideTheirCommonNeighbours)
{
    for (int k = 2; k <= kMostFriends; ++k) {
        for (int m : {k + 1, 2 * k, 7 * k - 1}) {
            std::vector<Sender> senders;
            for (Rank rank = 0; rank < k; ++rank) {
                Sender sender{rank, {}};
                for (Rank common = 0; common < m; ++common) {
                    sender.destinations.push_back(100 + common);
                }
                senders.push_back(sender);
            }
            const FriendMatching matching = match_friends(senders, k, kMost);
            ASSERT_EQ(matching.steps.size(), 1U);
            const auto plans = plan_friends(senders, matching);
            Rank next = 100; // the i-th part goes to the i-th friend
            for (int i = 0; i < k; ++i) {
                const FriendPlan &plan = plans[static_cast<std::size_t>(i)];
                EXPECT_EQ(plan.friends.size(), static_cast<std::size_t>(k - 1));
                EXPECT_EQ(plan.relayed.size(),
                          static_cast<std::size_t>(m / k + (i < m % k ? 1 : 0)));
                EXPECT_EQ(plan.through.size(), static_cast<std::size_t>(m));
                for (const auto &[destination, sources] : plan.relayed) {
                    EXPECT_EQ(destination, next++);
                    EXPECT_EQ(sources.size(), static_cast<std::size_t>(k));
                }
            }
        }
    }
}

// Section VI-B: at density 0.05 there is hardly any group with k = 3, at 0.2 with k = 6; figure 8.
TEST(FriendGroups, OfRandomGraphsAreFewWhereThePaperFindsFew)
{
    const auto count = [](double density, int k) {
        Random random(1);
        const auto senders = random_senders(random, 1024, density, 1024);
        std::size_t groups = 0;
        for (auto node = senders.begin(); node != senders.end(); node += 32) {
            for (const auto &step : match_friends({node, node + 32}, k, kMost).steps) {
                groups += step.size();
            }
        }
        return groups;
    };
    EXPECT_GT(count(0.05, 2), 1000U);
    EXPECT_LT(count(0.05, 3), 50U);
    EXPECT_EQ(count(0.05, 4), 0U);
    EXPECT_GT(count(0.2, 4), 500U);
    EXPECT_LT(count(0.2, 6), 5U);
    EXPECT_GT(count(0.8, 6), 1000U);
}

int chosen_size(const std::vector<Sender> &senders)
{
    WorkSlice all = WorkSlice::endless();
    FriendSearch search(senders, 0, kMost);
    EXPECT_TRUE(search.go_on(all));
    return search.matching().k;
}

TEST(FriendGroups, AreLargerWhereGraphsAreDenser)
{
    // Best in figure 8b of the paper: 2 at densities of 0.05 and 0.2, 3 at 0.4, 4 at 0.8.
    std::vector<int> sizes;
    for (const double density : {0.05, 0.2, 0.4, 0.8}) {
        Random random(2);
        std::vector<Sender> senders = random_senders(random, 32, density, 1024);
        sizes.push_back(chosen_size(senders));
    }
    EXPECT_EQ(sizes[0], 2);
    EXPECT_EQ(sizes[1], 2);
    EXPECT_EQ(sizes[2], 3);
    EXPECT_GE(sizes[3], 4);
    EXPECT_LE(sizes[3], 5);
    EXPECT_EQ(chosen_size({}), 2);
}

// The search proceeds in short turns, and finds the same as in a single one.
TEST(FriendGroups, DoNotDependOnWhereTheSearchIsCut)
{
    int turns = 0;
    for (int seed = 0; seed < scaled(200) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 2000);
        const int ranks = draw(random, 0, 80);
        const auto senders = random_senders(random, ranks, draw(random, 2, 9) / 10.0, 100);
        const int k = chance(random, 0.3) ? 0 : draw(random, 1, 8);
        const std::int64_t most = std::int64_t{1} << draw(random, 0, 8);
        WorkSlice all = WorkSlice::endless();
        FriendSearch whole(senders, k, most), cut(senders, k, most);
        ASSERT_TRUE(whole.go_on(all));
        for (bool more = true; more; ++turns) {
            WorkSlice turn(draw(random, 1, 10000));
            more = !cut.go_on(turn);
        }
        const auto groups_of = [](const FriendMatching &matching) {
            std::vector<std::vector<Rank>> groups;
            for (const auto &step : matching.steps) {
                groups.emplace_back();
                for (const FriendGroup &group : step) {
                    groups.push_back(group.friends);
                    groups.push_back(group.common);
                }
            }
            return groups;
        };
        EXPECT_EQ(cut.matching().k, whole.matching().k);
        EXPECT_EQ(cut.matching().bounded, whole.matching().bounded);
        EXPECT_EQ(groups_of(cut.matching()), groups_of(whole.matching()));
        ASSERT_EQ(cut.plans().size(), whole.plans().size());
        for (std::size_t i = 0; i < senders.size(); ++i) {
            EXPECT_EQ(cut.plans()[i].friends, whole.plans()[i].friends);
            EXPECT_EQ(cut.plans()[i].through, whole.plans()[i].through);
            EXPECT_EQ(cut.plans()[i].relayed, whole.plans()[i].relayed);
        }
    }
    EXPECT_GT(turns, scaled(2000));
}

TEST(FriendGroups, PlansAreReadAsTheyWereWritten)
{
    Random random(3);
    for (int round = 0; round < scaled(100); ++round) {
        const int ranks = draw(random, 2, 30);
        const auto senders = random_senders(random, ranks, 0.6, 40);
        const auto plans = plan_friends(senders, match_friends(senders, draw(random, 2, 5), kMost));
        for (std::size_t i = 0; i < plans.size(); ++i) {
            WordWriter words;
            plans[i].put(words);
            WordReader reader(words.words());
            const FriendPlan read = FriendPlan::take(reader, senders[i], 40);
            reader.expect_end();
            EXPECT_EQ(read.friends, plans[i].friends);
            EXPECT_EQ(read.through, plans[i].through);
            EXPECT_EQ(read.relayed, plans[i].relayed);
        }
    }
}

// Wrong plans: a send to a rank that is no out-neighbour, a relay for strangers, a missing block.
TEST(FriendGroups, PlansThatCannotBeAreRefused)
{
    const Sender own{1, {3, 4, 5, 6}};
    FriendPlan right;
    right.friends = {0, 3};
    right.through = {{3, 3}, {4, 1}, {5, 0}};
    right.relayed = {{4, {0, 1}}};
    const auto accepted = [&](const FriendPlan &plan) {
        WordWriter words;
        plan.put(words);
        WordReader reader(words.words());
        try {
            FriendPlan::take(reader, own, 8);
            return true;
        } catch (const BadMessage &) {
            return false;
        }
    };
    EXPECT_TRUE(accepted(right));
    std::vector<FriendPlan> wrong(13, right);
    wrong[0].friends = {0, 1, 3};     // itself
    wrong[1].friends = {3, 0};        // out of order
    wrong[2].friends = {0, 3, 8};     // no rank
    wrong[3].through.erase(3);        // a friend that is an out-neighbour
    wrong[4].through[3] = 1;          // the same
    wrong[5].through[5] = 7;          // a stranger relays
    wrong[6].through[7] = 0;          // no out-neighbour
    wrong[7].through[6] = 1;          // but no such message
    wrong[8].relayed[7] = {0, 1};     // no out-neighbour
    wrong[9].relayed[5] = {0, 1};     // which another relays
    wrong[10].relayed[4] = {0};       // one block
    wrong[11].relayed[4] = {0, 1, 2}; // of a stranger
    wrong[12].relayed[4] = {1, 0};    // out of order
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        EXPECT_FALSE(accepted(wrong[i])) << i;
    }
}

} // namespace
} // namespace nbrhood::test
