// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Which algorithm serves blocks of which size, where all ranks know the size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "select/selection.h"

namespace nbrhood {

// The choice for blocks of at most that many bytes which no earlier interval serves.
struct SizeChoice {
    std::size_t most = kAnySize;
    int choice = kDirectChoice;

    bool operator==(const SizeChoice &other) const
    {
        return most == other.most && choice == other.choice;
    }
};

// By size, ascending; the last one serves all that is larger. Intervals that follow each other have
// different choices.
using SizeChoices = std::vector<SizeChoice>;
constexpr std::size_t kMostIntervals = 4;

// Adds the next interval, or extends the last one where it has the same choice.
void append(SizeChoices &choices, SizeChoice next);

// Choices for a collective where a parameter names a row: the row for the sizes that it serves,
// direct for all others.
SizeChoices named_by_size(int choice);

// As a number for the sum over all ranks, never 0; `limits`: the values that `most` may have but
// kAnySize, equal on all ranks, at most 254. And back: nothing where no rank can have told that
// number.
std::uint64_t encode(const SizeChoices &choices, const std::vector<std::size_t> &limits);
std::optional<SizeChoices> decode(std::uint64_t told, const std::vector<std::size_t> &limits);

} // namespace nbrhood
