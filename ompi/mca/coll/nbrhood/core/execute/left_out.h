// What consecutive operations of one plan leave out of their combined messages.
#pragma once

#include <cstdint>
#include <vector>

namespace nbrhood {

// Blocks that were larger than T go direct in the next operations, too, whatever their size, and
// combined messages in which only such blocks are listed are not sent. All ranks on a block's way
// know which these are: its source and its destination by their own counts, relays by the headers.
// In every kPeriod-th operation all sizes are told again. See docs/wire.md, section 4.
class LeftOut {
public:
    static constexpr std::uint32_t kPeriod = 32;

    // Without it nothing is left out.
    void enable() { enabled_ = true; }
    // An operation with this number begins.
    void begin(std::uint32_t sequence)
    {
        if (sequence % kPeriod == kPeriod - 1) {
            blocks_ = slots_ = sends_ = receives_ = {};
        }
    }

    // Blocks of the send buffer, receive slots, and combined messages of the program.
    bool block(std::uint32_t number) const { return has(blocks_, number); }
    bool slot(std::uint32_t number) const { return has(slots_, number); }
    bool send(std::uint32_t number) const { return has(sends_, number); }
    bool receive(std::uint32_t number) const { return has(receives_, number); }

    // From the next operation on. Throw std::bad_alloc.
    void add_block(std::uint32_t number) { add(blocks_, number); }
    void add_slot(std::uint32_t number) { add(slots_, number); }
    void add_send(std::uint32_t number) { add(sends_, number); }
    void add_receive(std::uint32_t number) { add(receives_, number); }

private:
    static bool has(const std::vector<char> &of, std::uint32_t number)
    {
        return number < of.size() && of[number] != 0;
    }
    void add(std::vector<char> &to, std::uint32_t number) const
    {
        if (enabled_) {
            to.resize(number < to.size() ? to.size() : number + 1, 0);
            to[number] = 1;
        }
    }

    bool enabled_ = false;
    std::vector<char> blocks_;
    std::vector<char> slots_;
    std::vector<char> sends_;
    std::vector<char> receives_;
};

} // namespace nbrhood
