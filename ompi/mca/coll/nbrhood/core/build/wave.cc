// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/wave.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "graph/neighbourhood.h"

namespace nbrhood {
namespace {

enum WaveWord : std::int32_t { kWave = 1, kAnswer, kGoOn, kNoGain };
constexpr std::int32_t kAllFound = kLeavesRegion | kOneWay | kOddCycle;

bool is_before(std::int32_t a, std::int32_t b)
{
    const auto key = [](std::int32_t end) {
        return std::pair(mix(static_cast<std::uint64_t>(end)), end);
    };
    return key(a) < key(b);
}

// The number that identifies the waves of a rank.
std::int32_t number_of(Rank rank, EndKind role)
{
    return role == EndKind::ranks ? rank : 2 * rank + (role == EndKind::senders ? 0 : 1);
}

EndKind other_end(EndKind role)
{
    return role == EndKind::ranks     ? EndKind::ranks
           : role == EndKind::senders ? EndKind::receivers
                                      : EndKind::senders;
}

} // namespace

Wave::Wave(Rank rank, EndKind role, std::vector<Rank> neighbours, Post &post, Refuse refuse)
    : self_(number_of(rank, role)), neighbours_(std::move(neighbours)), peer_kind_(other_end(role)),
      post_(post), refuse_(std::move(refuse))
{}

void Wave::begin(std::int32_t own, std::optional<RankSummary> summary)
{
    own_ = found_ = own;
    rank_summary_ = std::move(summary);
    open_ = neighbours_.size();
    for (const Rank peer : neighbours_) {
        post_.expect(peer, Channel::wave);
    }
    if (std::any_of(neighbours_.begin(), neighbours_.end(),
                    [&](Rank peer) { return number_of(peer, peer_kind_) < self_; })) {
        return;
    }
    root_ = self_;
    for (const Rank peer : neighbours_) {
        send_wave(peer, false);
    }
}

void Wave::send_wave(Rank peer, bool answer)
{
    WordWriter words;
    words.put_all({static_cast<std::int32_t>(peer_kind_), answer ? kAnswer : kWave, *root_,
                   odd_ ? 1 : 0, members_, found_});
    if (rank_summary_) {
        words.put(rank_summary_->node());
        if (answer) {
            answered_.merge(rank_summary_->summary());
            answered_.put(words);
        }
    }
    post_.send(peer, Channel::wave, words.take());
}

void Wave::arrived(Rank peer, WordReader words)
{
    const std::int32_t kind = words.take(kWave, kNoGain);
    if (kind == kGoOn || kind == kNoGain) { // the last message of this neighbour
        --open_;
        const std::int32_t members = words.take();
        const std::int32_t found = words.take(0, kAllFound);
        if (words.left() != 0 && !decision_) {
            refusal_ = Refusal::take(words);
        }
        conclude(kind == kGoOn, members, found);
        return;
    }
    post_.expect(peer, Channel::wave);
    const std::int32_t root = words.take();
    if (decision_ || (root_ && is_before(*root_, root))) {
        return; // overtaken by another wave
    }
    const bool odd = words.take_flag();
    const std::int32_t members = words.take(1, std::numeric_limits<std::int32_t>::max() - members_);
    const std::int32_t found = words.take(0, kAllFound);
    if (rank_summary_) {
        rank_summary_->add_neighbour(peer, words.take());
    }
    if (root != root_) {
        follow(root, peer, !odd);
    } else if (kind == kAnswer) {
        children_.push_back(peer);
        members_ += members;
        found_ |= found;
        if (rank_summary_) {
            answered_.merge(GraphSummary::take(words));
        }
    } else if (odd == odd_) { // so are the paths from the root to both ends of this edge
        found_ |= kOddCycle;
    }
    if (++received_ == neighbours_.size()) {
        answer();
    }
}

// Called when all neighbours have answered or follow the same wave: answers the parent, or at the
// root sends the decision to all.
void Wave::answer()
{
    if (root_ != self_) {
        send_wave(parent_, true);
        return;
    }
    const bool leaves = (found_ & kLeavesRegion) != 0;
    if (leaves && rank_summary_) {
        answered_.merge(rank_summary_->summary());
        refusal_ = refuse_(answered_);
    }
    conclude(leaves && !refusal_, members_, found_);
}

void Wave::follow(std::int32_t root, Rank peer, bool odd)
{
    root_ = root;
    parent_ = peer;
    odd_ = odd;
    children_.clear();
    members_ = 1;
    received_ = 0;
    found_ = own_;
    answered_ = {};
    for (const Rank other : neighbours_) {
        if (other != peer) {
            send_wave(other, false);
        }
    }
}

// The decision goes over every edge, so that each rank knows when a neighbour sends no more waves.
void Wave::conclude(bool go_on, std::int32_t members, std::int32_t found)
{
    if (decision_) {
        return;
    }
    decision_ = go_on;
    members_ = members;
    found_ = found;
    WordWriter words;
    words.put_all({static_cast<std::int32_t>(peer_kind_), go_on ? kGoOn : kNoGain, members, found});
    if (refusal_) {
        refusal_->put(words);
    }
    for (const Rank peer : neighbours_) {
        post_.send(peer, Channel::wave, words.words());
    }
}

} // namespace nbrhood
