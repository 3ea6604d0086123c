// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Datatypes that pick given elements out of a buffer, by all type constructors of MPI.
#pragma once

#include "common_mpi.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nbrhood_test {

/// A block of alltoallw: `count` elements of `type` from `displ` on.
struct TypedBlock {
    MPI_Aint displ = 0;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    bool owned = false; ///< the type is committed and to be freed by the caller
};

/// A block of elements of a type at given byte offsets, in that order. The type constructor depends
/// on the offsets and on `choice`.
TypedBlock pick_elements(const std::vector<std::ptrdiff_t> &at, MPI_Datatype element,
                         std::uint64_t choice);

} // namespace nbrhood_test
