// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Base of the builders of allgathers' patterns: one rank's messages, in their order.
#pragma once

#include <map>

#include "allgather/shape.h"
#include "pattern/pattern.h"

namespace nbrhood {

// One rank's part of an allgather. Receive slot p of the pattern is position p of the result; each
// slice is a run of slots, none is of a single block where several lie together. A pair of ranks
// may have any number of messages: both list them in the same order (docs/wire.md, section 9).
struct AllgatherPattern {
    Pattern pattern;
    bool by_rank = false; // positions are ranks, whatever the shape's order
};

// Lists the operations of one rank; what to send and receive is named by positions.
class AllgatherOperations {
public:
    // own: this rank's position. by_rank: see AllgatherPattern.
    AllgatherOperations(const AllgatherShape &shape, Rank own, bool by_rank);

    Rank own() const { return own_; }
    Rank ranks() const { return shape_.ranks(); }

    // A message with these blocks; none where there are no blocks, which the other end knows, too.
    void send(Rank to, const Positions &blocks);
    void receive(Rank from, const Positions &blocks);

    AllgatherPattern take() { return std::move(result_); }

private:
    void add(OperationKind kind, Rank other, const Positions &blocks);

    const AllgatherShape &shape_;
    Rank own_;
    AllgatherPattern result_;
    std::map<std::pair<OperationKind, Rank>, std::int32_t> keys_; // the next of each pair
};

// Positions first .. first + count - 1 of a circle, whose places lie at [0, places).
Positions on_circle(Rank first, Rank count, Rank places);

} // namespace nbrhood
