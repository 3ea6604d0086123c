// The layout of a persistent plan whose block sizes are known: no headers, no searching.
#pragma once

#include <cstddef>
#include <vector>

#include "execute/program.h"
#include "execute/transport.h"

namespace nbrhood {

// Where the messages of a plan lie in memory once all sizes are known. Bound once, by the first
// start of a persistent request; later starts compute and allocate nothing.
class Settled {
public:
    // A piece of a message that is copied between a buffer and its place.
    struct Move {
        char *message = nullptr;          // in the message's buffer
        char *place = nullptr;            // plain memory, or null:
        const UserBlock *block = nullptr; // packed or unpacked by the transport
        std::size_t bytes = 0;
    };
    // A block that is a message of its own: from or to plain memory, or by the transport.
    struct Loose {
        std::uint32_t slice = 0;
        char *place = nullptr;            // where `block` is null
        const UserBlock *block = nullptr; // of the application
        std::size_t bytes = 0;
    };
    // A message. Empty ones are not sent; one whose payload is a single piece of plain memory is
    // sent from there, or received there, without moves.
    struct Placement {
        char *at = nullptr;
        std::size_t bytes = 0;
        std::vector<Move> moves;
        std::vector<Loose> loose;
    };

    bool ready() const { return ready_; }

    // sizes[i] is the number of payload bytes of slice i of the program (0: not carried); more than
    // pack_limit of them are a message of their own. The blocks must keep their addresses.
    // in_place: false where sizes were found not to fit the blocks; then nothing is received
    // straight into one. Throws std::bad_alloc, and is then not ready.
    void bind(const Program &program, const std::vector<std::size_t> &sizes, std::size_t pack_limit,
              std::vector<UserBlock> &send_blocks, std::vector<UserBlock> &receive_blocks,
              bool in_place);

    const Placement &send(std::size_t index) const { return sends_[index]; }
    const Placement &receive(std::size_t index) const { return receives_[index]; }
    std::size_t memory() const { return storage_.size(); }

private:
    Placement place(const Program &program, const Program::Item &item,
                    const std::vector<std::size_t> &sizes, std::vector<UserBlock> &blocks,
                    std::vector<char *> &staged, std::size_t &used);

    void place_loose(const Program &program, const Program::Item &item,
                     const std::vector<std::size_t> &sizes, std::vector<UserBlock> &blocks,
                     std::vector<char *> &staged, std::size_t &used, Placement &placement);

    bool needs_place(const Slice &slice) const;
    std::size_t room(const Program &program, const std::vector<std::size_t> &sizes) const;

    std::vector<Placement> sends_;
    std::vector<Placement> receives_;
    std::vector<char> storage_;
    std::size_t pack_limit_ = 0;
    bool ready_ = false;
    bool in_place_ = true;
};

} // namespace nbrhood
