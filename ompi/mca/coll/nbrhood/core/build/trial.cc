// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/trial.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "pattern/message_words.h"

namespace nbrhood {
namespace {

constexpr double kClearly = 1.05; // slower by less does not count
constexpr double kSteady = 1.25;  // largest ratio of the two blocks of one way in a steady round
constexpr int kLeadToWin = 4;

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

using BlockSeconds = std::array<double, kTrialBlocks>;

// The mean over ranks, with calls and starts added; nothing if some rank measured neither.
std::optional<BlockSeconds> mean_seconds(const std::vector<std::uint64_t> &sums)
{
    if (sums.size() != kSums || sums.back() == 0) {
        throw BadMessage("not the sums of a trial");
    }
    const std::uint64_t ranks = sums.back();
    std::optional<BlockSeconds> seconds;
    for (std::size_t kind = 0; kind < 2 * kKindSums; kind += kKindSums) {
        if (sums[kind] != ranks) {
            continue;
        }
        if (!seconds) {
            seconds.emplace();
        }
        for (std::size_t block = 0; block < kTrialBlocks; ++block) {
            // At least a nanosecond, for the logarithm.
            (*seconds)[block] += std::max(1.0, static_cast<double>(sums[kind + 1 + block])) * 1e-9
                                 / static_cast<double>(ranks);
        }
    }
    return seconds;
}

// Comparisons that the pattern has won, less those that direct messages have won.
int pattern_wins(const BlockSeconds &seconds)
{
    int wins = 0;
    for (std::size_t direct = 0; direct < kTrialBlocks; direct += 2) {
        const double pattern_seconds = seconds[direct + 1];
        wins += kClearly * pattern_seconds < seconds[direct] ? 1 : 0;
        wins -= kClearly * seconds[direct] < pattern_seconds ? 1 : 0;
    }
    return wins;
}

bool is_steady(const BlockSeconds &seconds)
{
    const auto [direct_least, direct_most] = std::minmax(seconds[0], seconds[2]);
    const auto [pattern_least, pattern_most] = std::minmax(seconds[1], seconds[3]);
    return direct_most < kSteady * direct_least && pattern_most < kSteady * pattern_least;
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

void TrialScore::add(const std::vector<std::uint64_t> &sums)
{
    const std::optional<BlockSeconds> seconds = mean_seconds(sums);
    ++rounds_;
    if (seconds) {
        lead_ += (is_steady(*seconds) ? 2 : 1) * pattern_wins(*seconds);
        direct_log_ += std::log((*seconds)[0]) + std::log((*seconds)[2]);
        pattern_log_ += std::log((*seconds)[1]) + std::log((*seconds)[3]);
        blocks_ += 2;
        result_.measured = true;
        result_.direct_seconds = std::exp(direct_log_ / blocks_);
        result_.pattern_seconds = std::exp(pattern_log_ / blocks_);
    }
    result_.keep = lead_ >= 0;
    result_.decided = std::abs(lead_) >= kLeadToWin || rounds_ == kTrialRounds
                      || (rounds_ == 2 && !result_.measured);
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
    score_.add(Tree::read_sums(words));
    counts_ = propose_();
    stage_ = Stage::counts;
    tree_.await(tree_.children());
}

} // namespace nbrhood
