// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/choice.h"

#include "allgather/registry.h"

namespace nbrhood {

namespace {

// If ranks share cores, `hierarchical` serves results up to this size, since it sends the fewest
// messages. For larger results one rank of a region would send too much; measured on 2 to 16 nodes
// with 2 to 16 ranks each (docs/papers/locality-aware-bruck.md).
constexpr std::size_t kHierarchicalResult = 1 << 16;

int row_named(std::string_view name)
{
    const auto &algorithms = allgather_algorithms();
    int row = 0;
    while (algorithms[static_cast<std::size_t>(row)].name != name) {
        ++row;
    }
    return row;
}

} // namespace

const char *allgather_choice_name(int value)
{
    const auto &algorithms = allgather_algorithms();
    const auto rows = static_cast<int>(algorithms.size());
    return value == kAllgatherAuto      ? "auto"
           : value == kAllgatherDefault ? "default"
           : value >= kAllgatherFirstRow && value < kAllgatherFirstRow + rows
               ? algorithms[static_cast<std::size_t>(value - kAllgatherFirstRow)].name
               : nullptr;
}

const char *allgather_choice_summary(int value)
{
    const int row = value - kAllgatherFirstRow;
    return row >= 0 ? allgather_algorithms()[static_cast<std::size_t>(row)].summary : nullptr;
}

int allgather_row(int choice, const AllgatherShape &shape, std::size_t bytes,
                  std::size_t most_bytes, std::size_t most_result)
{
    const std::size_t regions = shape.regions().size();
    if (choice == kAllgatherDefault || regions == 1 || bytes == 0) {
        return -1;
    }
    if (choice != kAllgatherAuto) {
        return choice - kAllgatherFirstRow;
    }
    const auto ranks = static_cast<std::size_t>(shape.ranks());
    if (bytes > most_bytes || bytes > most_result / ranks || regions == ranks) {
        return -1;
    }
    static const int hierarchical = row_named("hierarchical");
    static const int locality_bruck = row_named("locality_bruck");
    return shape.shares_cores && bytes * ranks <= kHierarchicalResult ? hierarchical
                                                                      : locality_bruck;
}

} // namespace nbrhood
