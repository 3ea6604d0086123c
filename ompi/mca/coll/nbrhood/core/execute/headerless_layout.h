// Where the messages of a plan lie in memory once all block sizes are known.
#pragma once

#include <cstddef>
#include <vector>

#include "execute/deduplicated_payload.h"
#include "execute/program.h"
#include "execute/transport.h"

namespace nbrhood {

// The blocks of combined messages: as the first start of a persistent request learns them from
// headers, or as they are known.
struct BlockLayout {
    explicit BlockLayout(const Program &program)
        : sizes(program.slices().size(), 0), payload_segments(program.slices().size()),
          deduplicated(program.sends().size() + program.receives().size(), 0)
    {}
    std::vector<std::size_t> sizes;                            // by slice: bytes (0: not carried)
    std::vector<std::vector<PayloadSegment>> payload_segments; // by slice of a deduplicated message
    std::vector<char> deduplicated; // by send, then by receive: shared bytes appear once
};

// The buffers of combined messages without headers, and what is copied between these and the
// application's blocks. Starts that use it compute and allocate nothing.
class HeaderlessLayout {
public:
    // A segment of a message that is copied between a buffer and its place.
    struct Copy {
        char *message = nullptr;          // in the message's buffer
        char *place = nullptr;            // plain memory, or null:
        const UserBlock *block = nullptr; // packed or unpacked by the transport
        std::size_t bytes = 0;
    };
    // A block that is a message of its own: from or to plain memory, or by the transport.
    struct Unpacked {
        std::uint32_t slice = 0;
        char *place = nullptr;            // where `block` is null
        const UserBlock *block = nullptr; // of the application
        std::size_t bytes = 0;
    };
    // A message. Empty ones are not sent; one whose payload is a single segment of plain memory is
    // sent from there, or received there, without copies.
    struct Placement {
        char *at = nullptr;
        std::size_t bytes = 0;
        std::vector<Copy> copies;
        std::vector<Unpacked> unpacked;
    };

    // Blocks of more than packing_threshold bytes are messages of their own, but in deduplicated
    // messages. The blocks must keep their addresses. in_place: false where sizes were found not to
    // fit the blocks; then nothing is received straight into one. Throws std::bad_alloc.
    void bind(const Program &program, const BlockLayout &layout, std::size_t packing_threshold,
              Transport &transport, const std::vector<UserBlock> &send_blocks,
              const std::vector<UserBlock> &receive_blocks, bool in_place);

    // The application's blocks lie so many bytes further. All must be contiguous.
    void move(std::ptrdiff_t send, std::ptrdiff_t receive);

    const Placement &send(std::size_t index) const { return sends_[index]; }
    const Placement &receive(std::size_t index) const { return receives_[index]; }
    // Bytes of buffers and lists held.
    std::size_t memory() const;

private:
    class Binder;

    void move(std::vector<Placement> &placements, std::ptrdiff_t bytes) const;

    std::vector<Placement> sends_;
    std::vector<Placement> receives_;
    std::vector<char> storage_;
};

} // namespace nbrhood
