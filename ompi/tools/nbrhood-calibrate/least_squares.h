// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Linear least squares with errors as ratios and coefficients that cannot be negative. No MPI here.
#pragma once

#include <array>
#include <vector>

namespace nbrhood_tools::calibrate {

constexpr std::size_t kColumns = 5;
using Row = std::array<double, kColumns>;

struct Solution {
    Row coefficients{};
    double squares = 0; ///< the least sum, see solve()
};

/// The coefficients x >= 0 for which the sum of log(p / v)^2 is least, where v runs over the values
/// and p over rows * x. Where p and v differ by more than a factor of 2.5, further distance counts
/// linearly only, so that a few bad values do not bend the rest. All values must be positive.
/// Called by fit(): times of exchanges span four orders of magnitude, so that absolute errors would
/// let the largest decide alone, and errors relative to the value would prefer low predictions.
Solution solve(const std::vector<Row> &rows, const std::vector<double> &values);

} // namespace nbrhood_tools::calibrate
