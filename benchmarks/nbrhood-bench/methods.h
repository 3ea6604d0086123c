// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The rows of one comparison: algorithms, send layouts, with or without a computation.
#pragma once

#include "exchange.h"
#include "send_layout.h"

#include <string>
#include <vector>

namespace nbrhood_tools::bench {

/// The conditions of a call, common to all algorithms.
struct CallSettings {
    std::vector<SendLayout> values{SendLayout::packed};
    bool pack = false;              ///< timed calls include the application's packing
    double compute_seconds = 0;     ///< computation between start and wait; 0: none
    int tests = 0;                  ///< MPI_Test calls during it
    int change_every = 0;           ///< calls after which the graph changes; 0: never
    std::shared_ptr<const Hip> hip; ///< buffers are in its memory; null: in host memory

    /// Whether blocks are entries of a vector of the application, and not values of their own.
    bool use_vector() const
    {
        return pack || values.size() > 1 || values.front() != SendLayout::packed;
    }
};

/// One row of a comparison.
struct Method {
    std::string label;
    std::size_t candidate = 0; ///< the label of its communicator
    SendLayout values = SendLayout::packed;
    bool exchanges = true; ///< false: it only computes
    bool with_computation = false;
};

/// All rows for the algorithms with these labels; stock, packed, is the first one.
std::vector<Method> make_methods(const std::vector<std::string> &labels,
                                 const CallSettings &settings);

} // namespace nbrhood_tools::bench
