// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Interface of a plan to the glue: moves bytes and the application's blocks between ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/neighbourhood.h"

namespace nbrhood {

// A block of the application in one call.
struct UserBlock {
    void *address = nullptr;    // first element, as passed to MPI (before any lower bound)
    std::size_t count = 0;      // elements
    const void *type = nullptr; // datatype, opaque to core
    std::size_t bytes = 0;      // packed size
    char *data = nullptr;       // first byte if the block is contiguous, else null
};

// The address `bytes` further on; null stays null.
inline char *moved(char *at, std::ptrdiff_t bytes)
{
    return at == nullptr ? nullptr : at + bytes;
}

// A segment of plain memory.
struct MemorySegment {
    char *at = nullptr;
    std::size_t bytes = 0;
};

// Noncontiguous blocks are searched for shared bytes only if their segments have at least this mean
// length: short ones suffice for persistent requests, but not for other calls, whose results serve
// only once.
constexpr std::size_t kShortestSegment = 4;
constexpr std::size_t kLongSegment = 64;

struct Failure;
struct Header;
struct Token;
class Transport;

// A call bound to its buffers, which may be started repeatedly: the interface that starts it and
// reports its completed messages.
class AnyPlan {
public:
    virtual ~AnyPlan() = default;
    // Starts the operation with the tags from tag_base on. `sequence` counts the operations with
    // these tags. Ends with transport().finished(), perhaps during this call. Throws std::bad_alloc
    // if there is no memory for a buffer; then the operation cannot be completed.
    virtual void start(int tag_base, std::uint32_t sequence) = 0;
    // Called by the transport once for each message it was given. As start(), throws
    // std::bad_alloc.
    virtual void completed(Token &token, int error, std::size_t bytes) = 0;
    virtual Transport &transport() = 0;
    // Bytes of buffers held, for the report.
    virtual std::size_t memory() const = 0;
};

// Names the message of a plan to which an operation of the transport belongs. Part of the plan.
struct Token {
    enum Kind : std::uint32_t {
        send,
        receive,
        send_rest, // up to here `index` is the number of a send or receive
        receive_rest,
        send_unpacked, // of these it is the number of a slice
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
    // Copy between a block and packed bytes (`bytes` of them, at most block.bytes).
    virtual int pack(const UserBlock &from, void *to) = 0;
    virtual int unpack(const void *from, std::size_t bytes, const UserBlock &to) = 0;
    // Appends the segments of a block, in the order of its bytes; false if there are more than
    // `most`.
    virtual bool flatten(const UserBlock &block, std::size_t most,
                         std::vector<MemorySegment> &memory_segments) = 0;
    // Cancels a receive that will never be matched; it completes like any other.
    virtual void cancel(Token &token) = 0;
    // The next three tell the user of an error and return the code with which the operation ends. A
    // relayed message is not the expected one. fault: the end of a sentence, "it ..."; the headers
    // say what each side believes (a payload of 0 bytes: not known).
    virtual int mismatch(Rank peer, const char *fault, const Header &got,
                         const Header &expected) = 0;
    // A block does not have the size that its receiver gave. source: the rank whose block it is;
    // peer: the rank that sent the message, the source itself or a relay. If both are this rank, it
    // sends blocks of another size than it receives although they must be equal.
    virtual int truncated(Rank source, Rank peer, std::size_t sent, std::size_t expected) = 0;
    // A message has no data because the operation failed before; failure.error is 0 if the message
    // says no more. only_relayed: none of its blocks was for this rank.
    virtual int failed_before(Rank peer, const Failure &failure, bool only_relayed) = 0;
    virtual int out_of_memory() = 0; // the error code for it
    // All messages of the plan are done; error is 0 or the first error met. The plan may now be
    // started again or destroyed.
    virtual void finished(AnyPlan &plan, int error) = 0;
};

} // namespace nbrhood
