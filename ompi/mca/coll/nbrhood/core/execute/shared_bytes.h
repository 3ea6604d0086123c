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

// The bytes of a rank's send blocks as segments whose positions say which of them are the same: by
// address, or, where the application gave its values indices, by these.
class SharedBytes {
public:
    // Looks at the blocks of one call. indices: one number for each element of the blocks, those of
    // the first block first, equal where the elements' contents are; null: by address.
    // shortest_segment: blocks whose bytes lie in shorter segments on average are not looked into.
    // Blocks as in the last call, when nothing was shared, are not looked at again. Throws
    // std::bad_alloc.
    void find(const std::vector<UserBlock> &blocks, Transport &transport,
              const std::int64_t *indices, std::size_t shortest_segment);

    // Whether blocks share bytes.
    bool shared() const { return shared_; }
    // Adds the segments of a block to a payload, in the order of the block's bytes. False
    // for a block that was not looked into.
    bool add_to(DeduplicatedPayload &deduplicated, std::size_t number,
                const UserBlock &block) const;

private:
    bool same_as_last(const std::vector<UserBlock> &blocks) const;
    bool find_segments(const UserBlock &block, Transport &transport, std::size_t shortest_segment,
                       std::vector<BlockSegment> &segments);

    std::vector<std::vector<BlockSegment>> segments_; // by block
    std::vector<BlockSegment> all_;
    std::vector<MemorySegment> memory_segments_;
    std::vector<UserBlock> last_; // where nothing was shared
    bool looked_ = false;         // segments_ are those of this call
    bool shared_ = false;
};

} // namespace nbrhood
