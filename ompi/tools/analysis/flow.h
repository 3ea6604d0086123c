// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The messages of one call over all ranks, computed from their patterns by matching every send with
// its receive and giving every block a size.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "pattern/pattern.h"

namespace nbrhood {

struct AllgatherShape;
struct AllgatherPattern;

// The size in bytes of a block of a rank's send buffer.
using BlockBytes = std::function<std::uint64_t(Rank, std::uint32_t block)>;

// The numbers of the entries in a block of a rank's send buffer. Blocks of a rank may have entries
// in common, which one message can carry once (deduplicated payload).
using BlockEntries = std::function<const std::vector<int> &(Rank, std::uint32_t block)>;

// How blocks travel, by their size (docs/wire.md): up to `packing` bytes (P) packed together, up to
// `combining` bytes (T) on the same route as messages of their own, above that directly to their
// destinations.
struct FlowLimits {
    std::uint64_t combining = 0;
    std::uint64_t packing = 0;
};

// One message, as a persistent request sends it from its second start on: without a header. If its
// blocks lie in one segment of memory, it is sent from or received into that segment without a copy
// (execute/headerless_layout.h); otherwise its segments are copied. Blocks of the application count
// as separate segments, unless the pattern names them as a run.
struct FlowMessage {
    std::uint64_t bytes = 0;
    std::uint64_t scattered_bytes = 0; // of the segments that its receiver copies out of it
    std::uint64_t copied_bytes = 0;    // that the receiver copies on from staging to its slots
    Rank source = kNoRank;
    Rank destination = kNoRank;
    std::uint32_t blocks = 0;
    std::uint32_t gathered = 0;  // segments that its sender copies into it
    std::uint32_t scattered = 0; // segments that its receiver copies out of it
    std::uint32_t waits_for = 0; // messages that its source must have received before
    std::uint8_t phase = kLocal;
};

// Used by the evaluation, the counts and the tools; a call never makes one.
class Flow {
public:
    // A part of a list of message numbers.
    class Range {
    public:
        Range(const std::uint32_t *first, const std::uint32_t *last) : first_(first), last_(last) {}
        const std::uint32_t *begin() const { return first_; }
        const std::uint32_t *end() const { return last_; }
        std::size_t size() const { return static_cast<std::size_t>(last_ - first_); }

    private:
        const std::uint32_t *first_;
        const std::uint32_t *last_;
    };

    // patterns[r] belongs to rank r. Throws std::invalid_argument, which names the ranks, if the
    // patterns cannot run: a send without a receive or the reverse, different numbers of blocks,
    // staging that nothing fills (or only blocks above T), a copy without its two ends. prove()
    // checks that each slot gets the right block.
    // block_entries: if set, distinct_entries() are known; each slice must be a whole block.
    Flow(const std::vector<Pattern> &patterns, const BlockBytes &block_bytes,
         const FlowLimits &limits, const BlockEntries &block_entries = {});

    Rank ranks() const { return static_cast<Rank>(staging_bytes_.size()); }
    // Grouped by source; the messages of a source are in the order in which it posts them.
    const std::vector<FlowMessage> &messages() const { return messages_; }
    // The numbers of the messages of a source: [first_of(rank), first_of(rank + 1)).
    std::uint32_t first_of(Rank source) const
    {
        return first_of_[static_cast<std::size_t>(source)];
    }
    // The messages that wait for this one.
    Range feeds(std::uint32_t message) const
    {
        return Range(feeds_.data() + first_feed_[message],
                     feeds_.data() + first_feed_[message + 1]);
    }
    // By message: its entries, of which equal ones of a rank count once. Empty if they are not
    // known.
    const std::vector<std::uint32_t> &distinct_entries() const { return distinct_entries_; }
    // Bytes that a rank copies from its send to its receive buffer (self edges) and to staging.
    std::uint64_t self_bytes(Rank rank) const
    {
        return self_bytes_[static_cast<std::size_t>(rank)];
    }
    // Bytes of foreign blocks that a rank holds for others.
    std::uint64_t staging_bytes(Rank rank) const
    {
        return staging_bytes_[static_cast<std::size_t>(rank)];
    }
    // The length of the longest chain of messages that wait for one another.
    int depth() const;

private:
    class Linker;
    friend Flow flow_of_allgather(const std::vector<AllgatherPattern> &patterns,
                                  const AllgatherShape &shape, std::uint64_t block_bytes);

    Flow() = default;
    // links: (message, one that waits for it).
    void link(std::vector<std::pair<std::uint32_t, std::uint32_t>> &links);

    std::vector<FlowMessage> messages_;
    std::vector<std::uint32_t> first_of_;
    std::vector<std::uint32_t> first_feed_;
    std::vector<std::uint32_t> feeds_;
    std::vector<std::uint32_t> distinct_entries_;
    std::vector<std::uint64_t> self_bytes_;
    std::vector<std::uint64_t> staging_bytes_;
};

} // namespace nbrhood
