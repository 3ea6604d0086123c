// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results of the paper on locality-aware alltoallv (section 4), to be printed beside the
// measurements.
#pragma once

namespace nbrhood_tools::amg {

namespace published {

constexpr int ranks = 2048; ///< 128 nodes of Lassen with 16 each
constexpr int rows = 524288;
constexpr int weak_rows_per_rank = 16384;

/// Speed-up over point-to-point with the better of both on each level (figure 11).
struct SpeedUps {
    double aggregated;
    double deduplicated;
};
constexpr SpeedUps strong{1.32, 1.32 + 0.07};
constexpr SpeedUps weak{1.96, 1.96 + 0.21};

/// Exchanges that make up for the init (figure 7).
constexpr int aggregated_crossover = 40;
constexpr int deduplicated_crossover = 22;

/// Bytes between regions of the largest rank, saved on level 4 by sending equal values once (figure
/// 9).
constexpr double saving = 0.35;
constexpr int saving_level = 4;

} // namespace published

} // namespace nbrhood_tools::amg
