// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The format of relayed messages and the tags (docs/wire.md).
#pragma once

#include <cstddef>
#include <cstdint>

#include "pattern/pattern.h"

namespace nbrhood {

// The header of every relayed message except those of a persistent plan after its first start.
// `blocks` 64-bit sizes follow in the order of the operation's slices, then the payload: the blocks
// whose size is at most T and P, without gaps. Blocks of more than P but at most T bytes follow as
// messages of their own, in the order of the slices. If blocks share bytes, the payload may instead
// be a table and the distinct bytes of all blocks of at most T (deduplicated_payload.h). All ranks
// of a job have the same byte order and layout.
struct Header {
    std::uint64_t pattern = 0; // agreed hash of the patterns of all ranks
    std::uint64_t payload = 0; // bytes after the sizes, in this message and the rest
    // Length of the payload's table; 0: blocks without gaps. In a failed message, which has no
    // payload, the place of the error: see Failure.
    std::uint64_t table = 0;
    std::uint32_t sequence = 0; // of the call, the same on all ranks of a component
    std::uint32_t blocks = 0;
    std::uint32_t phase = 0;
    std::uint32_t failed = 0; // an error code if the sender's part of the operation failed
};
static_assert(sizeof(Header) == 40, "the wire format has no hidden gaps");

// An error after which blocks are missing at other ranks, as relays pass it on.
struct Failure {
    int error = 0;
    std::int32_t at = -1;   // the rank that met it
    std::int32_t with = -1; // the rank whose message it was, or `at` itself
    std::uint64_t encode() const
    {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(at)) << 32
               | static_cast<std::uint32_t>(with);
    }
    static Failure decode(const Header &header)
    {
        return Failure{static_cast<int>(header.failed),
                       static_cast<std::int32_t>(header.table >> 32),
                       static_cast<std::int32_t>(header.table)};
    }
};

// Agreed at creation, equal on all ranks.
struct WireSettings {
    std::size_t combining_threshold = 4096; // T: larger blocks go direct, bytes; of one collective
    std::size_t preposted_size = 65536;     // E: payload beyond it follows later, bytes
    std::size_t packing_threshold = 8192;   // P: larger blocks follow unpacked, bytes
    std::uint64_t pattern = 0;
    // Not agreed: whether this rank looks for bytes that its send blocks share.
    bool remove_duplicates = true;
};

// Tags, see docs/wire.md: each operation owns kTagsPerOperation consecutive tags, one per phase for
// the first (or only) message and one per phase for its rest.
constexpr int kTagsPerOperation = 2 * kPhases;
constexpr int kTagBlocking = -(1 << 23); // static, one set per collective, then creation
constexpr int kTagNonblocking = -(1 << 23) + (1 << 10);
constexpr int kTagPersistent = -(1 << 23) + (1 << 21);
constexpr int kTagEnd = -(1 << 22);
// For neighbourhood collectives, for alltoallvs and for alltoallws that a graph of pairs serves.
constexpr std::uint32_t kNonblockingParts = 3;
constexpr std::uint32_t kNonblockingSets =
    ((1U << 20) - (1U << 10)) / kTagsPerOperation / kNonblockingParts;
constexpr std::uint32_t kPersistentSets = (1U << 21) / kTagsPerOperation;
constexpr int kTagCreation = kTagBlocking + 512;
// A set for each collective, then one for each graph of pairs.
constexpr int kTagBuild = kTagCreation + 16;
constexpr int kTagsPerBuild = 4;
constexpr int kBuildTagSets = 32;
// Allgathers have one tag each; all blocking ones share one.
constexpr int kTagAllgather = kTagBuild + kBuildTagSets * kTagsPerBuild;
constexpr int kTagIallgather = -(1 << 23) + (1 << 20);
constexpr std::uint32_t kIallgatherTags = 1U << 18;
// Persistent alltoallvs and alltoallws have one tag each; all other calls share one.
constexpr int kTagAlltoallv = kTagAllgather + 1;
constexpr int kTagAlltoallvInit = kTagIallgather + static_cast<int>(kIallgatherTags);
constexpr std::uint32_t kAlltoallvInitTags = 1U << 18;
constexpr int kTagAllgatherInit = kTagAlltoallvInit + static_cast<int>(kAlltoallvInitTags);
constexpr std::uint32_t kAllgatherInitTags = 1U << 19;
static_assert(
    kTagNonblocking + static_cast<int>(kNonblockingParts * kNonblockingSets) * kTagsPerOperation
            <= kTagIallgather
        && kTagAllgatherInit + static_cast<int>(kAllgatherInitTags) <= kTagPersistent
        && kTagBlocking + 8 * kTagsPerOperation <= kTagCreation && kTagAlltoallv < kTagNonblocking,
    "tags of different operations differ");
static_assert(kTagPersistent + static_cast<int>(kPersistentSets) * kTagsPerOperation <= kTagEnd,
              "the sets of tags stay in their range");

} // namespace nbrhood
