// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/common_neighbor/friend_matching.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace nbrhood {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

} // namespace

FriendMatcher::FriendMatcher(const std::vector<Sender> &senders, int k, std::int64_t most)
    : senders_(senders), k_(static_cast<std::size_t>(k)), most_(static_cast<std::size_t>(most)),
      budget_(most_ * senders.size())
{
    result_.k = k;
    if (k < 2) {
        result_.k = 0;
        stage_ = Stage::ended;
    }
}

bool FriendMatcher::go_on(WorkSlice &slice)
{
    while (stage_ != Stage::ended && !slice.used_up()) {
        switch (stage_) {
        case Stage::columns:
            find_columns(slice);
            break;
        case Stage::rows:
            make_rows(slice);
            break;
        case Stage::groups:
            list_groups(slice);
            break;
        case Stage::pairs:
            list_pairs(slice);
            break;
        case Stage::weigh:
            weigh(slice);
            break;
        case Stage::sort:
            sort(slice);
            break;
        case Stage::choose:
            choose(slice);
            break;
        case Stage::ended:
            break;
        }
    }
    return stage_ == Stage::ended;
}

// Prepares a stage that begins.
void FriendMatcher::enter(Stage stage)
{
    stage_ = stage;
    next_ = 0;
    switch (stage) {
    case Stage::groups:
        width_ = k_;
        looks_left_ = budget_;
        break;
    case Stage::pairs:
        result_.bounded = true;
        width_ = 2;
        candidates_.clear();
        branches_.clear();
        group_.clear();
        break;
    case Stage::weigh:
        weights_.clear();
        kept_.clear();
        place_of_.assign(columns_.size() + 1, 0);
        break;
    case Stage::sort:
        order_.resize(weights_.size());
        count_heavier();
        break;
    case Stage::choose:
        taken_.assign(senders_.size(), 0);
        looks_left_ = budget_;
        chosen_.clear();
        break;
    default:
        break;
    }
}

// ---- The friendship matrix ----

void FriendMatcher::find_columns(WorkSlice &slice)
{
    for (; next_ < senders_.size() && !slice.used_up(); ++next_) {
        for (const Rank destination : senders_[next_].destinations) {
            const auto rank = static_cast<std::size_t>(destination);
            if (rank >= column_of_.size()) {
                column_of_.resize(rank + 1, kNone);
            }
            column_of_[rank] = 0;
        }
        slice.spend(senders_[next_].destinations.size() + 1);
    }
    if (next_ < senders_.size()) {
        return;
    }
    for (std::size_t rank = 0; rank < column_of_.size(); ++rank) {
        if (column_of_[rank] != kNone) {
            column_of_[rank] = static_cast<std::uint32_t>(columns_.size());
            columns_.push_back(static_cast<Rank>(rank));
        }
    }
    enter(Stage::rows);
}

void FriendMatcher::make_rows(WorkSlice &slice)
{
    for (; next_ < senders_.size() && !slice.used_up(); ++next_) {
        rows_.emplace_back((columns_.size() + 63) / 64, 0);
        for (const Rank destination : senders_[next_].destinations) {
            const std::uint32_t column = column_of_[static_cast<std::size_t>(destination)];
            rows_.back()[column / 64] |= std::uint64_t{1} << column % 64;
        }
        slice.spend(rows_.back().size() + senders_[next_].destinations.size() + 1);
    }
    if (next_ == senders_.size()) {
        enter(Stage::groups);
    }
}

Columns FriendMatcher::common_of(const Members &members) const
{
    Columns common(rows_[members.front()]), fewer;
    for (std::size_t i = 1; i < members.size(); ++i) {
        fewer.cut(common, rows_[members[i]]);
        std::swap(common, fewer);
    }
    return common;
}

// ---- Candidates ----

// Lists all groups of k with enough common neighbours, in lexicographic order; falls back to pairs
// if that is too much work.
void FriendMatcher::list_groups(WorkSlice &slice)
{
    while (!slice.used_up()) {
        slice.spend(1);
        bool few_enough = true;
        if (branches_.empty()) {
            if (next_ == senders_.size()) {
                result_.candidates = static_cast<std::int64_t>(candidates_.size() / k_);
                enter(Stage::weigh);
                return;
            }
            group_.assign(1, next_);
            Members others(senders_.size() - ++next_);
            std::iota(others.begin(), others.end(), next_);
            few_enough = branch(Columns(rows_[next_ - 1]), others, slice);
        } else if (Branch &last = branches_.back(); last.at == last.next.size()) {
            branches_.pop_back();
            group_.pop_back();
        } else {
            const std::size_t other = last.next[last.at++];
            group_.push_back(other);
            if (group_.size() == k_) {
                add_candidate(group_);
                group_.pop_back();
            } else {
                Columns fewer;
                fewer.cut(last.common, rows_[other]);
                const auto rest = last.next.begin() + static_cast<std::ptrdiff_t>(last.at);
                few_enough = branch(fewer, {rest, last.next.end()}, slice);
            }
        }
        if (!few_enough) {
            enter(Stage::pairs);
            return;
        }
    }
}

// Begins the groups that start with the members of `group_`; others: the members that may follow.
// False if that is too much work.
bool FriendMatcher::branch(const Columns &common, const Members &others, WorkSlice &slice)
{
    if (looks_left_ < others.size()) {
        return false;
    }
    looks_left_ -= others.size();
    slice.spend(others.size() * (common.words() + 1));
    Branch branch;
    for (const std::size_t other : others) {
        if (enough(common.count_common(rows_[other]))) {
            branch.next.push_back(other);
        }
    }
    branch.common = common;
    branches_.push_back(std::move(branch));
    return true;
}

// Lists pairs to grow groups from.
void FriendMatcher::list_pairs(WorkSlice &slice)
{
    for (; next_ < senders_.size() && !slice.used_up(); ++next_) {
        const Columns own(rows_[next_]);
        const std::size_t end = std::min(senders_.size(), next_ + 1 + most_);
        for (std::size_t second = next_ + 1; second < end; ++second) {
            if (enough(own.count_common(rows_[second]))) {
                add_candidate({next_, second});
            }
        }
        slice.spend((end - next_) * (own.words() + 1));
    }
    if (next_ == senders_.size()) {
        enter(Stage::weigh);
    }
}

// ---- One build step ----

// Counts the common neighbours of each candidate. Removes candidates that have too few now, and
// those that were dropped.
void FriendMatcher::weigh(WorkSlice &slice)
{
    for (; next_ * width_ < candidates_.size() && !slice.used_up(); ++next_) {
        const std::uint32_t *const members = candidate(next_), *const last = members + width_ - 1;
        if (next_ == 0 || !std::equal(members, last, candidate(next_ - 1))) {
            common_ = common_of({members, last});
            slice.spend(width_ * rows_.front().size());
        }
        const int weight = common_.count_common(rows_[*last]);
        if (enough(weight) && (dropped_.empty() || dropped_[next_] == 0)) {
            weights_.push_back(weight);
            ++place_of_[static_cast<std::size_t>(weight)];
            kept_.insert(kept_.end(), members, last + 1);
        }
        slice.spend(common_.words() + 1);
    }
    if (next_ * width_ >= candidates_.size()) {
        std::swap(candidates_, kept_);
        dropped_.assign(weights_.size(), 0);
        enter(Stage::sort);
    }
}

// Turns the number of candidates of each weight into the number of heavier candidates.
void FriendMatcher::count_heavier()
{
    std::size_t heavier = 0;
    for (auto place = place_of_.rbegin(); place != place_of_.rend(); ++place) {
        heavier += std::exchange(*place, heavier);
    }
}

void FriendMatcher::sort(WorkSlice &slice)
{
    for (; next_ < weights_.size() && !slice.used_up(); ++next_) {
        order_[place_of_[static_cast<std::size_t>(weights_[next_])]++] = next_;
        slice.spend(1);
    }
    if (next_ == weights_.size()) {
        enter(Stage::choose);
    }
}

// Chooses the heaviest groups of free senders, one after the other.
void FriendMatcher::choose(WorkSlice &slice)
{
    for (; next_ < order_.size() && !slice.used_up(); ++next_) {
        choose(order_[next_], slice);
    }
    if (next_ >= order_.size()) {
        end_step();
    }
}

void FriendMatcher::choose(std::size_t number, WorkSlice &slice)
{
    slice.spend(width_);
    const std::uint32_t *const begin = candidate(number), *const end = begin + width_;
    if (std::any_of(begin, end, [&](auto member) { return taken_[member] != 0; })) {
        return;
    }
    Members group(begin, end);
    if (grow(group, slice)) {
        for (const std::size_t member : group) {
            taken_[member] = 1;
        }
        chosen_.push_back(std::move(group));
    } else if (looks_left_ == 0) {
        order_.clear(); // the step ends
    } else if (chosen_.empty()) {
        dropped_[number] = 1;
    }
}

// Adds free senders to a pair until there are k; false if too few keep enough neighbours, or the
// budget is used up.
bool FriendMatcher::grow(Members &group, WorkSlice &slice)
{
    if (group.size() == k_) {
        return true;
    }
    Columns common = common_of(group), fewer;
    while (group.size() < k_) {
        if (looks_left_ < senders_.size()) {
            looks_left_ = 0;
            return false;
        }
        looks_left_ -= senders_.size();
        slice.spend(senders_.size() * (common.words() + 1));
        std::size_t best = 0;
        int most = 0;
        for (std::size_t other = 0; other < senders_.size(); ++other) {
            if (taken_[other] == 0 && std::find(group.begin(), group.end(), other) == group.end()) {
                const int count = common.count_common(rows_[other]);
                if (count > most) {
                    most = count;
                    best = other;
                }
            }
        }
        if (!enough(most)) {
            return false;
        }
        group.push_back(best);
        fewer.cut(common, rows_[best]);
        std::swap(common, fewer);
    }
    std::sort(group.begin(), group.end());
    return true;
}

void FriendMatcher::end_step()
{
    if (chosen_.empty()) {
        stage_ = Stage::ended;
        return;
    }
    std::vector<FriendGroup> groups;
    groups.reserve(chosen_.size());
    for (const Members &group : chosen_) {
        groups.push_back(take_out(group));
    }
    result_.steps.push_back(std::move(groups));
    enter(Stage::weigh);
}

// Removes the destinations that a group serves from the rows of its members.
FriendGroup FriendMatcher::take_out(const Members &members)
{
    FriendGroup group;
    const Columns common = common_of(members);
    common.for_each([&](std::size_t column) { group.common.push_back(columns_[column]); });
    for (const std::size_t member : members) {
        group.friends.push_back(senders_[member].rank);
    }
    for (const std::size_t member : members) {
        common.remove_from(rows_[member]);
        for (const Rank other : group.friends) {
            const auto rank = static_cast<std::size_t>(other);
            const std::uint32_t column = rank < column_of_.size() ? column_of_[rank] : kNone;
            if (column != kNone) {
                rows_[member][column / 64] &= ~(std::uint64_t{1} << column % 64);
            }
        }
    }
    return group;
}

FriendMatching match_friends(const std::vector<Sender> &senders, int k, std::int64_t most)
{
    WorkSlice all = WorkSlice::endless();
    FriendMatcher matcher(senders, k, most);
    matcher.go_on(all);
    return matcher.take();
}

} // namespace nbrhood
