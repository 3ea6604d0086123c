// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The choice of the algorithm that serves an allgather.
#pragma once

#include <cstddef>
#include <string_view>

#include "allgather/shape.h"

namespace nbrhood {

// The values of coll_nbrhood_allgather_algorithm: the two below, then the rows of the registry.
constexpr int kAllgatherAuto = 0;
constexpr int kAllgatherDefault = 1; // the displaced module
constexpr int kAllgatherFirstRow = 2;

// "auto", "default", "locality_bruck", ...; null past the last.
const char *allgather_choice_name(int value);
// The summary of a row; null for the two others.
const char *allgather_choice_summary(int value);

// The row that serves calls with blocks of this size, the same on all ranks; -1: the displaced
// module. choice: a value of the parameter. most_bytes: with `auto`, the largest blocks that are
// served, and the largest total result, since messages of several ranges are packed in memory that
// may become as large.
int allgather_row(int choice, const AllgatherShape &shape, std::size_t bytes,
                  std::size_t most_bytes, std::size_t most_result);

} // namespace nbrhood
