// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "least_squares.h"

#include <algorithm>
#include <cmath>

namespace nbrhood_tools::calibrate {

namespace {

constexpr int kMostSweeps = 100000;
constexpr double kSettled = 1e-12;
constexpr int kTurns = 50;
constexpr double kFarthest = 0.9; // log(2.5)

/// The problem as min x'Gx/2 - c'x, with each column scaled to length 1: coefficients differ as
/// much as seconds for a message and seconds for a byte.
struct Normal {
    std::array<Row, kColumns> gram{};
    Row right{};
    Row scale{}; ///< 0 for a column of zeros, which has no coefficient
};

/// `weights` are the inverse lengths of the errors.
Normal normal_form(const std::vector<Row> &rows, const std::vector<double> &values,
                   const std::vector<double> &weights)
{
    Normal normal;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t c = 0; c < kColumns; ++c)
            normal.scale[c] += (rows[i][c] * weights[i]) * (rows[i][c] * weights[i]);
    for (double &scale : normal.scale)
        scale = scale > 0 ? 1 / std::sqrt(scale) : 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Row row;
        for (std::size_t c = 0; c < kColumns; ++c)
            row[c] = rows[i][c] * weights[i] * normal.scale[c];
        for (std::size_t c = 0; c < kColumns; ++c) {
            normal.right[c] += row[c] * values[i] * weights[i];
            for (std::size_t d = 0; d < kColumns; ++d)
                normal.gram[c][d] += row[c] * row[d];
        }
    }
    return normal;
}

/// Sets one coefficient after the other to its best value that is not negative. The problem is
/// convex, so this ends at the solution.
Row solve_weighted(const Normal &normal)
{
    Row scaled{};
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        double change = 0;
        double largest = 0;
        for (std::size_t c = 0; c < kColumns; ++c) {
            if (normal.scale[c] == 0)
                continue;
            double best = normal.right[c];
            for (std::size_t d = 0; d < kColumns; ++d)
                if (d != c)
                    best -= normal.gram[c][d] * scaled[d];
            best = std::max(0.0, best); // gram[c][c] is 1
            change = std::max(change, std::abs(best - scaled[c]));
            largest = std::max(largest, best);
            scaled[c] = best;
        }
        if (change <= kSettled * largest)
            break;
    }
    for (std::size_t c = 0; c < kColumns; ++c)
        scaled[c] *= normal.scale[c];
    return scaled;
}

double product(const Row &row, const Row &coefficients)
{
    double sum = 0;
    for (std::size_t c = 0; c < kColumns; ++c)
        sum += row[c] * coefficients[c];
    return sum;
}

} // namespace

Solution solve(const std::vector<Row> &rows, const std::vector<double> &values)
{
    Solution solution;
    std::vector<double> targets = values;
    std::vector<double> weights;
    for (double value : values)
        weights.push_back(1 / value);
    // Newton's method: around its value p of now, log(p) is linear in the coefficients.
    for (int turn = 0; turn < kTurns; ++turn) {
        solution.coefficients = solve_weighted(normal_form(rows, targets, weights));
        solution.squares = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            // No prediction is zero, because its logarithm would be infinite.
            const double predicted =
                std::max(product(rows[i], solution.coefficients), 1e-3 * values[i]);
            const double distance =
                std::clamp(std::log(predicted / values[i]), -kFarthest, kFarthest);
            solution.squares += distance * distance;
            targets[i] = predicted * (1 - distance);
            weights[i] = 1 / predicted;
        }
    }
    return solution;
}

} // namespace nbrhood_tools::calibrate
