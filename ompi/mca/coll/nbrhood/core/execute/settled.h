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
    // A message. Empty ones are not sent; one whose payload is a single piece of plain memory is
    // sent from there, or received there, without moves.
    struct Placement {
        char *at = nullptr;
        std::size_t bytes = 0;
        std::vector<Move> moves;
    };

    bool ready() const { return ready_; }

    // sizes[i] is the number of payload bytes of slice i of the program (0: not carried). The
    // blocks must keep their addresses. in_place: false where sizes were found not to fit the
    // blocks; then nothing is received straight into one. Throws std::bad_alloc, and is then not
    // ready.
    void bind(const Program &program, const std::vector<std::size_t> &sizes,
              std::vector<UserBlock> &send_blocks, std::vector<UserBlock> &receive_blocks,
              bool in_place);

    const Placement &send(std::size_t index) const { return sends_[index]; }
    const Placement &receive(std::size_t index) const { return receives_[index]; }
    std::size_t memory() const { return storage_.size(); }

private:
    Placement place(const Program &program, const Program::Item &item,
                    const std::vector<std::size_t> &sizes, std::vector<UserBlock> &blocks,
                    std::vector<char *> &staged, std::size_t &used);

    std::vector<Placement> sends_;
    std::vector<Placement> receives_;
    std::vector<char> storage_;
    bool ready_ = false;
    bool in_place_ = true;
};

} // namespace nbrhood
