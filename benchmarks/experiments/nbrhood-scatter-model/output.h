// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The outputs of nbrhood-scatter-model.
#pragma once

#include "tables.h"

namespace nbrhood_tools::scatter_model {

/// Tables in Markdown, as in docs/results.md.
void print_tables(const std::vector<ClusterCase> &clusters,
                  const std::vector<FigureTwo> &figure_two, const std::vector<Case> &cases);

/// Throws InputError if the file cannot be written.
void write_json(const std::string &file, const std::vector<ClusterCase> &clusters,
                const std::vector<FigureTwo> &figure_two, const std::vector<Case> &cases);

/// Draws the speed-up over direct by block size, a panel for each cluster and number of ranks, with
/// gnuplot; random graphs first, in the order of run_cases(). Throws InputError if drawing fails.
void draw(const std::string &file, const std::vector<Case> &cases);

} // namespace nbrhood_tools::scatter_model
