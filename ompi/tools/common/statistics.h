// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Medians, and the confidence intervals of their ratios.
#pragma once

#include <cstdint>
#include <vector>

namespace nbrhood_tools {

/// The median; the mean of the middle two for an even number; NaN when there is none.
double median(std::vector<double> values);

/// The geometric mean of positive values; NaN when there is none.
double geometric_mean(const std::vector<double> &values);

struct Interval {
    double low = 0;
    double high = 0;
};

/// A ratio with its bootstrap replicates, kept so that a mean of several ratios can have an
/// interval too.
struct Ratio {
    double value = 0;
    std::vector<double> replicates;

    /// The 95 % percentile interval; NaN without replicates.
    Interval interval() const;
};

/// median(numerator) / median(denominator). Sample i of both was taken in the same round, so
/// replicates draw rounds: a disturbance of a whole round then affects both sides of the ratio. The
/// same seed gives the same interval.
Ratio ratio_of_medians(const std::vector<double> &numerator, const std::vector<double> &denominator,
                       std::uint64_t seed);

/// The geometric mean of independent ratios, replicate by replicate.
Ratio geometric_mean(const std::vector<Ratio> &ratios);

/// The number of calls whose gain makes up for a set-up overhead: 0 without overhead, infinity
/// without a gain, NaN if a time is missing.
double break_even_calls(double setup_overhead, double gain_of_a_call);

} // namespace nbrhood_tools
