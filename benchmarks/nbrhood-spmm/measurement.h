// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// All methods on one product: verified and timed.
#pragma once

#include "product.h"

#include "measuring/communicators.h"
#include "measuring/method_result.h"

#include <string>
#include <vector>

namespace nbrhood_tools::spmm {

/// The method that gathers from all ranks by MPI_Allgather or MPI_Allgatherv.
constexpr const char *everyone_label = "allgather";
/// The method that only multiplies, a lower bound for all algorithms.
constexpr const char *multiply_label = "multiply";

struct Settings {
    std::vector<std::string> labels; ///< stock first; may have everyone_label
    TimingSettings timing;           ///< its calls count products
    int creations = 3;
};

/// The measured product.
struct Configuration {
    Shape shape;
    std::string asked; ///< the shape that the user requested, before it was limited by the matrix
    Operation operation = Operation::allgatherv;
    Variant variant = Variant::blocking;
};

struct Comparison {
    std::string matrix_file;
    std::string matrix_name;
    int rows = 0;
    int columns = 0;
    std::int64_t entries = 0;
    GraphFacts facts;
    int padded_rows = 0; ///< rows of the largest stripe, which allgather sends
    Configuration configuration;
    int products = 0; ///< in each sample
    bool cut_short = false;
    std::vector<MethodResult> methods; ///< the first is stock

    /// The bytes that an edge carries in a call, mean over edges.
    double bytes_per_edge() const;
};

/// "x 16 dense" or "x itself, 16 columns".
std::string describe(const Shape &shape);

/// Verifies, times and verifies again. `candidates` are the communicators of settings.labels,
/// except for everyone_label, which uses `comm`. Wrong results are reported on rank 0's stderr.
/// Collective over `comm`; the result is the same on every rank. Throws InputError on every rank if
/// the product is too large.
Comparison compare(const Matrix &matrix, const Configuration &configuration,
                   const std::vector<Candidate> &candidates, const Settings &settings,
                   MPI_Comm comm);

} // namespace nbrhood_tools::spmm
