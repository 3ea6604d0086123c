// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results for people, on standard output. All of it is called on rank 0 only.
#pragma once

#include "matrix.h"
#include "run.h"

#include "common/text_table.h"

#include <string>
#include <vector>

namespace nbrhood_tools::spmm {

/// The table, line by line, as results come in.
class Table {
public:
    /// Columns are wide enough for these matrices and labels.
    Table(const Environment &environment, const std::vector<Matrix> &matrices,
          const std::vector<std::string> &labels);
    /// Prints the setting of the measurements, the matrices, and the titles of the columns.
    void print_header(const std::vector<Matrix> &matrices) const;
    void print(const Comparison &comparison) const;
    /// Prints geometric means over matrices, and an explanation of the figures.
    void print_footer(const Run &run) const;

private:
    const Environment &environment_;
    TextTable table_;
    int label_width_ = 9; ///< in the lines with means
};

} // namespace nbrhood_tools::spmm
