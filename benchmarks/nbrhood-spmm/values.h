// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The values of the matrices. Only positions are read from files; values are computed from them, so
// that every rank knows all values, and two runs multiply the same matrices.
#pragma once

#include "common/hash.h"

#include <cstdint>

namespace nbrhood_tools::spmm {

/// An integer from 1 to 2048 or from -2048 to -1. Sums of products of two of them are exact as long
/// as a row has no more than 2^26 entries (bounds.h), in any order of addition, so every product is
/// either right to the last bit or wrong.
inline double value_at(std::uint64_t matrix, int row, int column)
{
    const std::uint64_t position =
        static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint32_t>(column);
    const std::uint64_t bits = mix(position ^ mix(matrix));
    const auto size = static_cast<double>(bits % 2048 + 1);
    return (bits >> 63) != 0 ? -size : size;
}

/// The value of a nonzero entry of the sparse matrix.
inline double sparse_value(int row, int column)
{
    return value_at(1, row, column);
}

/// An entry of the dense matrix.
inline double dense_value(int row, int column)
{
    return value_at(2, row, column);
}

/// The factor of the right-hand matrix in a round, so that data of the previous round is noticed as
/// wrong. At most 8, so that sums stay exact.
inline double factor_of(std::uint64_t round)
{
    return static_cast<double>(round % 8 + 1);
}

} // namespace nbrhood_tools::spmm
