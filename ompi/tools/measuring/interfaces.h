// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Interfaces of timed and verified communication: the programs compare different communication in
// the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nbrhood_tools {

/// Communication that is prepared once and run often. Each function is called on all ranks.
class Repeatable {
public:
    virtual ~Repeatable() = default;
    /// Prepares run(). Must not be repeated without release().
    virtual void prepare() = 0;
    /// Undoes prepare(); nothing if there is nothing to undo.
    virtual void release() = 0;
    /// One complete operation.
    virtual void run() = 0;
};

/// The data that is communicated, with values that can be computed without communication.
class Checkable {
public:
    virtual ~Checkable() = default;
    /// Fills the send buffers with values of `round`, and overwrites the receive buffers.
    virtual void fill(std::uint64_t round) = 0;
    /// Compares all buffers with the expected contents after `round`. Returns the number of wrong
    /// bytes, and describes the first of them in `first`.
    virtual std::size_t check(std::uint64_t round, std::string &first) const = 0;
};

} // namespace nbrhood_tools
