// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/shared_bytes.h"

#include <algorithm>

namespace nbrhood {
namespace {

// Recognises the common case without sorting: contiguous blocks in ascending order.
bool obviously_apart(const std::vector<UserBlock> &blocks)
{
    const char *end = nullptr;
    for (const UserBlock &block : blocks) {
        if (block.bytes == 0) {
            continue;
        }
        if (block.data == nullptr || block.data < end) {
            return false;
        }
        end = block.data + block.bytes;
    }
    return true;
}

BlockSegment address_of(const UserBlock &block)
{
    return BlockSegment{reinterpret_cast<std::uintptr_t>(block.data), block.data, block.bytes};
}

void append(std::vector<BlockSegment> &segments, const BlockSegment &next)
{
    if (!segments.empty() && segments.back().position + segments.back().bytes == next.position
        && segments.back().memory + segments.back().bytes == next.memory) {
        segments.back().bytes += next.bytes;
    } else {
        segments.push_back(next);
    }
}

// Replaces addresses by positions from the numbers of elements: numbers[i] belongs to the i-th
// element of the block.
void number(std::vector<BlockSegment> &segments, std::size_t element, const std::uint64_t *numbers)
{
    std::vector<BlockSegment> numbered;
    std::size_t done = 0; // bytes of the block
    for (BlockSegment segment : segments) {
        while (segment.bytes != 0) {
            const std::size_t within = done % element;
            const std::size_t bytes = std::min(segment.bytes, element - within);
            append(numbered,
                   BlockSegment{kIndexedPositions + numbers[done / element] * element + within,
                                segment.memory, bytes});
            done += bytes;
            segment.memory += bytes;
            segment.bytes -= bytes;
        }
    }
    segments.swap(numbered);
}

// Indices may be any 64-bit numbers. Replaces each by its place in the sorted list of all indices,
// a small number.
std::vector<std::uint64_t> rank_indices(const std::int64_t *indices, std::size_t count)
{
    std::vector<std::int64_t> sorted(indices, indices + count);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    std::vector<std::uint64_t> ranks(count);
    for (std::size_t i = 0; i < count; ++i) {
        ranks[i] = static_cast<std::uint64_t>(
            std::lower_bound(sorted.begin(), sorted.end(), indices[i]) - sorted.begin());
    }
    return ranks;
}

} // namespace

bool SharedBytes::find_segments(const UserBlock &block, Transport &transport,
                                std::size_t shortest_segment, std::vector<BlockSegment> &segments)
{
    if (block.data != nullptr) {
        segments.push_back(address_of(block));
        return true;
    }
    memory_segments_.clear();
    if (!transport.flatten(block, block.bytes / shortest_segment, memory_segments_)) {
        return false;
    }
    for (const MemorySegment &memory_segment : memory_segments_) {
        append(segments, BlockSegment{reinterpret_cast<std::uintptr_t>(memory_segment.at),
                                      memory_segment.at, memory_segment.bytes});
    }
    return true;
}

// A handle may have been reused for another type; then shared bytes go unnoticed, without harm.
bool SharedBytes::same_as_last(const std::vector<UserBlock> &blocks) const
{
    return std::equal(blocks.begin(), blocks.end(), last_.begin(), last_.end(),
                      [](const UserBlock &a, const UserBlock &b) {
                          return a.address == b.address && a.count == b.count && a.type == b.type;
                      });
}

bool SharedBytes::add_to(DeduplicatedPayload &deduplicated, std::size_t number,
                         const UserBlock &block) const
{
    if (looked_) {
        for (const BlockSegment &segment : segments_[number]) {
            deduplicated.add(segment);
        }
        return !segments_[number].empty();
    }
    if (block.data != nullptr) {
        deduplicated.add(address_of(block));
    }
    return block.data != nullptr;
}

void SharedBytes::find(const std::vector<UserBlock> &blocks, Transport &transport,
                       const std::int64_t *indices, std::size_t shortest_segment)
{
    shared_ = looked_ = false;
    if (indices == nullptr && (obviously_apart(blocks) || same_as_last(blocks))) {
        return;
    }
    looked_ = true;
    std::vector<std::uint64_t> numbers;
    if (indices != nullptr) {
        std::size_t elements = 0;
        for (const UserBlock &block : blocks) {
            elements += block.count;
        }
        numbers = rank_indices(indices, elements);
    }
    segments_.resize(blocks.size());
    all_.clear();
    std::size_t bytes = 0;
    std::size_t element = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const UserBlock &block = blocks[i];
        std::vector<BlockSegment> &segments = segments_[i];
        segments.clear();
        if (block.bytes != 0 && find_segments(block, transport, shortest_segment, segments)) {
            if (indices != nullptr) {
                number(segments, block.bytes / block.count, numbers.data() + element);
            }
            all_.insert(all_.end(), segments.begin(), segments.end());
            bytes += block.bytes;
        }
        element += block.count;
    }
    cover(all_);
    for (const BlockSegment &segment : all_) {
        bytes -= segment.bytes;
    }
    shared_ = bytes != 0;
    last_.clear();
    if (!shared_ && indices == nullptr) {
        last_ = blocks;
    }
}

} // namespace nbrhood
