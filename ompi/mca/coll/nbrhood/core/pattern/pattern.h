// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A pattern: the messages and copies of one rank in a neighbourhood collective, in symbolic blocks.
// It holds no bytes, pointers, datatypes or communicators; core/execute binds it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/neighbourhood.h"
#include "pattern/message_words.h"

namespace nbrhood {

// Whether a rank sends one block to all its neighbours (allgather) or one block per edge
// (alltoall).
enum class BlockKind : std::uint8_t { one_per_rank, one_per_edge };
constexpr int kBlockKinds = 2;

// "one_per_rank" or "one_per_edge", as in the text format.
const char *name_of(BlockKind kind);

// The memory of a block: the application's send or receive buffer, or the component's staging.
enum class Space : std::uint8_t { send, receive, staging };

// The data of an operation: a block; or an interval of one, from `first` to `last` (not included)
// of `of` equal parts, rounded to whole bytes when bound; or a run of `count` consecutive blocks,
// all whole.
struct Slice {
    Space space = Space::send;
    std::uint32_t block = 0; // the first of a run
    std::uint32_t count = 1;
    std::uint16_t first = 0;
    std::uint16_t last = 1;
    std::uint16_t of = 1;

    bool whole() const { return first == 0 && last == of; }
    // The first byte of the slice in a block of `bytes` bytes, and the number of its bytes.
    std::size_t begin(std::size_t bytes) const { return bytes * first / of; }
    std::size_t size(std::size_t bytes) const { return bytes * last / of - begin(bytes); }
};
// Whole blocks are equal whatever parts they are said to have.
bool operator==(const Slice &a, const Slice &b);

// An interval of a block: [first, last) of `of` parts.
Slice interval(Space space, std::uint32_t block, std::uint16_t first, std::uint16_t last,
               std::uint16_t of);
// A run of whole blocks.
Slice run(Space space, std::uint32_t block, std::uint32_t count);

// Whether the slice is valid: at least one block, whole blocks if there are several; an interval is
// not empty and ends inside its block.
bool well_formed(const Slice &slice);

enum class OperationKind : std::uint8_t { send, receive, copy };

// How the blocks of an operation travel (docs/wire.md).
enum class Carry : std::uint8_t {
    // Blocks of the application, whatever their size, without a header. In phase kLocal one block,
    // from its source; in other phases also parts of blocks, several blocks, or blocks that came to
    // a receive slot.
    direct,
    combined, // blocks up to the combining threshold T together in one message, behind a header
    // Only if the block is larger than T: in phases kLocal and kLarge one block of the application
    // on its own, in other phases the data that `direct` carries in them.
    direct_if_large,
    direct_if_small // one block of the application on its own, only if it is not larger than T
};

// The phases of the algorithms; part of a message's tag.
enum Phase : std::uint8_t { kLocal = 0, kGather = 1, kInter = 2, kRedistribute = 3, kLarge = 4 };
constexpr int kPhases = 8;

// One message (send, receive), or one copy of slices[0] to slices[1] within the rank. Messages
// between an ordered pair of ranks are matched by phase, and within a phase in the order of their
// keys, which is the order in which both sides list them.
struct Operation {
    OperationKind kind = OperationKind::send;
    Carry carry = Carry::direct;
    std::uint8_t phase = kLocal;
    Rank peer = kNoRank;
    std::int32_t key = 0;
    std::vector<Slice> slices;
};
bool operator==(const Operation &a, const Operation &b);

// Whether a message without a header travels as bytes, because it may have parts of blocks, several
// blocks, or blocks that came to a receive slot. Otherwise it is one block with the application's
// datatype.
bool travels_in_bytes(Carry carry, std::uint8_t phase);

// A send or a copy starts once the staging and receive slots that it names have been filled; all
// other operations start at once. A slice fills the same interval of its block as at its sender, so
// a place holds one block, or parts of one block.
struct Pattern {
    Rank rank = kNoRank;
    BlockKind kind = BlockKind::one_per_edge;
    std::uint32_t staging_blocks = 0;
    std::vector<Operation> operations;
};
bool operator==(const Pattern &a, const Pattern &b);

// A number that depends on every field of the pattern.
std::uint64_t hash_pattern(const Pattern &pattern);

// The text format: one line for the pattern, one for each operation, e.g.
//   pattern rank 3 one_per_edge staging 2
//   send combined 1 peer 7 key 0 : s0 s3 t1/0-1/2 t4+8
// (s, r, t: send, receive, staging; s0 is a block, t1/0-1/2 the interval [0, 1) of its 2 halves,
// t4+8 a run of 8 blocks).
std::string to_text(const Pattern &pattern);

// Reads the text format. Throws std::invalid_argument naming the line and the reason.
Pattern from_text(const std::string &text);

// The compact encoding in which builders send operations to each other: appended to and read from
// words. decode_operation throws BadMessage if the words end early or are not an operation.
void encode_operation(const Operation &operation, std::vector<std::int32_t> &words);
Operation decode_operation(WordReader &words);

} // namespace nbrhood
