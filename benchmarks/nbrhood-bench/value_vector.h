// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The application's vector, whose entries go to neighbours.
#pragma once

#include "common/graph.h"
#include "measuring/mpi_headers.h"

#include <cstddef>
#include <vector>

namespace nbrhood_tools::bench {

/// One rank's entries of a distributed vector, with guards around them, and the entries of each
/// out-edge.
class ValueVector {
public:
    ValueVector(const Neighbourhood &part, std::size_t entry_bytes);

    unsigned char *data() { return memory_.data() + guard_bytes; }
    int entries() const { return entry_count_; }
    /// Resets the guards; the caller then writes the entries.
    void clear(unsigned char guard_value);
    /// The application's work before a call: copies the entries of an edge to a block.
    void pack(std::size_t edge, unsigned char *block) const;
    /// A datatype that picks the entries of an edge out of data(), made of units of a basic type.
    /// The caller frees it.
    MPI_Datatype pick(std::size_t edge, MPI_Datatype unit, int units_an_entry) const;
    /// Calls `visit(byte, entry or -1, index in the entry)` for all of the memory.
    template <typename Visitor>
    void for_each_byte(Visitor visit) const
    {
        const std::size_t end = memory_.size() - guard_bytes;
        for (std::size_t at = 0; at < memory_.size(); ++at) {
            const bool guard = at < guard_bytes || at >= end;
            const std::size_t offset = guard ? at : at - guard_bytes;
            visit(memory_[at], guard ? -1 : static_cast<int>(offset / entry_bytes_),
                  guard ? at : offset % entry_bytes_);
        }
    }

private:
    static constexpr std::size_t guard_bytes = 64;
    std::size_t entry_bytes_;
    int entry_count_;
    std::vector<std::vector<int>> entries_; ///< of each out-edge
    std::vector<unsigned char> memory_;
};

} // namespace nbrhood_tools::bench
