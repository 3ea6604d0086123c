// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Send layouts of alltoallv: the places of the values in memory, and the code that packs them.
#pragma once

#include <string>

namespace nbrhood_tools::bench {

enum class SendLayout {
    packed,  ///< alltoallv from blocks into which the application copied its values
    indexed, ///< the same, with the indices of the values passed to the library
    typed,   ///< alltoallw directly from the application's vector, by datatypes that pick entries
    overlapping, ///< alltoallv directly from the vector: all neighbours get the same block
};

/// "packed", "indexed", "typed" or "overlapping".
std::string name_of(SendLayout values);

/// True if the send blocks are copies that the application makes before each call.
inline bool needs_packing(SendLayout values)
{
    return values == SendLayout::packed || values == SendLayout::indexed;
}

} // namespace nbrhood_tools::bench
