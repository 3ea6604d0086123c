// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/distance_halving/agent_selection.h"

#include <algorithm>
#include <utility>

namespace nbrhood {
namespace {

// The number of best candidates that an origin keeps.
constexpr std::size_t kKept = 16;

int count_shared(const AgentSearch::Row &a, const AgentSearch::Row &b)
{
    int count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        count += __builtin_popcountll(a[i] & b[i]);
    }
    return count;
}

} // namespace

bool AgentSelector::Pair::operator<(const Pair &other) const
{
    if (shared != other.shared) {
        return shared < other.shared;
    }
    if (origin != other.origin) {
        return origin > other.origin;
    }
    return candidate > other.candidate;
}

AgentSelector::AgentSelector(AgentSearch search, int most_origins)
    : search_(std::move(search)), most_origins_(most_origins), agents_(search_.origins.size(), -1),
      load_(search_.candidates.size(), 0), best_(search_.origins.size())
{}

bool AgentSelector::go_on(WorkSlice &slice)
{
    for (; most_ <= most_origins_; ++most_, next_ = 0) {
        for (; next_ < agents_.size(); ++next_) {
            if (slice.used_up()) {
                return false;
            }
            slice.spend(1);
            if (agents_[next_] < 0) {
                best_[next_].clear();
                offer_next(static_cast<int>(next_), slice);
            }
        }
        while (!offers_.empty()) {
            if (slice.used_up()) {
                return false;
            }
            slice.spend(1);
            const Pair pair = offers_.top();
            offers_.pop();
            match(pair, slice);
        }
    }
    return true;
}

// Matches the best remaining pair.
void AgentSelector::match(const Pair &pair, WorkSlice &slice)
{
    const auto candidate = static_cast<std::size_t>(pair.candidate);
    if (taken(candidate)) {
        offer_next(pair.origin, slice);
    } else {
        ++load_[candidate];
        agents_[static_cast<std::size_t>(pair.origin)] = pair.candidate;
    }
}

// Offers the best free candidate of an origin. An origin's offer is never worse than its best
// remaining pair, so the first pair with a free candidate is the best of all.
void AgentSelector::offer_next(int origin, WorkSlice &slice)
{
    std::vector<Pair> &best = best_[static_cast<std::size_t>(origin)];
    while (!best.empty() && taken(static_cast<std::size_t>(best.back().candidate))) {
        best.pop_back();
    }
    if (best.empty()) {
        find_best(origin, best, slice);
    }
    if (!best.empty()) {
        offers_.push(best.back());
        best.pop_back();
    }
}

// Finds the best few free candidates, the best one last.
void AgentSelector::find_best(int origin, std::vector<Pair> &best, WorkSlice &slice) const
{
    const AgentSearch::Row &row = search_.origins[static_cast<std::size_t>(origin)];
    slice.spend(search_.candidates.size() * (row.size() + 1));
    for (std::size_t i = 0; i < search_.candidates.size(); ++i) {
        const AgentSearch::Row &other = search_.candidates[i];
        if (taken(i) || other.empty()) {
            continue;
        }
        const Pair pair{count_shared(row, other), origin, static_cast<int>(i)};
        if (pair.shared == 0 || (best.size() == kKept && pair < best.front())) {
            continue;
        }
        best.insert(std::upper_bound(best.begin(), best.end(), pair), pair);
        if (best.size() > kKept) {
            best.erase(best.begin());
        }
    }
}

std::vector<std::int32_t> Samples::bits_of(const std::vector<int> &positions) const
{
    std::vector<std::int32_t> bits(words_, 0);
    auto next = std::lower_bound(positions.begin(), positions.end(), begin_);
    for (; next != positions.end() && *next < end_; ++next) {
        if ((*next - begin_) % stride_ == 0) {
            const auto bit = static_cast<std::size_t>((*next - begin_) / stride_);
            bits[bit / 32] = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits[bit / 32])
                                                       | 1U << bit % 32);
        }
    }
    return bits;
}

AgentSearch::Row Samples::take_row(WordReader &words) const
{
    AgentSearch::Row row((words_ + 1) / 2, 0);
    for (std::size_t i = 0; i < words_; ++i) {
        row[i / 2] |= std::uint64_t{static_cast<std::uint32_t>(words.take())} << i % 2 * 32;
    }
    return row;
}

std::vector<int> select_agents(AgentSearch search, int most_origins)
{
    WorkSlice all = WorkSlice::endless();
    AgentSelector selector(std::move(search), most_origins);
    selector.go_on(all);
    return selector.agents();
}

} // namespace nbrhood
