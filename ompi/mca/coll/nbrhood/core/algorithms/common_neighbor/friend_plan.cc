// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/common_neighbor/friend_plan.h"

#include <algorithm>

namespace nbrhood {
namespace {

void require_plan(bool right)
{
    if (!right) {
        throw BadMessage("friends that do not fit their rank");
    }
}

bool contains(const std::vector<Rank> &sorted, Rank rank)
{
    return std::binary_search(sorted.begin(), sorted.end(), rank);
}

// Reads a list of ranks in ascending order, all below `ranks`.
std::vector<Rank> take_ascending(WordReader words, Rank ranks)
{
    std::vector<Rank> taken;
    while (words.left() != 0) {
        taken.push_back(words.take(taken.empty() ? 0 : taken.back() + 1, ranks - 1));
    }
    return taken;
}

} // namespace

FriendPlanner::FriendPlanner(const std::vector<Sender> &senders, const FriendMatching &matching)
    : senders_(senders), plans_(senders.size())
{
    for (std::size_t i = 0; i < senders.size(); ++i) {
        place_[senders[i].rank] = i;
    }
    for (const auto &groups : matching.steps) {
        for (const FriendGroup &group : groups) {
            groups_.push_back(&group);
        }
    }
}

bool FriendPlanner::go_on(WorkSlice &slice)
{
    // The work of an entry in a map, in words.
    constexpr std::size_t kEntry = 50;
    for (; befriended_ < groups_.size() && !slice.used_up(); ++befriended_) {
        const std::size_t friends = groups_[befriended_]->friends.size();
        befriend(*groups_[befriended_]);
        slice.spend(friends * friends + kEntry);
    }
    for (; made_ < senders_.size() && !slice.used_up(); ++made_) {
        make_friends(senders_[made_], plans_[made_]);
        slice.spend(plans_[made_].friends.size() * kEntry + 1);
    }
    for (; divided_ < groups_.size() && !slice.used_up(); ++divided_) {
        divide(*groups_[divided_]);
        slice.spend(groups_[divided_]->common.size() * groups_[divided_]->friends.size() * kEntry);
    }
    return divided_ == groups_.size() && made_ == senders_.size();
}

void FriendPlanner::befriend(const FriendGroup &group)
{
    for (const Rank one : group.friends) {
        std::vector<Rank> &friends = plan(one).friends;
        friends.insert(friends.end(), group.friends.begin(), group.friends.end());
    }
}

// Friends that are out-neighbours get the block in the exchange of friends.
void FriendPlanner::make_friends(const Sender &sender, FriendPlan &plan)
{
    std::vector<Rank> &friends = plan.friends;
    std::sort(friends.begin(), friends.end());
    friends.erase(std::unique(friends.begin(), friends.end()), friends.end());
    friends.erase(std::remove(friends.begin(), friends.end(), sender.rank), friends.end());
    for (const Rank other : friends) {
        if (contains(sender.destinations, other)) {
            plan.through[other] = other;
        }
    }
}

void FriendPlanner::divide(const FriendGroup &group)
{
    const std::size_t part = group.common.size() / group.friends.size();
    const std::size_t larger = group.common.size() % group.friends.size();
    auto destination = group.common.begin();
    for (std::size_t i = 0; i < group.friends.size(); ++i) {
        for (std::size_t left = part + (i < larger ? 1 : 0); left > 0; --left) {
            assign(*destination++, group.friends[i], group.friends);
        }
    }
}

void FriendPlanner::assign(Rank destination, Rank relay, const std::vector<Rank> &friends)
{
    std::vector<Rank> sources;
    for (const Rank source : friends) {
        if (!contains(plan(source).friends, destination)) {
            sources.push_back(source);
        }
    }
    if (sources.size() < 2) {
        return;
    }
    for (const Rank source : sources) {
        plan(source).through[destination] = relay;
    }
    plan(relay).relayed[destination] = std::move(sources);
}

std::vector<FriendPlan> plan_friends(const std::vector<Sender> &senders,
                                     const FriendMatching &matching)
{
    WorkSlice all = WorkSlice::endless();
    FriendPlanner planner(senders, matching);
    planner.go_on(all);
    return planner.take();
}

std::int64_t count_messages(const std::vector<Sender> &senders,
                            const std::vector<FriendPlan> &plans)
{
    std::size_t messages = 0;
    for (std::size_t i = 0; i < senders.size(); ++i) {
        messages += senders[i].destinations.size() - plans[i].through.size()
                    + plans[i].friends.size() + plans[i].relayed.size();
    }
    return static_cast<std::int64_t>(messages);
}

void Sender::put(WordWriter &words) const
{
    words.put(rank);
    words.put_group(destinations);
}

Sender Sender::take(WordReader &words, Rank ranks)
{
    Sender sender;
    sender.rank = words.take(0, ranks - 1);
    sender.destinations = take_ascending(words.take_group(), ranks);
    require_plan(!contains(sender.destinations, sender.rank));
    return sender;
}

void Notification::put(WordWriter &words) const
{
    words.put(from);
    words.put(static_cast<std::int32_t>(blocks));
}

Notification Notification::take(WordReader &words, Rank ranks)
{
    Notification notification;
    notification.from = words.take(kNoRank, ranks - 1);
    notification.blocks = static_cast<std::size_t>(words.take(0, kMostFriends));
    return notification;
}

Notification FriendPlan::notification_for(Rank destination) const
{
    const auto way = through.find(destination);
    const auto combined = relayed.find(destination);
    return Notification{way != through.end() ? way->second : kNoRank,
                        combined != relayed.end() ? combined->second.size() : 0};
}

void FriendPlan::put(WordWriter &words) const
{
    words.put_group(friends);
    words.put(static_cast<std::int32_t>(through.size()));
    for (const auto &[destination, from] : through) {
        words.put(destination);
        words.put(from);
    }
    words.put(static_cast<std::int32_t>(relayed.size()));
    for (const auto &[destination, sources] : relayed) {
        words.put(destination);
        words.put_group(sources);
    }
}

FriendPlan FriendPlan::take(WordReader &words, const Sender &own, Rank ranks)
{
    FriendPlan plan;
    plan.friends = take_ascending(words.take_group(), ranks);
    require_plan(!contains(plan.friends, own.rank));
    const auto is_one_of_us = [&](Rank rank) {
        return rank == own.rank || contains(plan.friends, rank);
    };
    for (std::size_t left = words.take_count(2); left > 0; --left) {
        const Rank destination = words.take();
        const Rank from = words.take();
        require_plan(contains(own.destinations, destination));
        // A friend gets the block from its source, others from friends.
        require_plan(contains(plan.friends, destination) ? from == destination
                                                         : is_one_of_us(from));
        require_plan(plan.through.emplace(destination, from).second);
    }
    for (const Rank one : plan.friends) {
        require_plan(!contains(own.destinations, one) || plan.through.count(one) != 0);
    }
    for (std::size_t left = words.take_count(3); left > 0; --left) {
        const Rank destination = words.take();
        std::vector<Rank> sources = take_ascending(words.take_group(), ranks);
        require_plan(contains(own.destinations, destination) && sources.size() > 1
                     && sources.size() <= kMostFriends
                     && std::all_of(sources.begin(), sources.end(), is_one_of_us)
                     && !contains(sources, destination));
        const auto found = plan.through.find(destination);
        require_plan(contains(sources, own.rank)
                     == (found != plan.through.end() && found->second == own.rank));
        require_plan(plan.relayed.emplace(destination, std::move(sources)).second);
    }
    for (const auto &entry : plan.through) {
        require_plan(entry.second != own.rank || plan.relayed.count(entry.first) != 0);
    }
    return plan;
}

} // namespace nbrhood
