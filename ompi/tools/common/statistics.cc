// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace nbrhood_tools {

namespace {
constexpr int replicate_count = 2000; // enough for the second digit of a 95 % interval
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
} // namespace

double median(std::vector<double> values)
{
    if (values.empty())
        return not_a_number;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double geometric_mean(const std::vector<double> &values)
{
    if (values.empty())
        return not_a_number;
    double logarithms = 0;
    for (double value : values)
        logarithms += std::log(value);
    return std::exp(logarithms / static_cast<double>(values.size()));
}

Interval Ratio::interval() const
{
    if (replicates.empty())
        return {not_a_number, not_a_number};
    std::vector<double> sorted = replicates;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&sorted](double fraction) {
        return sorted[static_cast<std::size_t>(
            std::lround(fraction * static_cast<double>(sorted.size() - 1)))];
    };
    return {at(0.025), at(0.975)};
}

Ratio ratio_of_medians(const std::vector<double> &numerator, const std::vector<double> &denominator,
                       std::uint64_t seed)
{
    Ratio ratio;
    ratio.value = median(numerator) / median(denominator);
    const std::size_t samples = std::min(numerator.size(), denominator.size());
    if (samples < 2)
        return ratio; // one sample gives no spread

    std::mt19937_64 random(seed);
    std::vector<double> upper(samples);
    std::vector<double> lower(samples);
    for (int replicate = 0; replicate < replicate_count; ++replicate) {
        for (std::size_t i = 0; i < samples; ++i) {
            const std::size_t round = random() % samples;
            upper[i] = numerator[round];
            lower[i] = denominator[round];
        }
        ratio.replicates.push_back(median(upper) / median(lower));
    }
    return ratio;
}

Ratio geometric_mean(const std::vector<Ratio> &ratios)
{
    Ratio mean;
    std::vector<double> values;
    std::size_t replicates = ratios.empty() ? 0 : replicate_count;
    for (const Ratio &ratio : ratios) {
        values.push_back(ratio.value);
        replicates = std::min(replicates, ratio.replicates.size());
    }
    mean.value = geometric_mean(values);
    for (std::size_t replicate = 0; replicate < replicates; ++replicate) {
        for (std::size_t i = 0; i < ratios.size(); ++i)
            values[i] = ratios[i].replicates[replicate];
        mean.replicates.push_back(geometric_mean(values));
    }
    return mean;
}

double break_even_calls(double setup_overhead, double gain_of_a_call)
{
    if (gain_of_a_call <= 0)
        return std::numeric_limits<double>::infinity();
    return setup_overhead <= 0 ? 0 : setup_overhead / gain_of_a_call;
}

} // namespace nbrhood_tools
