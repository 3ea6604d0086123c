// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/deduplicated_payload.h"

#include <algorithm>
#include <cstring>

namespace nbrhood {

void cover(std::vector<BlockSegment> &segments)
{
    std::sort(segments.begin(), segments.end(),
              [](const BlockSegment &a, const BlockSegment &b) { return a.position < b.position; });
    std::size_t kept = 0;
    std::uint64_t covered_to = 0;
    for (BlockSegment segment : segments) {
        const std::uint64_t end = segment.position + segment.bytes;
        if (kept != 0 && end <= covered_to) {
            continue;
        }
        if (kept != 0 && segment.position < covered_to) {
            const std::uint64_t known = covered_to - segment.position;
            segment.position += known;
            segment.memory += known;
            segment.bytes -= known;
        }
        BlockSegment *last = kept != 0 ? &segments[kept - 1] : nullptr;
        if (last != nullptr && last->position + last->bytes == segment.position
            && last->memory + last->bytes == segment.memory) {
            last->bytes += segment.bytes;
        } else {
            segments[kept++] = segment;
        }
        covered_to = end;
    }
    segments.resize(kept);
}

void DeduplicatedPayload::clear()
{
    segments_.clear();
    ends_.clear();
    block_bytes_ = bytes_ = 0;
}

void DeduplicatedPayload::add(const BlockSegment &segment)
{
    if (segment.bytes != 0) {
        segments_.push_back(segment);
        block_bytes_ += segment.bytes;
    }
}

void DeduplicatedPayload::end_block()
{
    ends_.push_back(segments_.size());
}

void DeduplicatedPayload::lay_out()
{
    covered_ = segments_;
    cover(covered_);
    starts_.clear();
    for (const BlockSegment &segment : covered_) {
        starts_.push_back(bytes_);
        bytes_ += segment.bytes;
    }
    payload_segments_.clear();
    payload_segment_ends_.clear();
    std::size_t next = 0;
    for (std::size_t end : ends_) {
        const std::size_t first = payload_segments_.size();
        for (; next < end; ++next) {
            const BlockSegment &segment = segments_[next];
            const auto after =
                std::upper_bound(covered_.begin(), covered_.end(), segment.position,
                                 [](std::uint64_t position, const BlockSegment &covered) {
                                     return position < covered.position;
                                 });
            const auto holder = static_cast<std::size_t>(after - covered_.begin()) - 1;
            // The positions of a segment are consecutive, and so are its bytes in the payload.
            const PayloadSegment payload_segment{
                starts_[holder] + segment.position - covered_[holder].position, segment.bytes};
            if (payload_segments_.size() > first
                && payload_segments_.back().at + payload_segments_.back().bytes
                       == payload_segment.at) {
                payload_segments_.back().bytes += payload_segment.bytes;
            } else {
                payload_segments_.push_back(payload_segment);
            }
        }
        payload_segment_ends_.push_back(payload_segments_.size());
    }
}

std::size_t DeduplicatedPayload::table_bytes() const
{
    return ends_.size() * sizeof(std::uint64_t) + payload_segments_.size() * sizeof(PayloadSegment);
}

void DeduplicatedPayload::write_table(char *to) const
{
    std::size_t next = 0;
    for (std::size_t end : payload_segment_ends_) {
        const std::uint64_t count = end - next;
        std::memcpy(to, &count, sizeof count);
        to += sizeof count;
        if (count != 0) {
            std::memcpy(to, &payload_segments_[next], count * sizeof(PayloadSegment));
        }
        to += count * sizeof(PayloadSegment);
        next = end;
    }
}

void DeduplicatedPayload::write(char *to) const
{
    for (const BlockSegment &segment : covered_) {
        std::memcpy(to, segment.memory, segment.bytes);
        to += segment.bytes;
    }
}

void DeduplicatedPayload::payload_segments(std::size_t block, std::vector<PayloadSegment> &to) const
{
    const std::size_t first = block == 0 ? 0 : payload_segment_ends_[block - 1];
    to.assign(payload_segments_.begin() + static_cast<std::ptrdiff_t>(first),
              payload_segments_.begin()
                  + static_cast<std::ptrdiff_t>(payload_segment_ends_[block]));
}

bool read_segments(const char *table, std::size_t table_bytes, std::size_t &at, std::size_t bytes,
                   std::size_t payload, std::vector<PayloadSegment> &payload_segments)
{
    std::uint64_t count = 0;
    payload_segments.clear();
    if (table_bytes - at < sizeof count) {
        return false;
    }
    std::memcpy(&count, table + at, sizeof count);
    at += sizeof count;
    if ((table_bytes - at) / sizeof(PayloadSegment) < count) {
        return false;
    }
    payload_segments.resize(count);
    if (count != 0) {
        std::memcpy(payload_segments.data(), table + at, count * sizeof(PayloadSegment));
    }
    at += count * sizeof(PayloadSegment);
    std::size_t sum = 0;
    for (const PayloadSegment &payload_segment : payload_segments) {
        if (payload_segment.bytes == 0 || payload_segment.bytes > payload
            || payload_segment.at > payload - payload_segment.bytes) {
            return false;
        }
        sum += payload_segment.bytes;
    }
    return sum == bytes;
}

} // namespace nbrhood
