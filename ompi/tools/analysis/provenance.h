// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// What the proof remembers of a call: which block is where, and which messages nobody has received.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/location.h"

namespace nbrhood {

// The block of a rank's send buffer that data is of.
struct Origin {
    Rank rank = kNoRank;
    std::uint32_t block = 0;
    bool operator==(const Origin &other) const
    {
        return rank == other.rank && block == other.block;
    }
};

// The places in one space of a rank that its operations fill, and what they were filled with: the
// same part of a block. The pattern names all of them, so that they take no more memory than their
// number: the patterns of thousands of ranks have millions.
class Places {
public:
    // announced: a combined message has come that would have brought a block, had it not been
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

    // Of what block a slice holds a part; none unless all of it is at least in this state.
    std::optional<Origin> find(const Slice &slice, State least) const;
    // slice: one that an operation of the pattern fills.
    Fault fill(const Slice &slice, const Origin &origin, State state);
    // The places of a block, filled or not, by their beginnings.
    std::pair<Iterator, Iterator> of_block(std::uint32_t block) const;

private:
    std::vector<Place> places_; // ascending
};

// The messages that wait for their receive on one rank. What they carry is still in the places from
// which they were sent, because nothing is filled twice.
class Arrivals {
public:
    struct Arrival {
        Rank source;
        std::uint8_t phase;
        bool taken;
        std::uint32_t number; // of the send among the operations of the source
        bool operator<(const Arrival &b) const;
    };

    // A source posts a send.
    void post(Rank source, std::uint8_t phase, std::uint32_t number);
    // Makes what was posted since the last call ready to be taken: sorted all at once, because to
    // keep the messages of thousands of sources in order as they come would take far longer.
    void settle();
    // The number of the send that was posted first of those of a source and phase that are ready.
    std::optional<std::uint32_t> take(Rank source, std::uint8_t phase);
    // Those that nobody took.
    std::vector<Arrival> left() const;

private:
    std::vector<Arrival> arrivals_; // those that are ready come first, ascending
    std::size_t ready_ = 0;
};

} // namespace nbrhood
