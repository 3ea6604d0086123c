// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The bytes of the application's blocks in memory.
#pragma once

#include <algorithm>
#include <vector>

#include "execute/transport.h"

namespace nbrhood {

// Addresses of the blocks of one buffer, found when first asked for.
class BlockMemory {
public:
    BlockMemory(const std::vector<UserBlock> &blocks, Transport &transport)
        : blocks_(blocks), transport_(transport), segments_(blocks.size()), known_(blocks.size(), 0)
    {}

    const UserBlock &block(std::size_t number) const { return blocks_[number]; }

    // The segments of plain memory that make up a block; null if the transport has to pack or
    // unpack it.
    const std::vector<MemorySegment> *find(std::size_t number)
    {
        const UserBlock &block = blocks_[number];
        std::vector<MemorySegment> &segments = segments_[number];
        if (known_[number] == 0) {
            known_[number] = 1;
            if (block.data != nullptr) {
                segments.push_back(MemorySegment{block.data, block.bytes});
            } else if (!transport_.flatten(block, block.bytes / kShortestSegment, segments)) {
                segments.clear();
            }
        }
        return segments.empty() ? nullptr : &segments;
    }

private:
    const std::vector<UserBlock> &blocks_;
    Transport &transport_;
    std::vector<std::vector<MemorySegment>> segments_;
    std::vector<char> known_;
};

// Walks two lists of segments (in memory or in a payload) side by side, up to the end of the
// shorter one, and calls use(a, b, bytes) for each stretch that is contiguous in both.
template <typename A, typename B, typename Use>
void walk(const std::vector<A> &a, const std::vector<B> &b, const Use &use)
{
    std::size_t i = 0, j = 0, done_a = 0, done_b = 0;
    while (i < a.size() && j < b.size()) {
        const std::size_t bytes = std::min(a[i].bytes - done_a, b[j].bytes - done_b);
        if (bytes != 0) {
            use(a[i].at + done_a, b[j].at + done_b, bytes);
        }
        done_a += bytes;
        done_b += bytes;
        if (done_a == a[i].bytes) {
            ++i;
            done_a = 0;
        }
        if (j < b.size() && done_b == b[j].bytes) {
            ++j;
            done_b = 0;
        }
    }
}

} // namespace nbrhood
