// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "select/automatic.h"

#include <algorithm>
#include <limits>

namespace nbrhood {
namespace {

constexpr auto kSmallest = static_cast<std::size_t>(kSmallBlock);

// The expected size of blocks: the mean size in the call that began the build.
std::size_t usual_bytes(const Facts &facts)
{
    return facts.call_blocks > 0
               ? std::max(kSmallest, static_cast<std::size_t>(facts.call_bytes / facts.call_blocks))
               : kSmallest;
}

// The greatest size for which rows for large blocks are considered, bytes.
constexpr std::size_t kGreatestAsked = 16 << 20;

// A second pattern makes the creation longer, so it must gain more than the first.
constexpr double kWorthAnother = 0.75;

} // namespace

Automatic::Automatic(const Facts &facts, const Costs &costs, const ParameterValues &values,
                     double worth)
    : facts_(facts), costs_(costs), values_(values), worth_(worth),
      size_is_named_(values.get(kBlockBytes) != 0),
      expected_bytes_(size_is_named_ ? values.get(kBlockBytes) : usual_bytes(facts)),
      combining_threshold_(values.get(kCombiningThreshold)),
      packing_threshold_(values.get(kPackingThreshold))
{
    for (std::size_t bytes = kSmallest; bytes <= kGreatestThreshold; bytes *= 2) {
        sizes_.push_back(bytes);
    }
    sizes_.push_back(expected_bytes_);
    sizes_.push_back(most_combined());
    for (const Algorithm &row : registry()) {
        could_gain_.push_back(could_gain(row) ? 1 : 0);
        const SizeRange range = sizes_of(row);
        if (row.above != nullptr && could_gain_.back() == 0) {
            continue;
        }
        if (range.least > 0) {
            sizes_.push_back(range.least - 1);
        }
        if (range.most != kAnySize) {
            sizes_.push_back(range.most);
        }
        if (row.above != nullptr) { // larger sizes change nothing
            for (std::size_t bytes = range.least; bytes <= kGreatestAsked; bytes *= 2) {
                sizes_.push_back(bytes);
            }
        }
    }
    std::sort(sizes_.begin(), sizes_.end());
    sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
}

Reason Automatic::refuse_early(Collective collective) const
{
    const bool any = std::any_of(registry().begin(), registry().end(), [&](const Algorithm &row) {
        return expected_bytes_ <= most_served(row) && may_gain(row, collective);
    });
    return any                                 ? Reason::none
           : expected_bytes_ > most_combined() ? Reason::blocks_too_large
                                               : Reason::too_few_messages;
}

// The sizes of blocks for which `auto` may choose a row.
SizeRange Automatic::sizes_of(const Algorithm &row) const
{
    return row.above != nullptr ? SizeRange{values_.get(*row.above) + 1, kAnySize} : row.sizes;
}

// Combined blocks are staged, which takes memory; large blocks are not.
std::size_t Automatic::most_served(const Algorithm &row) const
{
    return row.above != nullptr ? kAnySize : most_combined();
}

std::size_t Automatic::asked_size(const Algorithm &row) const
{
    const SizeRange range = sizes_of(row);
    return size_is_named_ || row.above != nullptr
               ? expected_bytes_
               : std::clamp(expected_bytes_, range.least, range.most);
}

bool Automatic::could_gain(const Algorithm &row) const
{
    if (row.make_builder == nullptr || !may_choose(row)
        || !sizes_of(row).contains(asked_size(row))) {
        return false;
    }
    if (row.least == nullptr) {
        return true;
    }
    const std::optional<Traffic> least = row.least(facts_);
    return least
           && may_pay(*least, facts_, costs_, static_cast<double>(asked_size(row)),
                      packing_threshold(), worth(asked_size(row)));
}

bool Automatic::may_gain(const Algorithm &row, Collective collective) const
{
    return (row.serves & bit(collective)) != 0
           && (has_one_count(collective) || sizes_of(row).contains(expected_bytes_))
           && could_gain(row);
}

double Automatic::least_seconds(const Algorithm &row) const
{
    const std::optional<Traffic> least = row.least != nullptr ? row.least(facts_) : std::nullopt;
    return least ? nbrhood::relayed_seconds(
               *least, facts_, costs_, static_cast<double>(asked_size(row)), packing_threshold())
                 : 0;
}

std::vector<Maker> Automatic::order_makers(unsigned collectives) const
{
    std::vector<std::pair<double, Maker>> found;
    for (const Algorithm &row : registry()) {
        if (row.make_builder == nullptr) {
            continue;
        }
        double least = std::numeric_limits<double>::infinity();
        for (int c = 0; c < kCollectives; ++c) {
            const auto collective = static_cast<Collective>(c);
            if ((collectives & bit(collective)) != 0 && may_gain(row, collective)) {
                least = least_seconds(row);
            }
        }
        const auto same = std::find_if(found.begin(), found.end(), [&](const auto &entry) {
            return entry.second == row.make_builder;
        });
        if (same == found.end()) {
            found.emplace_back(least, row.make_builder);
        } else {
            same->first = std::min(same->first, least);
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Maker> makers(found.size());
    std::transform(found.begin(), found.end(), makers.begin(),
                   [](const auto &entry) { return entry.second; });
    return makers;
}

// The predicted time of a candidate; nothing if `auto` may not choose it or it does not pay.
std::optional<double> Automatic::predicted_time(const Counted &counted, std::size_t bytes) const
{
    const Algorithm &row = row_of(counted.choice);
    const auto size = static_cast<double>(bytes);
    if (bytes > most_served(row) || !sizes_of(row).contains(bytes)
        || could_gain_[static_cast<std::size_t>(counted.choice - kFirstRow)] == 0
        || !pays(counted.traffic, facts_, costs_, size, packing_threshold(), worth(bytes))) {
        return std::nullopt;
    }
    return nbrhood::relayed_seconds(counted.traffic, facts_, costs_, size, packing_threshold());
}

Automatic::Candidate Automatic::fastest(Collective collective, const std::vector<Counted> &counted,
                                        std::size_t bytes) const
{
    Candidate best;
    for (const Counted &one : counted) {
        if (one.kind != kind_of(collective) || !serves(one.choice, collective)) {
            continue;
        }
        const std::optional<double> seconds = predicted_time(one, bytes);
        if (seconds && (best.choice == kDirectChoice || *seconds < best.seconds)) {
            best = Candidate{one.choice, *seconds};
        }
    }
    return best;
}

int Automatic::fastest(Collective collective, const std::vector<Counted> &counted) const
{
    return fastest(collective, counted, expected_bytes_).choice;
}

SizeChoices Automatic::fastest_by_size(Collective collective,
                                       const std::vector<Counted> &counted) const
{
    const int usual = fastest(collective, counted);
    std::size_t let_through = 0;
    for (const Counted &one : counted) {
        if (one.choice == usual && one.kind == kind_of(collective)) {
            let_through = combining_threshold(row_of(usual), one.traffic);
        }
    }
    SizeChoices result;
    for (const std::size_t bytes : sizes_) {
        const int best = fastest(collective, counted, bytes).choice;
        const bool let = best == kDirectChoice && bytes <= let_through
                         && sizes_of(row_of(usual)).contains(bytes);
        append(result, {bytes, let ? usual : best});
    }
    const int largest = result.back().choice;
    const bool any = row_of(largest).above != nullptr;
    if (result.size() > kMostIntervals - 1) {
        result.resize(kMostIntervals - 1);
    }
    append(result, {kAnySize, any ? largest : kDirectChoice});
    return result;
}

std::vector<char> Automatic::worth_building(unsigned collectives, std::vector<Counted> built,
                                            const std::vector<Counted> &candidates,
                                            std::vector<char> wanted, bool one_size) const
{
    std::vector<Counted> all = built;
    all.insert(all.end(), candidates.begin(), candidates.end());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (wanted[i] != 0) {
            built.push_back(candidates[i]);
        }
    }
    const auto build_where = [&](const auto &wins) {
        for (int c = 0; c < kCollectives; ++c) {
            const auto collective = static_cast<Collective>(c);
            for (std::size_t i = 0; i < candidates.size(); ++i) {
                if ((collectives & bit(collective)) != 0 && wanted[i] == 0
                    && candidates[i].kind == kind_of(collective)
                    && wins(collective, candidates[i])) {
                    wanted[i] = 1;
                    built.push_back(candidates[i]);
                }
            }
        }
    };
    build_where([&](Collective collective, const Counted &candidate) {
        return fastest(collective, all) == candidate.choice;
    });
    build_where([&](Collective collective, const Counted &candidate) {
        return one_size && has_one_count(collective) && worth_adding(collective, built, candidate);
    });
    return wanted;
}

// Whether a further pattern is worth building for blocks of other sizes than the expected one.
bool Automatic::worth_adding(Collective collective, const std::vector<Counted> &built,
                             const Counted &more) const
{
    if (size_is_named_ || more.kind != kind_of(collective) || !serves(more.choice, collective)) {
        return false;
    }
    return std::any_of(sizes_.begin(), sizes_.end(), [&](std::size_t bytes) {
        const std::optional<double> seconds = predicted_time(more, bytes);
        if (!seconds) {
            return false;
        }
        const Candidate best = fastest(collective, built, bytes);
        return *seconds < kWorthAnother
                              * (best.choice != kDirectChoice
                                     ? best.seconds
                                     : nbrhood::direct_seconds(more.traffic, facts_, costs_,
                                                               static_cast<double>(bytes)));
    });
}

std::size_t Automatic::combining_threshold(const Traffic &traffic) const
{
    return combining_threshold_ != 0
               ? combining_threshold_
               : nbrhood::combining_threshold(traffic, facts_, costs_, expected_bytes(),
                                              packing_threshold_, worth_);
}

std::size_t Automatic::combining_threshold(const Algorithm &row, const Traffic &traffic) const
{
    return row.above != nullptr ? values_.get(*row.above) : combining_threshold(traffic);
}

double Automatic::direct_seconds(const Traffic &traffic) const
{
    return nbrhood::direct_seconds(traffic, facts_, costs_, expected_bytes());
}

double Automatic::relayed_seconds(const Traffic &traffic) const
{
    return nbrhood::relayed_seconds(traffic, facts_, costs_, expected_bytes(), packing_threshold());
}

} // namespace nbrhood
