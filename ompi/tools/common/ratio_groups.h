// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Ratios that may be averaged: the same algorithm, measured in the same way on several graphs.
#pragma once

#include "statistics.h"

#include <string>
#include <vector>

namespace nbrhood_tools {

/// The ratios of one algorithm in one group.
struct LabelledRatios {
    std::string label;
    std::vector<Ratio> ratios;
};

/// The properties that ratios must have in common to be averaged.
struct RatioGroup {
    std::string title;
    std::vector<LabelledRatios> labels; ///< in the order in which they came
};

/// Collects ratios by group and label. Groups stay in the order in which they came.
class RatioGroups {
public:
    void add(const std::string &title, const std::string &label, const Ratio &ratio);
    /// Prints the geometric mean of each label that has at least two ratios, a line each:
    /// "geometric mean of 4 graphs, TITLE: LABEL 1.23 [1.20, 1.26]".
    void print_means(int label_width) const;

private:
    std::vector<RatioGroup> groups_;
};

} // namespace nbrhood_tools
