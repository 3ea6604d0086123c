// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Results as a table for people and as JSON for programs.
#pragma once

#include "measurement.h"

#include "common/text_table.h"
#include "measuring/environment.h"

namespace nbrhood_tools::allgather {

/// The table, line by line, as results come in.
class Table {
public:
    explicit Table(const std::vector<std::string> &labels);
    void print_header(const Environment &environment) const;
    void print(const Comparison &comparison) const;

private:
    TextTable table_;
};

/// How to read the table.
void print_footer(const Environment &environment, const std::vector<Comparison> &comparisons);

/// complete: whether the run has ended.
std::string json_text(const Environment &environment, const Settings &settings,
                      const std::vector<Comparison> &comparisons, bool complete);

} // namespace nbrhood_tools::allgather
