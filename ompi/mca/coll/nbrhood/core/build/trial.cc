// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/trial.h"

#include <algorithm>
#include <cmath>

#include "pattern/message_words.h"

namespace nbrhood {
namespace {

constexpr double kClearly = 1.05; // slower by less does not count

constexpr std::size_t kKindSums = 1 + kTrialBlocks;
constexpr std::size_t kSums = 2 * kKindSums + 1;

// Calls that were in flight together, in one block.
struct Group {
    bool is_whole = true; // else some of them are in another block
    double calls = 0;
    double seconds = 0;

    double mean() const { return seconds / calls; }
    void add(const Group &other)
    {
        calls += other.calls;
        seconds += other.seconds;
    }
};

using Blocks = std::array<std::vector<Group>, kTrialBlocks>;

// Keeps each block's shortest time so far in `best`, for calls and for starts. A round counts only
// if all ranks measured it.
void take_least(const std::vector<std::uint64_t> &sums, std::vector<std::uint64_t> *best)
{
    const std::uint64_t ranks = best->back() = sums.back();
    for (std::size_t kind = 0; kind < 2 * kKindSums; kind += kKindSums) {
        if (sums[kind] != ranks) {
            continue;
        }
        const bool is_first = (*best)[kind] != ranks;
        (*best)[kind] = ranks;
        for (std::size_t block = kind + 1; block < kind + kKindSums; ++block) {
            (*best)[block] = is_first ? sums[block] : std::min((*best)[block], sums[block]);
        }
    }
}

Blocks group(const std::vector<Period> &periods)
{
    const std::size_t each = periods.size() / kTrialBlocks;
    Blocks blocks;
    for (std::size_t i = 0; i < each * kTrialBlocks; ++i) {
        const std::size_t in_block = i % each;
        std::vector<Group> &groups = blocks[i / each];
        if (in_block == 0) {
            continue;
        }
        if (in_block == 1 || periods[i].alone) {
            groups.push_back({periods[i].alone});
        }
        groups.back().add({true, 1, periods[i].seconds});
        if (in_block == each - 1) { // nothing is known after the last block
            const bool ends =
                i + 1 < periods.size() ? periods[i + 1].alone : groups.size() == in_block;
            groups.back().is_whole = groups.back().is_whole && ends;
        }
    }
    return blocks;
}

// The lower quartile of the times of calls, nanoseconds. Incomplete groups are a last resort, since
// the application's time for the group may be in its other block.
std::uint64_t lower_quartile(std::vector<Group> groups)
{
    Group all;
    std::for_each(groups.begin(), groups.end(), [&](const Group &one) { all.add(one); });
    groups.erase(std::remove_if(groups.begin(), groups.end(),
                                [](const Group &one) { return !one.is_whole; }),
                 groups.end());
    std::sort(groups.begin(), groups.end(),
              [](const Group &a, const Group &b) { return a.mean() < b.mean(); });
    double quarter = 0;
    for (const Group &one : groups) {
        quarter += one.calls / 4;
    }
    const auto is_beyond = [&](const Group &one) { return (quarter -= one.calls) <= 0; };
    const auto found = std::find_if(groups.begin(), groups.end(), is_beyond);
    const Group &typical = found != groups.end() ? *found : all;
    return static_cast<std::uint64_t>(std::llround(typical.mean() * 1e9));
}

} // namespace

Periods typical_periods(const std::vector<Period> &periods)
{
    if (periods.size() / kTrialBlocks < 2) {
        return std::nullopt;
    }
    const Blocks blocks = group(periods);
    std::array<std::uint64_t, kTrialBlocks> typical{};
    std::transform(blocks.begin(), blocks.end(), typical.begin(), lower_quartile);
    return typical;
}

TrialResult compare_sums(const std::vector<std::uint64_t> &sums, bool is_last)
{
    if (sums.size() != kSums || sums.back() == 0) {
        throw BadMessage("not the sums of a trial");
    }
    const std::uint64_t ranks = sums.back();
    std::array<double, kTrialBlocks> seconds{};
    TrialResult result;
    for (std::size_t kind = 0; kind < 2; ++kind) {
        const std::uint64_t *of_kind = &sums[kind * kKindSums];
        if (of_kind[0] != ranks) {
            continue;
        }
        result.measured = true;
        for (std::size_t block = 0; block < kTrialBlocks; ++block) {
            seconds[block] +=
                static_cast<double>(of_kind[1 + block]) * 1e-9 / static_cast<double>(ranks);
        }
    }
    result.direct_seconds = (seconds[0] + seconds[2]) / 2;
    result.pattern_seconds = (seconds[1] + seconds[3]) / 2;
    const bool pattern_is_slower =
        seconds[1] > kClearly * seconds[0] && seconds[3] > kClearly * seconds[2];
    const bool pattern_is_faster =
        seconds[0] > kClearly * seconds[1] && seconds[2] > kClearly * seconds[3];
    result.decided = pattern_is_slower || pattern_is_faster || is_last || !result.measured;
    if (pattern_is_slower || pattern_is_faster) {
        result.keep = pattern_is_faster;
    } else {
        result.keep = result.pattern_seconds <= kClearly * result.direct_seconds;
    }
    return result;
}

void Trial::begin(const Measured &own)
{
    own_.assign(kSums, 0);
    std::size_t at = 0;
    for (const Periods *periods : {&own.calls, &own.starts}) {
        if (*periods) {
            own_[at] = 1;
            std::copy((*periods)->begin(), (*periods)->end(),
                      own_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
        at += kKindSums;
    }
    own_.back() = 1;
    ++rounds_;
    stage_ = Stage::measured;
    tree_.await(tree_.children());
    advance();
}

void Trial::arrived(Rank peer, std::vector<std::int32_t> words)
{
    tree_.arrived(peer, std::move(words));
    advance();
}

void Trial::advance()
{
    while (stage_ != Stage::rests && tree_.complete()) {
        switch (stage_) {
        case Stage::measured:
            stage_ = Stage::total;
            tree_.send_up(tree_.add(own_));
            break;
        case Stage::total:
            take_total(tree_.message());
            break;
        case Stage::counts:
            stage_ = Stage::first;
            tree_.send_up(tree_.greatest(counts_));
            break;
        case Stage::first:
            tree_.send_down(tree_.message());
            first_ = Tree::read_counts(tree_.message());
            stage_ = Stage::rests;
            break;
        case Stage::rests:
            return;
        }
    }
}

void Trial::take_total(const std::vector<std::int32_t> &words)
{
    tree_.send_down(words);
    const std::vector<std::uint64_t> sums = Tree::read_sums(words);
    if (sums.size() != kSums) {
        throw BadMessage("not the sums of a trial");
    }
    best_.resize(kSums);
    take_least(sums, &best_);
    result_ = compare_sums(best_, rounds_ == kTrialRounds);
    const bool is_early = rounds_ < kRoundsToDrop && !result_.keep;
    if (is_early || (rounds_ == 1 && !result_.measured)) {
        result_.decided = false;
    }
    counts_ = propose_();
    stage_ = Stage::counts;
    tree_.await(tree_.children());
}

} // namespace nbrhood
