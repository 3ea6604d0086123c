// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/common_neighbor/friend_operations.h"

#include <algorithm>

#include "algorithms/direct.h"

namespace nbrhood {
namespace {

void require_match(bool right)
{
    if (!right) {
        throw BadMessage("notifications that contradict each other");
    }
}

std::vector<Rank> other_ends(const std::vector<EdgeEnd> &ends, Rank self)
{
    std::set<Rank> others;
    for (const EdgeEnd &end : ends) {
        if (end.peer != kNoRank && end.peer != self) {
            others.insert(end.peer);
        }
    }
    return {others.begin(), others.end()};
}

// The staging of a pattern, and the copies out of it.
struct Staging {
    Pattern &pattern;
    std::vector<Operation> copies;

    // The place at which a block for these slots is received; passed_on: the block is also sent on.
    Slice place(const std::vector<std::uint32_t> &slots, bool passed_on)
    {
        if (!passed_on && slots.size() == 1) {
            return Slice{Space::receive, slots.front()};
        }
        const Slice staged{Space::staging, pattern.staging_blocks++};
        for (const std::uint32_t slot : slots) {
            copies.push_back(Operation{OperationKind::copy,
                                       Carry::direct,
                                       kRedistribute,
                                       kNoRank,
                                       0,
                                       {staged, Slice{Space::receive, slot}}});
        }
        return staged;
    }
};

} // namespace

NeighbourLinks::NeighbourLinks(const Neighbourhood &own)
    : sources_(other_ends(own.in, own.rank)), destinations_(other_ends(own.out, own.rank))
{
    for (std::uint32_t slot = 0; slot < own.in.size(); ++slot) {
        if (own.in[slot].peer != kNoRank) {
            receives_ = true;
            slots_[own.in[slot].peer].push_back(slot);
        }
    }
}

const std::vector<std::uint32_t> &NeighbourLinks::slots_of(Rank source) const
{
    static const std::vector<std::uint32_t> kNone;
    const auto found = slots_.find(source);
    return found != slots_.end() ? found->second : kNone;
}

FriendOperations::FriendOperations(const Neighbourhood &own, const NeighbourLinks &links,
                                   const FriendPlan &plan,
                                   const std::map<Rank, Notification> &notifications)
    : own_(own), links_(links), plan_(plan)
{
    read(notifications);
}

void FriendOperations::read(const std::map<Rank, Notification> &notifications)
{
    for (const auto &[source, told] : notifications) {
        const bool is_friend =
            std::binary_search(plan_.friends.begin(), plan_.friends.end(), source);
        require_match(is_friend == (told.from == own_.rank));
        if (told.from == kNoRank) {
            direct_.insert(source);
        } else if (!is_friend) {
            combined_[told.from].push_back(source);
        }
    }
    for (const auto &[source, told] : notifications) {
        const auto found = combined_.find(source);
        require_match(told.blocks == (found != combined_.end() ? found->second.size() : 0));
    }
    for (const auto &entry : combined_) {
        require_match(notifications.count(entry.first) != 0);
    }
}

void FriendOperations::append(Pattern &pattern) const
{
    std::set<Rank> passed_on;
    for (const auto &entry : plan_.relayed) {
        passed_on.insert(entry.second.begin(), entry.second.end());
    }
    Staging staging{pattern, {}};
    std::map<Rank, Slice> place{{own_.rank, Slice{Space::send, 0}}}; // of blocks to send, by source
    const auto add = [&](OperationKind kind, Phase phase, Rank peer, std::vector<Slice> slices) {
        pattern.operations.push_back(
            Operation{kind, Carry::combined, phase, peer, 0, std::move(slices)});
    };
    for (const Rank one : plan_.friends) {
        place[one] = staging.place(links_.slots_of(one), passed_on.count(one) != 0);
        add(OperationKind::receive, kGather, one, {place[one]});
    }
    for (const auto &[relay, sources] : combined_) {
        std::vector<Slice> slices;
        for (const Rank source : sources) {
            slices.push_back(staging.place(links_.slots_of(source), false));
        }
        add(OperationKind::receive, kRedistribute, relay, std::move(slices));
    }
    for (const Rank one : plan_.friends) {
        add(OperationKind::send, kGather, one, {place[own_.rank]});
    }
    for (const auto &[destination, sources] : plan_.relayed) {
        std::vector<Slice> slices;
        for (const Rank source : sources) {
            slices.push_back(place.at(source));
        }
        add(OperationKind::send, kRedistribute, destination, std::move(slices));
    }
    pattern.operations.insert(pattern.operations.end(), staging.copies.begin(),
                              staging.copies.end());
    append_edges_of(pattern);
}

// Appends the blocks that travel directly, always or if they are large.
void FriendOperations::append_edges_of(Pattern &pattern) const
{
    const Neighbourhood receives{own_.rank, own_.in, {}}, sends{own_.rank, {}, own_.out};
    const auto comes_directly = [&](Rank source) { return direct_.count(source) != 0; };
    const auto goes_directly = [&](Rank destination) {
        return plan_.through.count(destination) == 0;
    };
    append_edges(receives, Carry::direct, kLocal, comes_directly, pattern);
    append_edges(sends, Carry::direct, kLocal, goes_directly, pattern);
    append_edges(
        receives, Carry::direct_if_large, kLarge,
        [&](Rank source) { return !comes_directly(source); }, pattern);
    append_edges(
        sends, Carry::direct_if_large, kLarge,
        [&](Rank destination) { return !goes_directly(destination); }, pattern);
    append_self_copies(own_, pattern);
}

} // namespace nbrhood
