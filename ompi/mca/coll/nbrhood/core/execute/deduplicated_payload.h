// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The payload of a message in which bytes that several of its blocks share appear once.
//
// Implements the removal of duplicate data: Collom, Li, Bienz, "Optimizing Irregular Communication
// with Neighborhood Collectives and Locality-Aware Parallelism" (2023), section 3.3. A message has
// a table of the places of each block's bytes in its payload, so relays and the ranks behind them
// know the shared bytes without any knowledge of the sender's buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nbrhood {

// A segment of a message's payload (after its table).
struct PayloadSegment {
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
};

// Bytes of a block in memory. Bytes at equal positions are the same; so two segments whose
// positions overlap share bytes.
struct BlockSegment {
    std::uint64_t position = 0;
    const char *memory = nullptr;
    std::size_t bytes = 0;
};

// Replaces segments by others that cover each position once, in the order of positions, and merges
// adjacent segments.
void cover(std::vector<BlockSegment> &segments);

// Positions from here on belong to values to which the application gave indices. The positions of
// other values are their addresses, which are lower.
constexpr std::uint64_t kIndexedPositions = std::uint64_t{1} << 63;

// Lays out one message. Reused for the next one, because it keeps its memory.
class DeduplicatedPayload {
public:
    void clear();
    // add() adds a segment to the current block, end_block() ends the block.
    void add(const BlockSegment &segment);
    void end_block();
    // To be called after the last block.
    void lay_out();

    std::size_t block_bytes() const { return block_bytes_; } // of all blocks, shared or not
    std::size_t bytes() const { return bytes_; }             // distinct
    // The table: for each block the number of its segments, and these, in 64-bit numbers.
    std::size_t table_bytes() const;
    void write_table(char *to) const;
    void write(char *to) const;
    // The segments of the payload that hold the bytes of block number `block`, in the order of
    // add().
    void payload_segments(std::size_t block, std::vector<PayloadSegment> &to) const;

private:
    std::vector<BlockSegment> segments_; // in the order of the blocks
    std::vector<std::size_t> ends_;      // by block: the end of its segments
    std::vector<BlockSegment> covered_;  // in the order of the payload
    std::vector<std::size_t> starts_;    // by covered segment: its offset in the payload
    std::vector<PayloadSegment> payload_segments_;
    std::vector<std::size_t> payload_segment_ends_; // by block
    std::size_t block_bytes_ = 0;
    std::size_t bytes_ = 0;
};

// The longest table that these blocks can need, since no segment is empty.
constexpr std::uint64_t longest_table(std::uint64_t blocks, std::uint64_t block_bytes)
{
    return blocks * sizeof(std::uint64_t) + block_bytes * sizeof(PayloadSegment);
}

// Reads the entry of one block of `bytes` bytes from a table that `payload` bytes follow. Advances
// `at`; false if the entry is invalid.
bool read_segments(const char *table, std::size_t table_bytes, std::size_t &at, std::size_t bytes,
                   std::size_t payload, std::vector<PayloadSegment> &payload_segments);

} // namespace nbrhood
