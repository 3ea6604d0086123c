#include "build/trial.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pattern/words.h"

namespace nbrhood {
namespace {

constexpr double kClearly = 1.05; // what takes so much longer is slower
constexpr double kOutlier = 10;   // medians

constexpr std::size_t kKindSums = 1 + kTrialBlocks;
constexpr std::size_t kSums = 2 * kKindSums + 1;

// Calls that were in flight together, in one block.
struct Group {
    std::size_t block = 0;
    double calls = 0;
    double seconds = 0;

    double mean() const { return seconds / calls; }
};

std::vector<Group> group(const std::vector<Period> &periods)
{
    const std::size_t each = periods.size() / kTrialBlocks;
    std::vector<Group> groups;
    for (std::size_t i = 0; i < each * kTrialBlocks; ++i) {
        const std::size_t in_block = i % each;
        if (in_block == 0) {
            continue;
        }
        if (in_block == 1 || periods[i].alone) {
            groups.push_back({i / each});
        }
        ++groups.back().calls;
        groups.back().seconds += periods[i].seconds;
    }
    return groups;
}

double median_call(std::vector<Group> groups)
{
    std::sort(groups.begin(), groups.end(),
              [](const Group &a, const Group &b) { return a.mean() < b.mean(); });
    double half = 0;
    for (const Group &one : groups) {
        half += one.calls / 2;
    }
    for (const Group &one : groups) {
        half -= one.calls;
        if (half <= 0) {
            return one.mean();
        }
    }
    return 0;
}

} // namespace

Periods mean_periods(const std::vector<Period> &periods)
{
    const std::size_t each = periods.size() / kTrialBlocks;
    if (each < 2) {
        return std::nullopt;
    }
    const std::vector<Group> groups = group(periods);
    const double most = kOutlier * median_call(groups);
    std::array<std::uint64_t, kTrialBlocks> means{};
    for (std::size_t block = 0; block < kTrialBlocks; ++block) {
        Group all, usual;
        for (const Group &one : groups) {
            if (one.block == block) {
                all.calls += one.calls;
                all.seconds += one.seconds;
            }
            if (one.block == block && one.mean() <= most) {
                usual.calls += one.calls;
                usual.seconds += one.seconds;
            }
        }
        const Group &counted = usual.calls > 0 ? usual : all;
        means[block] = static_cast<std::uint64_t>(std::llround(counted.mean() * 1e9));
    }
    return means;
}

Verdict judge(const std::vector<std::uint64_t> &sums, Promise promise, bool is_last)
{
    if (sums.size() != kSums || sums.back() == 0) {
        throw BadWords("not the sums of a trial");
    }
    const std::uint64_t ranks = sums.back();
    std::array<double, kTrialBlocks> seconds{};
    Verdict verdict;
    for (std::size_t kind = 0; kind < 2; ++kind) {
        const std::uint64_t *of_kind = &sums[kind * kKindSums];
        if (of_kind[0] != ranks) {
            continue;
        }
        verdict.measured = true;
        for (std::size_t block = 0; block < kTrialBlocks; ++block) {
            seconds[block] +=
                static_cast<double>(of_kind[1 + block]) * 1e-9 / static_cast<double>(ranks);
        }
    }
    verdict.direct_seconds = (seconds[0] + seconds[3]) / 2;
    verdict.pattern_seconds = (seconds[1] + seconds[2]) / 2;
    const bool pattern_is_slower =
        seconds[1] > kClearly * seconds[0] && seconds[2] > kClearly * seconds[3];
    const bool pattern_is_faster =
        seconds[0] > kClearly * seconds[1] && seconds[3] > kClearly * seconds[2];
    verdict.decided = pattern_is_slower || pattern_is_faster || is_last || !verdict.measured;
    if (pattern_is_slower || pattern_is_faster) {
        verdict.keep = pattern_is_faster;
    } else if (promise == Promise::gain) {
        verdict.keep = verdict.pattern_seconds <= kClearly * verdict.direct_seconds;
    } else {
        verdict.keep = verdict.direct_seconds > kClearly * verdict.pattern_seconds;
    }
    return verdict;
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
            take_total(tree_.inbox().front().words);
            break;
        case Stage::counts:
            stage_ = Stage::first;
            tree_.send_up(tree_.greatest(counts_));
            break;
        case Stage::first:
            tree_.send_down(tree_.inbox().front().words);
            first_ = Tree::read_counts(tree_.inbox().front().words);
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
        throw BadWords("not the sums of a trial");
    }
    sums_.resize(kSums);
    verdict_ = judge(sums, promise_, false);
    const bool is_surprise = promise_ == Promise::gain && verdict_.decided && !verdict_.keep;
    if (rounds_ == 1 && (is_surprise || !verdict_.measured)) {
        verdict_.decided = false;
    } else {
        std::transform(sums.begin(), sums.end(), sums_.begin(), sums_.begin(), std::plus<>());
        verdict_ = judge(sums_, promise_, rounds_ == kTrialRounds);
    }
    counts_ = freeze_();
    stage_ = Stage::counts;
    tree_.await(tree_.children());
}

} // namespace nbrhood
