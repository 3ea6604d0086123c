// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Sums over the levels, as the paper makes them.
#pragma once

#include "measurement.h"

namespace nbrhood_tools::amg {

/// One method on all levels. Times in seconds; NaN where a level's results were wrong.
struct Total {
    std::string name;
    double seconds = 0;      ///< of one exchange on each level
    double best_seconds = 0; ///< on each level the faster of this method and the first (figure 11)
    double creation = 0;     ///< of the communicators
    double first = 0;        ///< of init and first exchange
    /// Exchanges on each level that make up for the overhead of inits, or of inits and creations,
    /// compared with the first method (figure 7); infinity: never.
    double crossover = 0;
    double crossover_with_creation = 0;
    /// The same with this method only on levels where its exchange is faster.
    double best_crossover = 0;
    double best_crossover_with_creation = 0;
};

/// One Total for each method, in their order.
std::vector<Total> sum_up(const std::vector<LevelResult> &levels);

/// The level on which one method saves bytes between regions compared with another.
struct Saving {
    double fraction = 0; ///< of the largest rank's bytes
    int level = -1;      ///< -1: on no level
};

/// The level on which method `fewer` saves the most compared with method `more` (figure 9).
Saving largest_saving(const std::vector<LevelResult> &levels, const std::string &more,
                      const std::string &fewer);

} // namespace nbrhood_tools::amg
