// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// How blocks travel along one dimension of a grid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nbrhood {

// One dimension of a grid. Coordinates run from 0; the neighbourhood of one reaches `radius` to
// either side, less at an open border. What it would reach from both sides, in a periodic dimension
// that is short, it reaches from one.
struct GridDimension {
    int extent = 1;
    int radius = 0;
    bool periodic = false;

    // How far the neighbourhood of a coordinate reaches down and up.
    int below(int at) const { return std::min(radius, periodic ? (extent - 1) / 2 : at); }
    int above(int at) const { return std::min(radius, periodic ? extent / 2 : extent - 1 - at); }
    // The coordinates in the neighbourhood of one, itself among them.
    int reached(int at) const { return below(at) + 1 + above(at); }
    // Those of all coordinates, each without itself: edges of a row of ranks.
    std::int64_t edges() const
    {
        const std::int64_t far = radius;
        return periodic ? std::int64_t{extent} * (reached(0) - 1)
                        : 2 * far * extent - far * (far + 1);
    }
    // The coordinate that lies `offset` further up.
    int moved(int at, int offset) const { return ((at + offset) % extent + extent) % extent; }
};

// The coordinates in the neighbourhood of one, ascending.
std::vector<int> reached_from(const GridDimension &dimension, int at);

// Blocks travel along a dimension in stages, of which each makes what a rank has wider: at the end
// of one it has the blocks of its neighbourhood up to that radius. These are the radii; the last
// one is `radius`.
//
// With m messages to either side a stage makes what there is 2m + 1 times as wide. So the fewest
// messages take stages with one to either side, each of which makes it three times as wide; where a
// stage of two can take the place of two of these, that saves a stage. For radius 1 and 2 that is
// one stage with all neighbours; for radius 4 two, with 4 messages instead of 8. A stage costs less
// than a message saved.
std::vector<int> stage_radii(int radius);

// A message in a stage: blocks of consecutive coordinates and the peer, all as offsets from the
// rank that lists them.
struct GridMessage {
    int peer = 0;
    int first = 0;
    int last = 0;
};

// The messages that a coordinate receives and sends in the stage that makes what it has wider, from
// one radius to another. They come from the nearest that have what they bring, all of it within the
// receiver's neighbourhood, so that each peer is a neighbour. No two stages have a message for the
// same ordered pair.
std::vector<GridMessage> received_in_stage(const GridDimension &dimension, int at, int from,
                                           int to);
std::vector<GridMessage> sent_in_stage(const GridDimension &dimension, int at, int from, int to);

// The messages of a coordinate in all stages: those that it receives, and those that it sends.
int received_along(const GridDimension &dimension, int at);
int sent_along(const GridDimension &dimension, int at);
// Those that all coordinates receive.
std::int64_t messages_along(const GridDimension &dimension);

} // namespace nbrhood
