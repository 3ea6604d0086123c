// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// How host memory mirrors the blocks of a call that lie in the memory of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nbrhood {

// Bytes from `begin` to before `end`, by address.
struct AddressRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

// One copy between a device and its mirror.
struct MirrorCopy {
    std::uintptr_t at = 0;  // on the device
    std::size_t offset = 0; // in the mirror
    std::size_t bytes = 0;
};

// The mirror of one side of a call. The memory that a block's datatype spans stays together, and so
// do blocks that overlap: datatypes, and comparisons of addresses, mean the same in the mirror.
// Blocks that lie far apart on the device come closer, to keep the mirror small.
class MirrorLayout {
public:
    // Adds the range of a block, from its lowest to its highest byte. All functions below throw
    // std::bad_alloc.
    void add_span(AddressRange span) { spans_.push_back({span, 0}); }
    // Adds bytes of a block, within a span, that are copied. allocation: the memory around them
    // that the device can copy in one piece; at least the segment itself.
    void add_segment(AddressRange segment, AddressRange allocation)
    {
        segments_.push_back({segment, allocation});
    }
    // Finds places and copies, after all spans and segments were added. Segments with up to `gap`
    // bytes between them are one copy, which includes these bytes; gap must be 0 if they may not be
    // written. as_one: all distances stay.
    void finish(std::size_t gap, bool as_one);

    // Bytes of memory for the mirror; it should begin at a multiple of kMirrorAlignment.
    std::size_t bytes() const { return bytes_; }
    // Whether all distances between blocks are those on the device.
    bool keeps_distances() const { return spans_.size() <= 1; }
    // The place in the mirror of the byte at an address within a span.
    std::size_t offset_of(std::uintptr_t address) const;
    const std::vector<MirrorCopy> &copies() const { return copies_; }

private:
    struct Span {
        AddressRange range;
        std::size_t offset;
    };
    struct Segment {
        AddressRange range;
        AddressRange allocation;
    };

    void join_spans(std::size_t gap);
    void place_spans();
    void find_copies(std::size_t gap);

    std::vector<Span> spans_; // once finished by address, and apart from each other
    std::vector<Segment> segments_;
    std::vector<MirrorCopy> copies_;
    std::size_t bytes_ = 0;
};

// Addresses keep their remainder by this in the mirror, so that elements keep their alignment.
inline constexpr std::size_t kMirrorAlignment = 64;

} // namespace nbrhood
