// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The designs of the papers without the additions of this implementation, as values of the
// component's parameters (docs/papers), for the option --paper.
#pragma once

#include "algorithms/toolkit/parameter.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nbrhood_tools {

/// Values by which one algorithm follows its paper.
struct Paper {
    const char *name; ///< as that of its page in docs/papers
    std::vector<std::pair<const nbrhood::Parameter *, std::int64_t>> values;
};

/// All papers, in the order of docs/papers.
const std::vector<Paper> &papers();

/// The paper of that name, or null.
const Paper *find_paper(const std::string &name);

/// Adds an option --paper to a command line; `name` gets its value.
CLI::Option *add_paper_option(CLI::App &app, std::string &name);

/// Sets the values of the paper that the command line names, as MCA parameters in the environment,
/// for a program that calls MPI_Init later. Parameters that the user set stay as they are. A wrong
/// name is left to the parser of the command line.
void export_paper(int argc, char **argv);

} // namespace nbrhood_tools
