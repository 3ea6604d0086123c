// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One line block of the table: all algorithms on one graph, operation, variant and entry size.
#pragma once

#include "contenders.h"
#include "duplicates.h"
#include "exchange_sequence.h"
#include "methods.h"

#include "measuring/method_result.h"

#include <optional>
#include <string>
#include <vector>

namespace nbrhood_tools::bench {

/// The compared call and its communicators.
struct Configuration {
    std::string graph_text; ///< the --graph argument
    std::string graph_name; ///< its short form
    bool counts_from_file = false;
    GraphFacts facts;
    DuplicateFacts duplicates;
    Operation operation = Operation::alltoallv;
    Variant variant = Variant::blocking;
    std::size_t entry_bytes = 8;
};

/// One row of the table.
struct AlgorithmResult : MethodResult {
    SendLayout values = SendLayout::packed;
    bool exchanges = true;         ///< false: nothing but the computation
    bool with_computation = false; ///< between start and wait
    /// Only for stock and what learns: time from the start to the end of each first call, mean of
    /// all rounds.
    std::vector<double> first_calls_seconds;
};

struct Comparison {
    Configuration configuration;
    int calls = 0; ///< in each sample
    bool cut_short = false;
    std::vector<AlgorithmResult> algorithms; ///< the first is stock

    /// The result with a label; null if there is none, or it was wrong.
    const AlgorithmResult *find(const std::string &label) const;
};

struct ComparisonSettings {
    TimingSettings timing;
    CallSettings calls;
    int creations = 3;
    bool skip_isolated = false; ///< ranks without edges do not call, as PETSc and dolfinx do it
};

/// The number of calls after which a program is ahead of one with stock and stays ahead, from the
/// times of both up to the end of each call; nothing if it never is, or is not known.
std::optional<std::size_t> calls_until_ahead(const std::vector<double> &stock,
                                             const std::vector<double> &other);

/// Verifies, times and verifies again. `parts`: of this rank, in the graph, and in those that
/// follow if it changes. Collective over `comm`; the result is the same on every rank. Throws
/// InputError on every rank if the sizes cannot be used.
Comparison compare(const Configuration &configuration, const std::vector<Neighbourhood> &parts,
                   const std::vector<Contender> &contenders, const ComparisonSettings &settings,
                   MPI_Comm comm);

} // namespace nbrhood_tools::bench
