// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/toolkit/delivery.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <unordered_map>

namespace nbrhood {

Delivery::Delivery(const BuildInput &input, const std::vector<Rank> &participants, int kind)
    : self_(input.neighbourhood->rank), kind_(kind), messages_(self_),
      place_of_(static_cast<std::size_t>(input.ranks), -1)
{
    // All ranks iterate over all participants, which takes about as long as the bundles. So there
    // is no list for each node, and no search while consecutive ranks are on one node.
    const std::size_t most = input.tuning.ranks_per_core > 1 ? participants.size() : kGroup;
    struct Node {
        std::size_t ranks = 0;
        std::size_t groups = 0; // on earlier nodes
    };
    std::vector<Node> nodes;        // in the order of their first participants
    std::vector<std::size_t> index; // by participant: the index of its node
    index.reserve(participants.size());
    std::unordered_map<std::int32_t, std::size_t> known;
    std::int32_t last = 0;
    for (const Rank rank : participants) {
        const std::int32_t node = input.known_ranks->of(rank).place.node;
        if (index.empty() || node != last) {
            index.push_back(known.emplace(node, nodes.size()).first->second);
            nodes.resize(known.size());
            last = node;
        } else {
            index.push_back(index.back());
        }
        ++nodes[index.back()].ranks;
    }
    std::size_t groups = 0;
    for (Node &node : nodes) {
        node.groups = groups;
        groups += (node.ranks + most - 1) / most;
        node.ranks = 0;
    }
    leaders_.resize(groups);
    for (std::size_t i = 0; i < participants.size(); ++i) {
        Node &node = nodes[index[i]];
        const std::size_t own = node.groups + node.ranks / most;
        if (node.ranks++ % most == 0) {
            leaders_[own] = participants[i];
        }
        place_of_[static_cast<std::size_t>(participants[i])] = static_cast<std::int32_t>(own);
    }
    if (self_ == leader()) {
        std::copy_if(participants.begin(), participants.end(), std::back_inserter(members_),
                     [&](Rank rank) { return rank != self_ && place(rank) == place(self_); });
    }
}

void Delivery::send(Rank destination, std::vector<std::int32_t> words)
{
    if (!participates(destination)) {
        throw std::invalid_argument("a message to a rank that does not participate");
    }
    if (destination == self_) {
        delivered_.push_back({self_, std::move(words)});
    } else {
        parcels_.push_back({self_, destination, std::move(words)});
    }
}

bool Delivery::may_come(Rank peer, Rank source, Rank destination) const
{
    if (!participates(source) || !participates(destination)) {
        return false;
    }
    const std::size_t all = way(source, destination);
    switch (stage_) {
    case Stage::up:
        return source == peer && destination != peer;
    case Stage::round: // it has covered the distance of the rounds so far
        return (all & bit_) != 0 && (all & (2 * bit_ - 1)) == way(source, self_);
    case Stage::down:
        return destination == self_ && source != self_;
    default:
        return false;
    }
}

void Delivery::receive(const std::vector<Message> &inbox)
{
    for (const Message &bundle : inbox) {
        WordReader words = messages_.open(kind_, bundle);
        while (words.left() != 0) {
            const Rank source = words.take();
            const Rank destination = words.take();
            if (!may_come(bundle.peer, source, destination)) {
                throw BadMessage("a message that lost its way");
            }
            if (destination == self_) {
                delivered_.push_back({source, words.take_group().copy()});
            } else {
                parcels_.push_back({source, destination, words.take_group().copy()});
            }
        }
    }
}

void Delivery::put(const Parcel &parcel, WordWriter &words)
{
    words.put(parcel.source);
    words.put(parcel.destination);
    words.put_group(parcel.words);
}

template <typename Travels>
Message Delivery::pack(Rank peer, bool failed, const Travels &travels)
{
    // Stable, so that messages of one source to one destination keep their order.
    const auto first = std::stable_partition(
        parcels_.begin(), parcels_.end(), [&](const Parcel &parcel) { return !travels(parcel); });
    WordWriter words;
    std::for_each(first, parcels_.end(), [&](const Parcel &parcel) { put(parcel, words); });
    parcels_.erase(first, parcels_.end());
    return messages_.write(kind_, peer, failed, words.words());
}

std::optional<Step> Delivery::next(bool failed)
{
    return self_ == leader() ? next_of_leader(failed) : next_of_member(failed);
}

std::optional<Step> Delivery::next_of_member(bool failed)
{
    if (stage_ == Stage::down) {
        return std::nullopt;
    }
    stage_ = Stage::down;
    const auto all = [](const Parcel &) { return true; };
    return Step{{pack(leader(), failed, all)}, {leader()}, false};
}

std::optional<Step> Delivery::next_of_leader(bool failed)
{
    Step step;
    if (stage_ == Stage::start && !members_.empty()) {
        stage_ = Stage::up;
        step.expect = members_;
        return step;
    }
    if (stage_ == Stage::round) {
        bit_ *= 2;
    }
    const std::size_t groups = leaders_.size();
    if (stage_ != Stage::end && bit_ < groups) {
        stage_ = Stage::round;
        const std::size_t own = place(self_);
        step.outbox.push_back(
            pack(leaders_[(own + bit_) % groups], failed, [&](const Parcel &parcel) {
                return (way(parcel.source, parcel.destination) & bit_) != 0;
            }));
        step.expect.push_back(leaders_[(own + groups - bit_) % groups]);
        return step;
    }
    if (stage_ == Stage::end || members_.empty()) {
        return std::nullopt;
    }
    stage_ = Stage::end; // no bundle is expected any more
    std::unordered_map<Rank, WordWriter> words;
    for (const Parcel &parcel : parcels_) {
        put(parcel, words[parcel.destination]);
    }
    parcels_.clear();
    for (const Rank member : members_) {
        step.outbox.push_back(messages_.write(kind_, member, failed, words[member].words()));
    }
    return step;
}

std::vector<Delivered> Delivery::take()
{
    std::stable_sort(delivered_.begin(), delivered_.end(),
                     [](const Delivered &a, const Delivered &b) { return a.source < b.source; });
    return std::move(delivered_);
}

} // namespace nbrhood
