// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/common_neighbor/friend_search.h"

#include <algorithm>

namespace nbrhood {
namespace {

// The sender in the middle and those that have most neighbours in common with it, by rank.
std::vector<Sender> sample_of(const std::vector<Sender> &senders)
{
    constexpr std::size_t kSample = 64;
    if (senders.size() <= kSample) {
        return senders;
    }
    const std::vector<Rank> &middle = senders[senders.size() / 2].destinations;
    const std::size_t end = middle.empty() ? 0 : static_cast<std::size_t>(middle.back()) + 1;
    std::vector<char> in_middle(end, 0); // by rank
    for (const Rank destination : middle) {
        in_middle[static_cast<std::size_t>(destination)] = 1;
    }
    std::vector<std::pair<std::ptrdiff_t, std::size_t>> by_common; // negative count, place
    for (std::size_t i = 0; i < senders.size(); ++i) {
        const std::vector<Rank> &other = senders[i].destinations;
        const auto common = std::count_if(other.begin(), other.end(), [&](Rank destination) {
            const auto rank = static_cast<std::size_t>(destination);
            return rank < end && in_middle[rank] != 0;
        });
        by_common.emplace_back(-common, i);
    }
    std::sort(by_common.begin(), by_common.end());
    by_common.resize(kSample);
    std::sort(by_common.begin(), by_common.end(),
              [](const auto &a, const auto &b) { return a.second < b.second; });
    std::vector<Sender> sample;
    sample.reserve(by_common.size());
    for (const auto &entry : by_common) {
        sample.push_back(senders[entry.second]);
    }
    return sample;
}

} // namespace

FriendSearch::FriendSearch(std::vector<Sender> senders, int k, std::int64_t most)
    : senders_(std::move(senders)), most_(most), chooses_(k == 0)
{
    if (chooses_) {
        sample_ = sample_of(senders_);
    }
    match(chooses_ ? 2 : k);
}

void FriendSearch::match(int k)
{
    planner_.reset();
    const std::int64_t most = chooses_ ? std::max<std::int64_t>(1, most_ / 8) : most_;
    matcher_.emplace(chooses_ ? sample_ : senders_, k, most);
}

bool FriendSearch::go_on(WorkSlice &slice)
{
    while (!slice.used_up()) {
        if (!planner_) {
            if (!matcher_->go_on(slice)) {
                return false;
            }
            matching_ = matcher_->take();
            planner_.emplace(chooses_ ? sample_ : senders_, matching_);
        }
        if (!planner_->go_on(slice)) {
            return false;
        }
        plans_ = planner_->take();
        if (!chooses_) {
            return true;
        }
        compare();
    }
    return false;
}

// Compares the k that was tried with the best so far; goes on with the next one, or with all
// senders.
void FriendSearch::compare()
{
    const std::int64_t messages = count_messages(sample_, plans_);
    if (messages < fewest_) {
        fewest_ = messages;
        best_ = matching_.k;
    }
    const int next = matching_.k + 1;
    chooses_ = next <= std::min(best_ + 2, kMostFriends);
    match(chooses_ ? next : best_);
}

} // namespace nbrhood
