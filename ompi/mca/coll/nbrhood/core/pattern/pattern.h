// A pattern: what one rank sends, receives and copies in a neighbourhood collective, in symbolic
// blocks. A pattern holds no bytes, pointers, datatypes or communicators; core/execute binds it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/neighbourhood.h"
#include "pattern/words.h"

namespace nbrhood {

// Whether a rank sends one block to all its neighbours (allgather) or one block per edge
// (alltoall).
enum class BlockKind : std::uint8_t { one_per_rank, one_per_edge };
constexpr int kBlockKinds = 2;

// "one_per_rank" or "one_per_edge", as the text format has it.
const char *name_of(BlockKind kind);

// Where a block lies: the application's send or receive buffer, or the component's staging.
enum class Space : std::uint8_t { send, receive, staging };

// A fraction of a block: part `part` of `parts` equal parts (rounded to whole bytes when bound).
struct Slice {
    Space space = Space::send;
    std::uint32_t block = 0;
    std::uint16_t part = 0;
    std::uint16_t parts = 1;
};
bool operator==(const Slice &a, const Slice &b);

enum class OperationKind : std::uint8_t { send, receive, copy };

// How the blocks of an operation travel (docs/wire.md).
enum class Carry : std::uint8_t {
    direct,   // one block of the application on its own, whatever its size, without a header
    combined, // blocks up to the combining threshold T together in one message, behind a header
    direct_if_large // one block of the application on its own, only when it is larger than T
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

// A send starts, and a copy from staging takes place, once every staging slice it names has been
// received; everything else starts at once.
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
//   send combined 1 peer 7 key 0 : s0 s3 t1/0/2
// (s, r, t: send, receive, staging; /part/parts only where a slice is not the whole block).
std::string to_text(const Pattern &pattern);

// Reads the text format. Throws std::invalid_argument naming the line and the reason.
Pattern from_text(const std::string &text);

// The compact encoding in which builders send operations to each other: appended to and read from
// words. decode_operation throws BadWords when the words end early or are no operation's.
void encode_operation(const Operation &operation, std::vector<std::int32_t> &words);
Operation decode_operation(WordReader &words);

} // namespace nbrhood
