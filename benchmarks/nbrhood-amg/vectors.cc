// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "vectors.h"

#include "common/hash.h"

#include <algorithm>

namespace nbrhood_tools::amg {

namespace {

constexpr double unwritten = -1; // not the value of an entry, which lies in [0, 1)

double value_of(std::int64_t row, std::uint64_t round)
{
    const std::uint64_t bits = mix(static_cast<std::uint64_t>(row) ^ mix(round));
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

} // namespace

Vectors::Vectors(const Level &level)
    : level_(level),
      // One more element, so that no buffer is empty: Open MPI refuses null pointers for buffers.
      own_(static_cast<std::size_t>(level.own_rows) + 1, unwritten),
      outgoing_(level.sent_rows.size() + 1, unwritten),
      incoming_(level.received_rows.size() + 2, unwritten)
{}

void Vectors::fill(std::uint64_t round)
{
    for (int row = 0; row < level_.own_rows; ++row)
        own_[static_cast<std::size_t>(row)] = value_of(level_.first_row + row, round);
    std::fill(outgoing_.begin(), outgoing_.end(), unwritten);
    std::fill(incoming_.begin(), incoming_.end(), unwritten);
}

std::size_t Vectors::check(std::uint64_t round, std::string &first) const
{
    std::size_t wrong = 0;
    const auto compare = [&](double got, double expected, const std::string &where) {
        if (got == expected)
            return;
        if (wrong == 0)
            first =
                where + ": expected " + std::to_string(expected) + ", got " + std::to_string(got);
        wrong += sizeof(double);
    };
    std::size_t position = 0;
    compare(incoming_[position++], unwritten, "before the entries received");
    for (std::int64_t row : level_.received_rows)
        compare(incoming_[position++], value_of(row, round), "entry of row " + std::to_string(row));
    compare(incoming_[position], unwritten, "behind the entries received");
    for (int row = 0; row < level_.own_rows; ++row)
        compare(own_[static_cast<std::size_t>(row)], value_of(level_.first_row + row, round),
                "own entry " + std::to_string(row) + " was changed");
    return wrong;
}

} // namespace nbrhood_tools::amg
