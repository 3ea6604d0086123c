// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results for people and for programs. All of it is called on rank 0 only.
#pragma once

#include "comparison.h"

#include "common/text_table.h"
#include "measuring/environment.h"

#include <string>
#include <vector>

namespace nbrhood_tools::bench {

/// The table, line by line, as results come in.
class Table {
public:
    Table(const Environment &environment, const std::vector<std::string> &graph_names,
          const std::vector<std::string> &labels);
    /// Prints the setting of the measurements, and the work that a call includes.
    void print_title(const CallSettings &calls) const;
    /// One line about a graph, before the header.
    void print_graph(const Configuration &configuration) const;
    void print_header() const { table_.print_header(); }
    void print(const Comparison &comparison) const;
    /// Prints geometric means if several graphs were measured in the same way, and an explanation
    /// of the figures.
    void print_footer(const std::vector<Comparison> &comparisons) const;

private:
    void print_first_calls(const Comparison &comparison) const;
    void print_overlap(const Comparison &comparison) const;

    const Environment &environment_;
    TextTable table_;
    int label_width_ = 9; ///< in the lines with means
};

/// The text of the --json file. Times are in seconds. complete: whether nothing more is measured.
std::string json_text(const Environment &environment, const ComparisonSettings &settings,
                      const std::vector<Comparison> &comparisons, bool complete);

} // namespace nbrhood_tools::bench
