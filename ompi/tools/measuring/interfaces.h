// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// What is timed and verified, without knowing what it is: the programs here compare different
// things in the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nbrhood_tools {

/// Communication that is prepared once and run often. Each function is called on all ranks.
class Repeatable {
public:
    virtual ~Repeatable() = default;
    /// Makes what run() needs. Not for a second time without release().
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
    /// Fills what is sent with values of `round`, and spoils what is received.
    virtual void fill(std::uint64_t round) = 0;
    /// Compares everything with what `round` must leave there. Returns how many bytes are wrong,
    /// and describes the first of them in `first`.
    virtual std::size_t check(std::uint64_t round, std::string &first) const = 0;
};

} // namespace nbrhood_tools
