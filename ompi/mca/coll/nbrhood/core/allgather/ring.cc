// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/ring.h"

namespace nbrhood {

AllgatherPattern ring(const AllgatherShape &shape, Rank rank)
{
    AllgatherOperations operations(shape, rank, true);
    const Rank ranks = shape.ranks();
    const Rank before = rank == 0 ? ranks - 1 : rank - 1;
    const Rank behind = rank + 1 == ranks ? 0 : rank + 1;
    for (Rank step = 0; step + 1 < ranks; ++step) {
        operations.send(
            before, on_circle(static_cast<Rank>((std::int64_t{rank} + step) % ranks), 1, ranks));
        operations.receive(
            behind, on_circle(static_cast<Rank>((std::int64_t{behind} + step) % ranks), 1, ranks));
    }
    return operations.take();
}

} // namespace nbrhood
