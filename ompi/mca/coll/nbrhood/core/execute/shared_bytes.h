// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Bytes that the send blocks of a rank have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "execute/deduplicated_payload.h"
#include "execute/transport.h"

namespace nbrhood {

// The bytes of a rank's send blocks as segments with positions. Bytes at equal positions are the
// same. Positions are addresses or, if the application gave its values indices, are computed from
// the indices.
class SharedBytes {
public:
    // Examines the blocks of one call. indices: one number for each element of the blocks, block
    // after block; equal indices mean equal contents; null: by address. Blocks whose segments are
    // shorter than shortest_segment on average are skipped. If the last call had the same blocks
    // and shared nothing, nothing is examined again. Throws std::bad_alloc.
    void find(const std::vector<UserBlock> &blocks, Transport &transport,
              const std::int64_t *indices, std::size_t shortest_segment);

    // Whether blocks share bytes.
    bool shared() const { return shared_; }
    // Adds the segments of a block to a payload, in the order of the block's bytes. False for a
    // block that was skipped.
    bool add_to(DeduplicatedPayload &deduplicated, std::size_t number,
                const UserBlock &block) const;

private:
    bool same_as_last(const std::vector<UserBlock> &blocks) const;
    bool find_segments(const UserBlock &block, Transport &transport, std::size_t shortest_segment,
                       std::vector<BlockSegment> &segments);

    std::vector<std::vector<BlockSegment>> segments_; // by block
    std::vector<BlockSegment> all_;
    std::vector<MemorySegment> memory_segments_;
    std::vector<UserBlock> last_; // of the last call, if it shared nothing
    bool looked_ = false;         // segments_ are those of this call
    bool shared_ = false;
};

} // namespace nbrhood
