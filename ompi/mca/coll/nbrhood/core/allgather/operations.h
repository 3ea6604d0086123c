// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Lists one rank's messages of an allgather, in their order.
#pragma once

#include <map>

#include "allgather/shape.h"
#include "pattern/pattern.h"

namespace nbrhood {

// One rank's part of an allgather. Receive slot p of the pattern is position p of the result. Each
// slice is a run of slots, as long as possible. A pair of ranks may have any number of messages:
// both list them in the same order (docs/wire.md, section 9).
struct AllgatherPattern {
    Pattern pattern;
    bool by_rank = false; // positions are ranks, whatever the shape's order
};

// Lists the operations of one rank; positions name the blocks to send and receive.
class AllgatherOperations {
public:
    // own: this rank's position. by_rank: see AllgatherPattern.
    AllgatherOperations(const AllgatherShape &shape, Rank own, bool by_rank);

    Rank own() const { return own_; }
    Rank ranks() const { return shape_.ranks(); }

    // Adds a message with these blocks, or none if there are no blocks; the other end knows that,
    // too.
    void send(Rank to, const Positions &blocks);
    void receive(Rank from, const Positions &blocks);

    AllgatherPattern take() { return std::move(result_); }

private:
    void add(OperationKind kind, Rank other, const Positions &blocks);

    const AllgatherShape &shape_;
    Rank own_;
    AllgatherPattern result_;
    std::map<std::pair<OperationKind, Rank>, std::int32_t> keys_; // the next key of each pair
};

// Positions first .. first + count - 1, modulo `places`.
Positions on_circle(Rank first, Rank count, Rank places);

} // namespace nbrhood
