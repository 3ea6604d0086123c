// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The command line.
#pragma once

#include "comparison.h"

#include <string>
#include <vector>

namespace nbrhood_tools::bench {

struct Options {
    std::vector<GraphSpec> graphs;
    std::vector<Operation> operations;
    std::vector<Way> ways; ///< besides calls, for operations that name all ranks
    std::vector<Variant> variants;
    std::vector<std::string>
        labels; ///< algorithms to compare: "stock" first, "stock#2" unless switched off
    std::vector<std::size_t> block_bytes; ///< entry sizes for graphs without counts
    std::vector<std::size_t> entry_bytes; ///< entry sizes for graphs with counts
    ComparisonSettings settings;
    std::string json_file; ///< empty: none
    bool progress = false;
    bool on_gpu = false; ///< --memory hip
};

/// Parses the command line; the same on every rank. Throws HelpRequest, or
/// OptionError with a message for the user.
Options parse_options(int argc, char **argv);

} // namespace nbrhood_tools::bench
