// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The state of a call in the proof: the places of blocks, and the messages that nobody has
// received.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/location.h"

namespace nbrhood {

// The block of a rank's send buffer from which data comes.
struct Origin {
    Rank rank = kNoRank;
    std::uint32_t block = 0;
    bool operator==(const Origin &other) const
    {
        return rank == other.rank && block == other.block;
    }
};

// The places in one space of a rank that its operations fill, each with the block whose same part
// filled it. Only places that the pattern names are stored, because the patterns of thousands of
// ranks have millions.
class Places {
public:
    // announced: a combined message has come without a block that it names, because the block is
    // larger than T.
    enum class State : std::uint8_t { empty, announced, filled };
    struct Place {
        Location location;
        State state = State::empty;
        Origin origin;
    };
    enum class Fault : std::uint8_t { none, filled_twice, of_two_blocks };
    using Iterator = std::vector<Place>::const_iterator;

    Places(const Pattern &pattern, Space space);

    // The block of which a slice holds a part; none unless all of the slice is at least in this
    // state.
    std::optional<Origin> find(const Slice &slice, State least) const;
    // slice: one that an operation of the pattern fills.
    Fault fill(const Slice &slice, const Origin &origin, State state);
    // The places of a block, filled or not, by their beginnings.
    std::pair<Iterator, Iterator> of_block(std::uint32_t block) const;

private:
    std::vector<Place> places_; // ascending
};

// The messages that wait for their receive on one rank. Their data is still in the places from
// which it was sent, because no place is filled twice.
class Arrivals {
public:
    struct Arrival {
        Rank source;
        std::uint8_t phase;
        bool taken;
        std::uint32_t number; // number of the send among the operations of the source
        bool operator<(const Arrival &b) const;
    };

    // A source posts a send.
    void post(Rank source, std::uint8_t phase, std::uint32_t number);
    // Makes the messages posted since the last call ready to be taken. They are sorted all at once,
    // because keeping the messages of thousands of sources in order as they come would take far
    // longer.
    void settle();
    // The number of the first posted send among the ready ones of a source and phase.
    std::optional<std::uint32_t> take(Rank source, std::uint8_t phase);
    // The messages that nobody took.
    std::vector<Arrival> left() const;

private:
    std::vector<Arrival> arrivals_; // ready messages come first, ascending
    std::size_t ready_ = 0;
};

} // namespace nbrhood
