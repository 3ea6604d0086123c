// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The data of a test operation: the arguments of a call, and the check of the received data.
#pragma once

#include "common_entry.h"

#include <string>

namespace nbrhood_test {

/// Buffers, argument arrays and datatypes of one rank for one operation.
class Transfer {
public:
    Transfer() = default;
    Transfer(const Transfer &) = delete;
    Transfer &operator=(const Transfer &) = delete;
    virtual ~Transfer() = default;

    /// Fills the send buffer for a round and clears the receive buffer.
    virtual void prepare(int round) = 0;
    /// The arguments of the call; valid as long as the object lives.
    virtual CallArguments arguments() = 0;
    /// Frees the datatypes, as a user may do once the operation is started or initialised.
    virtual void free_types() = 0;
    /// Overwrites all argument arrays.
    virtual void scramble_arrays() = 0;
    /// Compares both buffers, guards included, with the contents that they must have after the
    /// prepared round; returns an empty string if all is right.
    virtual std::string check() = 0;
};

} // namespace nbrhood_test
