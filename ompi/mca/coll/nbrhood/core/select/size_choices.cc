// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "select/size_choices.h"

#include <algorithm>

namespace nbrhood {
namespace {

// An interval is two bytes of the number: the row of the choice, and the index of its end among the
// limits.
constexpr std::uint64_t kByte = 0xff;
constexpr std::uint64_t kUnlimited = kByte;
constexpr int kBitsOfInterval = 16;
static_assert(kMostIntervals * kBitsOfInterval <= 64, "all intervals fit into a number");

} // namespace

void append(SizeChoices &choices, SizeChoice next)
{
    if (!choices.empty() && choices.back().choice == next.choice) {
        choices.back().most = next.most;
    } else {
        choices.push_back(next);
    }
}

SizeChoices named_by_size(int choice)
{
    const SizeRange sizes = row_of(choice).sizes;
    SizeChoices result;
    if (sizes.least > 0) {
        append(result, {sizes.least - 1, kDirectChoice});
    }
    append(result, {sizes.most, choice});
    if (sizes.most != kAnySize) {
        append(result, {kAnySize, kDirectChoice});
    }
    return result;
}

std::uint64_t encode(const SizeChoices &choices, const std::vector<std::size_t> &limits)
{
    std::uint64_t told = 0;
    int shift = 0;
    for (const SizeChoice &interval : choices) {
        const auto limit = std::find(limits.begin(), limits.end(), interval.most) - limits.begin();
        const std::uint64_t place =
            interval.most == kAnySize ? kUnlimited : static_cast<std::uint64_t>(limit);
        told |= (place << 8 | static_cast<std::uint64_t>(interval.choice)) << shift;
        shift += kBitsOfInterval;
    }
    return told;
}

std::optional<SizeChoices> decode(std::uint64_t told, const std::vector<std::size_t> &limits)
{
    SizeChoices result;
    for (; told != 0; told >>= kBitsOfInterval) {
        const auto choice = static_cast<int>(told & kByte);
        const std::uint64_t place = told >> 8 & kByte;
        const bool last = place == kUnlimited;
        if (choice < kFirstRow || choice >= choices() || (!last && place >= limits.size())
            || last != (told >> kBitsOfInterval == 0)) {
            return std::nullopt;
        }
        const std::size_t most = last ? kAnySize : limits[place];
        if (!result.empty() && (result.back().most >= most || result.back().choice == choice)) {
            return std::nullopt;
        }
        result.push_back({most, choice});
    }
    return result.empty() ? std::nullopt : std::optional(result);
}

} // namespace nbrhood
