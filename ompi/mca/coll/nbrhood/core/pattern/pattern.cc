// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "pattern/pattern.h"

namespace nbrhood {

bool operator==(const Slice &a, const Slice &b)
{
    const bool same_part =
        (a.whole() && b.whole()) || (a.first == b.first && a.last == b.last && a.of == b.of);
    return a.space == b.space && a.block == b.block && a.count == b.count && same_part;
}

Slice interval(Space space, std::uint32_t block, std::uint16_t first, std::uint16_t last,
               std::uint16_t of)
{
    return Slice{space, block, 1, first, last, of};
}

Slice run(Space space, std::uint32_t block, std::uint32_t count)
{
    return Slice{space, block, count, 0, 1, 1};
}

bool well_formed(const Slice &slice)
{
    constexpr std::uint32_t kBlocks = std::uint32_t{1} << 29; // numbers that fit the encoding
    return slice.first < slice.last && slice.last <= slice.of && slice.count != 0
           && (slice.count == 1 || slice.whole()) && slice.block < kBlocks
           && slice.count <= kBlocks - slice.block;
}

bool operator==(const Operation &a, const Operation &b)
{
    return a.kind == b.kind && a.carry == b.carry && a.phase == b.phase && a.peer == b.peer
           && a.key == b.key && a.slices == b.slices;
}

bool operator==(const Pattern &a, const Pattern &b)
{
    return a.rank == b.rank && a.kind == b.kind && a.staging_blocks == b.staging_blocks
           && a.operations == b.operations;
}

bool travels_in_bytes(Carry carry, std::uint8_t phase)
{
    return (carry == Carry::direct && phase != kLocal)
           || (carry == Carry::direct_if_large && phase != kLocal && phase != kLarge);
}

std::uint64_t hash_pattern(const Pattern &pattern)
{
    std::vector<std::int32_t> words{pattern.rank, static_cast<std::int32_t>(pattern.kind),
                                    static_cast<std::int32_t>(pattern.staging_blocks)};
    for (const Operation &operation : pattern.operations) {
        encode_operation(operation, words);
    }
    std::uint64_t hash = words.size();
    for (std::int32_t word : words) {
        hash = mix(hash ^ static_cast<std::uint32_t>(word));
    }
    return hash;
}

void encode_operation(const Operation &operation, std::vector<std::int32_t> &words)
{
    words.push_back(static_cast<std::int32_t>(operation.kind)
                    | static_cast<std::int32_t>(operation.carry) << 4 | operation.phase << 8);
    words.push_back(operation.peer);
    words.push_back(operation.key);
    words.push_back(static_cast<std::int32_t>(operation.slices.size()));
    for (const Slice &slice : operation.slices) {
        // Single blocks, by far the most frequent slices, take one word; runs two, intervals four.
        const bool single = slice.whole() && slice.count == 1;
        words.push_back(static_cast<std::int32_t>(slice.block << 3 | (single ? 0U : 4U)
                                                  | static_cast<std::uint32_t>(slice.space)));
        if (!single) {
            words.push_back(static_cast<std::int32_t>(slice.whole() ? slice.count : 0));
        }
        if (!slice.whole()) {
            words.push_back(slice.first << 16 | slice.last);
            words.push_back(slice.of);
        }
    }
}

static Slice decode_slice(WordReader &words)
{
    constexpr std::uint32_t kLastSpace = static_cast<std::uint32_t>(Space::staging);
    const auto word = static_cast<std::uint32_t>(words.take());
    if ((word & 3U) > kLastSpace) {
        throw BadMessage("an empty slice");
    }
    Slice slice;
    slice.space = static_cast<Space>(word & 3U);
    slice.block = word >> 3;
    if ((word & 4U) != 0) {
        slice.count = static_cast<std::uint32_t>(words.take());
        if (slice.count == 0) {
            const auto ends = static_cast<std::uint32_t>(words.take());
            slice.count = 1;
            slice.first = static_cast<std::uint16_t>(ends >> 16);
            slice.last = static_cast<std::uint16_t>(ends & 0xffffU);
            slice.of = static_cast<std::uint16_t>(words.take(1, 0xffff));
        }
    }
    if (!well_formed(slice)) {
        throw BadMessage("an invalid slice");
    }
    return slice;
}

Operation decode_operation(WordReader &words)
{
    constexpr std::uint32_t kLastKind = static_cast<std::uint32_t>(OperationKind::copy);
    constexpr std::uint32_t kLastCarry = static_cast<std::uint32_t>(Carry::direct_if_small);
    Operation operation;
    const auto head = static_cast<std::uint32_t>(words.take());
    if ((head & 15U) > kLastKind || (head >> 4 & 15U) > kLastCarry || head >> 8 >= kPhases) {
        throw BadMessage("an invalid kind, carry or phase");
    }
    operation.kind = static_cast<OperationKind>(head & 15U);
    operation.carry = static_cast<Carry>(head >> 4 & 15U);
    operation.phase = static_cast<std::uint8_t>(head >> 8);
    operation.peer = words.take();
    operation.key = words.take();
    const std::size_t slices = words.take_count();
    operation.slices.reserve(slices);
    for (std::size_t s = 0; s < slices; ++s) {
        operation.slices.push_back(decode_slice(words));
    }
    return operation;
}

} // namespace nbrhood
