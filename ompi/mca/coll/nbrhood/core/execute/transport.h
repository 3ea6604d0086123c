// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Interface of a plan to the glue: moves bytes and the application's blocks between ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/neighbourhood.h"

namespace nbrhood {

// A block of the application, as one call gives it.
struct UserBlock {
    void *address = nullptr;    // first element, as passed to MPI (before any lower bound)
    std::size_t count = 0;      // elements
    const void *type = nullptr; // datatype, opaque to core
    std::size_t bytes = 0;      // packed size
    char *data = nullptr;       // first byte where the block is contiguous, else null
};

// Memory so many bytes further, in another buffer; null stays null.
inline char *moved(char *at, std::ptrdiff_t bytes)
{
    return at == nullptr ? nullptr : at + bytes;
}

// A segment of plain memory.
struct MemorySegment {
    char *at = nullptr;
    std::size_t bytes = 0;
};

// Noncontiguous blocks are looked into, for persistent requests, where their bytes lie in segments
// of this many or more on average; for calls whose findings serve once, in much longer ones.
constexpr std::size_t kShortestSegment = 4;
constexpr std::size_t kLongSegment = 64;

struct Failure;
struct Header;
struct Token;
class Transport;

// A call bound to its buffers, which may be started again and again: what those know of it that
// bring it its messages and start it.
class AnyPlan {
public:
    virtual ~AnyPlan() = default;
    // Starts the operation with the tags from tag_base on. `sequence` counts the operations with
    // these tags. Ends with transport().finished(), perhaps during this call. Throws std::bad_alloc
    // where a buffer cannot be had; then the operation cannot be ended.
    virtual void start(int tag_base, std::uint32_t sequence) = 0;
    // Called by the transport once for each message it was given. As start(), throws
    // std::bad_alloc.
    virtual void completed(Token &token, int error, std::size_t bytes) = 0;
    virtual Transport &transport() = 0;
    // Bytes of buffers held, for the report.
    virtual std::size_t memory() const = 0;
};

// Which of a plan's messages an operation of the transport belongs to. Lives in the plan.
struct Token {
    enum Kind : std::uint32_t {
        send,
        receive,
        send_rest, // of these and the above `index` counts the plan's sends or receives
        receive_rest,
        send_unpacked, // of these it is that of a slice
        receive_unpacked
    };
    AnyPlan *plan = nullptr;
    std::uint32_t index = 0;
    Kind kind = send;
    bool distant = false;    // for the transport's own use
    void *request = nullptr; // likewise
};

// Implemented by the glue over the PML, and by the tests in memory. Starting functions return 0 or
// an error code; after 0 the transport calls plan->completed(token, ...) once, during the call or
// later.
class Transport {
public:
    virtual ~Transport() = default;
    virtual int send_bytes(const void *from, std::size_t bytes, Rank peer, int tag,
                           Token &token) = 0;
    virtual int receive_bytes(void *to, std::size_t capacity, Rank peer, int tag, Token &token) = 0;
    virtual int send_block(const UserBlock &block, Rank peer, int tag, Token &token) = 0;
    virtual int receive_block(const UserBlock &block, Rank peer, int tag, Token &token) = 0;
    // Copies a block within the rank; the two type signatures are equal.
    virtual int copy_block(const UserBlock &from, const UserBlock &to) = 0;
    // Between blocks and packed bytes (`bytes` of them, at most block.bytes).
    virtual int pack(const UserBlock &from, void *to) = 0;
    virtual int unpack(const void *from, std::size_t bytes, const UserBlock &to) = 0;
    // Appends where the bytes of a block lie, in their order; false when that is in more than
    // `most` segments.
    virtual bool flatten(const UserBlock &block, std::size_t most,
                         std::vector<MemorySegment> &memory_segments) = 0;
    // Ends a receive that will never be matched; it completes like any other.
    virtual void cancel(Token &token) = 0;
    // The next three tell the user of an error and return the code with which the operation ends.
    // A relayed message is not the one that was expected: what is wrong with it (the end of a
    // sentence, "it ..."), and what each side believes (a payload of 0 bytes: not known).
    virtual int mismatch(Rank peer, const char *fault, const Header &got,
                         const Header &expected) = 0;
    // A block is not of the size that its receiver gave. source: the rank whose block it is; peer:
    // who brought it, the source itself or a relay; both this rank: it sends blocks of another size
    // than it receives where they must be equal.
    virtual int truncated(Rank source, Rank peer, std::size_t sent, std::size_t expected) = 0;
    // A message has no data because the operation failed before; failure.error is 0 where the
    // message cannot say more. only_relayed: none of its blocks was for this rank.
    virtual int failed_before(Rank peer, const Failure &failure, bool only_relayed) = 0;
    virtual int out_of_memory() = 0; // the error code for it
    // All messages of the plan are done; error is 0 or the first error met. The plan may be started
    // again or destroyed from here on.
    virtual void finished(AnyPlan &plan, int error) = 0;
};

} // namespace nbrhood
