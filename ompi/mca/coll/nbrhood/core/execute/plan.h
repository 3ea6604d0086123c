// A plan: a program bound to the blocks of one call, ready to start and, for persistent requests,
// to start again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "execute/program.h"
#include "execute/settled.h"
#include "execute/transport.h"
#include "execute/values.h"
#include "execute/wire.h"

namespace nbrhood {

// One operation in flight at a time. Progress is driven by completions only: each one counts down
// what waits for it and starts what became ready. A plan is not thread-safe; under
// MPI_THREAD_MULTIPLE the glue serialises the calls into it. Completions may arrive inside any call
// to the transport.
class Plan {
public:
    // A plan that settles learns the sizes of all blocks it carries in its first start and needs no
    // headers afterwards: for persistent requests, whose counts never change.
    // Throws std::bad_alloc.
    Plan(std::shared_ptr<const Program> program, const WireSettings &wire, Transport &transport,
         bool settles);
    Plan(const Plan &) = delete;
    Plan &operator=(const Plan &) = delete;

    // The application's blocks, one for each block of the send buffer and each receive slot; to be
    // filled before start().
    std::vector<UserBlock> &send_blocks() { return send_blocks_; }
    std::vector<UserBlock> &receive_blocks() { return receive_blocks_; }

    // For persistent requests, after the blocks are filled: finds what the send blocks share, which
    // relays then carry once (Collom, Li, Bienz 2023, section 3.3). indices: see Values::find.
    // Plans that do not settle do so by themselves in every start. Throws std::bad_alloc.
    void find_shared(const std::int64_t *indices);

    // Starts the operation with the tags tag_base..tag_base+kTagsPerOperation-1. `sequence` counts
    // the operations with these tags and is equal on all ranks of a component. Ends with
    // transport.finished(), perhaps during this call.
    void start(int tag_base, std::uint32_t sequence);

    // Called by the transport once for each message it was given. As start(), throws std::bad_alloc
    // where a buffer cannot be had; then the operation cannot be ended.
    void completed(Token &token, int error, std::size_t bytes);

    Transport &transport() { return transport_; }

    // Bytes of buffers held, for the report.
    std::size_t memory() const;

private:
    struct Event {
        Token::Kind kind;
        std::uint32_t index;
        int error;
        std::size_t bytes;
    };
    struct Staged {
        const char *at = nullptr; // of the block, or of the payload that its runs lie in
        std::size_t bytes = 0;    // larger than T: not here, it goes direct
        const std::vector<Run> *runs = nullptr; // null: in one piece
        bool pooled = false;                    // may share bytes with others of its message
    };

    // What is here of a message.
    struct Arrival {
        std::uint32_t missing = 0; // of a relayed one: messages that are still to come
        bool in_rest = false;      // likewise: its payload was longer than E
        bool understood = true;    // likewise: nothing was found wrong with it
        bool disputed = false;     // of a large one: its two ends disagree on whether it is large
    };

    bool rides(std::size_t bytes) const { return bytes <= wire_.ride_threshold; }
    bool loose(std::size_t bytes) const { return rides(bytes) && bytes > wire_.pack_limit; }
    std::size_t packed(std::size_t bytes) const
    {
        return rides(bytes) && !loose(bytes) ? bytes : 0;
    }
    std::size_t prefix(const Program::Item &item) const;
    std::size_t room(const Program::Item &item) const;
    bool takes_place(const Program::Item &item, const std::vector<UserBlock> &blocks) const;
    int tag(const Program::Item &item, bool rest) const;
    void post_receive(std::uint32_t index);
    void launch_send(std::uint32_t index);
    void launch_relayed(std::uint32_t index);
    void launch_settled(std::uint32_t index);
    void send_loose(std::uint32_t slice, const void *from, const UserBlock *block,
                    std::size_t bytes);
    void receive_loose(std::uint32_t slice, void *to, const UserBlock *block, std::size_t bytes);
    void post_settled(std::uint32_t index);
    void post_loose(std::uint32_t slice);
    bool comes_in_place(std::uint32_t slice) const;
    void part_arrived(std::uint32_t index);
    std::size_t slice_bytes(const Slice &slice) const;
    void append_payload(const Slice &slice, std::size_t bytes, char *to);
    bool fill_pool(std::uint32_t index);
    bool worth_looking(const Program::Item &item, bool &needed) const;
    void add_to_pool(const Slice &slice, std::size_t bytes);
    std::size_t read_table(std::uint32_t index, const char *table);
    void run_copies();
    void drain();
    void handle(const Event &event);
    Header expected_header(const Program::Item &item) const;
    const char *read_header(std::uint32_t index, std::size_t bytes, Header &header);
    void parse(std::uint32_t index, std::size_t bytes);
    void check_part(std::uint32_t index, const Event &event, std::size_t expected);
    void reject(std::uint32_t index, const char *fault, const Header &got, std::size_t expected);
    void forget(std::uint32_t index);
    void deliver(std::uint32_t index);
    void deliver_block(const Program::Item &item, std::uint32_t slot, const Staged &from);
    void copy_out(const Staged &from, const UserBlock &block);
    void refuse(const Program::Item &item, std::uint32_t slot, std::size_t bytes);
    void check_settled(std::uint32_t index, std::size_t bytes, std::size_t expected);
    void receive_settled(std::uint32_t index);
    void settle();
    void received(std::uint32_t index);
    void record(int error);
    void lose(int error, Rank peer);
    void post(int started, Token &token);

    std::shared_ptr<const Program> program_;
    WireSettings wire_;
    Transport &transport_;
    std::vector<UserBlock> send_blocks_;
    std::vector<UserBlock> receive_blocks_;
    Layout layout_; // of relayed messages, as their headers said
    Values values_;
    Pool pool_;                             // of the message that is being sent
    std::vector<std::vector<char>> parted_; // blocks put together to be in it
    std::vector<char> scratch_;             // a block put together to be unpacked
    std::vector<Staged> staged_;
    std::vector<std::uint32_t> waiting_; // by send: receives still to come
    std::vector<Arrival> arrivals_;      // by receive
    std::vector<Token> tokens_; // sends, receives, rests of sends, rests of receives, loose slices
    std::vector<std::vector<char>> send_buffers_;
    std::vector<std::vector<char>> receive_buffers_;
    std::vector<std::vector<char>> rest_buffers_;
    std::vector<std::vector<char>> loose_buffers_; // by slice: loose blocks without a place
    std::vector<Event> events_;
    Settled settled_;
    bool settles_;
    bool draining_ = false;
    bool use_settled_ = false;
    int settled_error_ = 0; // sizes that do not fit, found in the first start: every start fails
    int broken_ = 0;        // error of a first start that leaves the sizes unknown
    int error_ = 0;         // the first of this operation
    Failure lost_;          // the first that keeps blocks from other ranks
    int tag_base_ = 0;
    std::uint32_t sequence_ = 0;
    std::size_t pending_ = 0;
};

} // namespace nbrhood
