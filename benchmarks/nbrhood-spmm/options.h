// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The command line.
#pragma once

#include "measurement.h"

#include <string>
#include <vector>

namespace nbrhood_tools::spmm {

struct Options {
    std::vector<std::string> matrices; ///< files
    std::vector<Right> rights;
    std::vector<int> widths;        ///< all_columns for as many as the matrix has
    std::vector<int> block_columns; ///< all_columns for the whole width
    std::vector<Operation> operations;
    std::vector<Variant> variants;
    Settings settings;
    std::string json_file; ///< empty: none
    bool progress = false;

    static constexpr int all_columns = 0;
};

/// Parses the command line; the same on every rank. Throws HelpRequest, or
/// OptionError with a message for the user.
Options parse_options(int argc, char **argv);

/// The shapes for a matrix with this many columns, each once: shapes that are limited by the matrix
/// may coincide.
std::vector<Configuration> configurations_for(const Options &options, int columns);

} // namespace nbrhood_tools::spmm
