// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/pair_switch.h"

#include <algorithm>
#include <utility>

namespace nbrhood {
namespace {

constexpr std::uint32_t kLastSurvey = 1U << 31; // no numbers of calls overflow
constexpr std::uint32_t kMostWatches = 16;      // between surveys, in multiples of the first
// A message for a pair of the graph that has no bytes costs nearly as much as one with bytes; with
// two of five, programs that alternate between two sets of neighbours have a graph, too.
constexpr std::uint64_t kUsedOfFive = 2;
constexpr std::uint64_t kMostOutside = 16; // one message in so many

// Whether enough of the pairs have bytes in a call, in the mean.
bool are_used(std::uint64_t pairs, const PairFacts &all, std::uint64_t calls)
{
    return pairs > 0 && 5 * all.messages >= kUsedOfFive * pairs * calls;
}

} // namespace

PairSwitch::PairSwitch(Rank rank, Rank ranks, const PairTerms &terms, Post &post,
                       std::function<std::uint32_t()> propose)
    : rank_(rank), ranks_(ranks), terms_(terms), post_(&post), propose_(std::move(propose)),
      next_(terms.window - 1), interval_(terms.watch)
{}

void PairSwitch::begin(std::uint32_t parameters)
{
    survey_.emplace(
        rank_, ranks_, *post_,
        [this](const PairFacts &all) {
            decide(all);
            return all.equal;
        },
        propose_);
    survey_->begin(PairFacts(seen_, parameters));
    conclude();
}

void PairSwitch::arrived(Rank peer, std::vector<std::int32_t> words)
{
    survey_->arrived(peer, std::move(words));
    conclude();
}

// Chooses from the facts of all ranks, which are the same on each of them.
void PairSwitch::decide(const PairFacts &all)
{
    all_ = all;
    new_graph_ = false;
    if (!pays(all, ranks_, terms_.limits)) {
        chosen_ = PairServing::displaced;
    } else if (serving_ == PairServing::graph && kMostOutside * all.outside <= all.messages
               && are_used(graph_pairs_, all, seen_.calls())) {
        chosen_ = PairServing::graph;
    } else if (graphs_ < kPairGraphs && are_used(all.pairs, all, seen_.calls())) {
        chosen_ = PairServing::graph;
        new_graph_ = true;
    } else {
        chosen_ = PairServing::pairs;
    }
}

void PairSwitch::conclude()
{
    if (survey_->runs()) {
        return;
    }
    changed_ = surveys_ == 0 || chosen_ != serving_ || new_graph_;
    before_ = serving_;
    serving_ = chosen_;
    if (new_graph_) {
        graph_ = seen_.lists();
        graph_pairs_ = all_.pairs;
        ++graphs_;
    }
    seen_ = {};
    first_ = survey_->first().value_or(0);
    interval_ = changed_ ? terms_.watch : std::min(2 * interval_, kMostWatches * terms_.watch);
    next_ = !all_.equal || interval_ == 0 || first_ > kLastSurvey
                ? kNever
                : first_ + std::max(interval_, terms_.window);
    ++surveys_;
}

std::uint32_t PairSwitch::quiet_until() const
{
    if (surveys_ == 0 || runs()) {
        return 0;
    }
    return next_ == kNever ? kNever : next_ - (terms_.window - 1);
}

} // namespace nbrhood
