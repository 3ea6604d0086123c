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
/// The method that multiplies only, which no algorithm can be faster than.
constexpr const char *multiply_label = "multiply";

struct Settings {
    std::vector<std::string> labels; ///< stock first; may have everyone_label
    TimingSettings timing;           ///< its calls are products
    int creations = 3;
};

/// What is measured.
struct Configuration {
    Shape shape;
    std::string asked; ///< the shape as the user asked for it, before it was cut to the matrix
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

    /// What an edge carries in a call, in the mean over edges.
    double bytes_per_edge() const;
};

/// "x 16 dense" or "x itself, 16 columns".
std::string describe(const Shape &shape);

/// Verifies, times and verifies again. `candidates` are the communicators of settings.labels but
/// for everyone_label, which uses `comm`. Wrong results are reported on rank 0's stderr. Collective
/// over `comm`; the result is the same on every rank. Throws InputError on every rank where the
/// product is too large.
Comparison compare(const Matrix &matrix, const Configuration &configuration,
                   const std::vector<Candidate> &candidates, const Settings &settings,
                   MPI_Comm comm);

} // namespace nbrhood_tools::spmm
