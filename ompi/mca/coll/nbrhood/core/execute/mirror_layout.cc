// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/mirror_layout.h"

#include <algorithm>

namespace nbrhood {

namespace {

// Spans that are closer than kNear keep their distance. All spans keep theirs if that makes the
// mirror at most kSpareFactor times larger.
constexpr std::size_t kNear = 64 * 1024;
constexpr std::size_t kSpareFactor = 4;

std::size_t length(AddressRange range)
{
    return range.end - range.begin;
}

} // namespace

void MirrorLayout::join_spans(std::size_t gap)
{
    std::size_t joined = 0;
    for (std::size_t i = 1; i < spans_.size(); ++i) {
        AddressRange &last = spans_[joined].range;
        const AddressRange next = spans_[i].range;
        if (next.begin <= last.end || next.begin - last.end <= gap) {
            last.end = std::max(last.end, next.end);
        } else {
            spans_[++joined].range = next;
        }
    }
    if (!spans_.empty()) {
        spans_.resize(joined + 1);
    }
}

void MirrorLayout::place_spans()
{
    for (Span &span : spans_) {
        bytes_ = (bytes_ + kMirrorAlignment - 1) / kMirrorAlignment * kMirrorAlignment
                 + span.range.begin % kMirrorAlignment;
        span.offset = bytes_;
        bytes_ += length(span.range);
    }
}

void MirrorLayout::find_copies(std::size_t gap)
{
    std::sort(segments_.begin(), segments_.end(),
              [](const Segment &a, const Segment &b) { return a.range.begin < b.range.begin; });
    auto span = spans_.begin();
    AddressRange allocation; // around the last copy
    for (const Segment &segment : segments_) {
        const AddressRange range = segment.range;
        while (span->range.end < range.end) {
            ++span;
        }
        const std::size_t offset = span->offset + (range.begin - span->range.begin);
        if (!copies_.empty()) {
            MirrorCopy &last = copies_.back();
            const std::uintptr_t end = last.at + last.bytes;
            const bool near = range.begin <= end || range.begin - end <= gap;
            const bool same_span = offset - last.offset == range.begin - last.at;
            if (near && same_span && range.end <= allocation.end) {
                last.bytes = std::max(last.bytes, range.end - last.at);
                continue;
            }
        }
        copies_.push_back({range.begin, offset, length(range)});
        allocation = segment.allocation;
    }
    segments_ = {};
}

void MirrorLayout::finish(std::size_t gap, bool as_one)
{
    std::sort(spans_.begin(), spans_.end(),
              [](const Span &a, const Span &b) { return a.range.begin < b.range.begin; });
    join_spans(kNear);
    std::size_t covered = 0;
    for (const Span &span : spans_) {
        covered += length(span.range);
    }
    if (spans_.size() > 1
        && (as_one
            || spans_.back().range.end - spans_.front().range.begin <= kSpareFactor * covered)) {
        spans_.front().range.end = spans_.back().range.end;
        spans_.resize(1);
    }
    place_spans();
    find_copies(gap);
}

std::size_t MirrorLayout::offset_of(std::uintptr_t address) const
{
    auto next = std::upper_bound(
        spans_.begin(), spans_.end(), address,
        [](std::uintptr_t value, const Span &span) { return value < span.range.begin; });
    const Span &span = *--next;
    return span.offset + (address - span.range.begin);
}

} // namespace nbrhood
