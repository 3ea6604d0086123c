// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The algorithms that serve blocks of different sizes, if all ranks know the size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "select/selection.h"

namespace nbrhood {

// The choice for blocks of up to `most` bytes that no earlier interval serves.
struct SizeChoice {
    std::size_t most = kAnySize;
    int choice = kDirectChoice;

    bool operator==(const SizeChoice &other) const
    {
        return most == other.most && choice == other.choice;
    }
};

// By size, ascending; the last one serves all larger blocks. Adjacent intervals have different
// choices.
using SizeChoices = std::vector<SizeChoice>;
constexpr std::size_t kMostIntervals = 4;

// Adds the next interval, or extends the last one if it has the same choice.
void append(SizeChoices &choices, SizeChoice next);

// Choices for a collective if a parameter names a row: the row for the sizes that it serves, direct
// for all others.
SizeChoices named_by_size(int choice);

// The choices as a number, never 0, that one rank contributes to a sum over all ranks. `limits`:
// the possible values of `most` besides kAnySize, equal on all ranks, at most 254. decode() returns
// nothing if no rank can have encoded that number.
std::uint64_t encode(const SizeChoices &choices, const std::vector<std::size_t> &limits);
std::optional<SizeChoices> decode(std::uint64_t told, const std::vector<std::size_t> &limits);

} // namespace nbrhood
