#include "pattern/pattern.h"

namespace nbrhood {

bool operator==(const Slice &a, const Slice &b)
{
    return a.space == b.space && a.block == b.block && a.part == b.part && a.parts == b.parts;
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
        // Whole blocks, by far the most frequent slices, take one word.
        const bool whole = slice.parts == 1;
        words.push_back(static_cast<std::int32_t>(slice.block << 3 | (whole ? 0U : 4U)
                                                  | static_cast<std::uint32_t>(slice.space)));
        if (!whole) {
            words.push_back(slice.part << 16 | slice.parts);
        }
    }
}

Operation decode_operation(WordReader &words)
{
    constexpr std::uint32_t kLastKind = static_cast<std::uint32_t>(OperationKind::copy);
    constexpr std::uint32_t kLastCarry = static_cast<std::uint32_t>(Carry::direct_if_large);
    constexpr std::uint32_t kLastSpace = static_cast<std::uint32_t>(Space::staging);
    Operation operation;
    const auto head = static_cast<std::uint32_t>(words.take());
    if ((head & 15U) > kLastKind || (head >> 4 & 15U) > kLastCarry || head >> 8 >= kPhases) {
        throw BadWords("a kind, a carry or a phase that does not exist");
    }
    operation.kind = static_cast<OperationKind>(head & 15U);
    operation.carry = static_cast<Carry>(head >> 4 & 15U);
    operation.phase = static_cast<std::uint8_t>(head >> 8);
    operation.peer = words.take();
    operation.key = words.take();
    const std::size_t slices = words.take_count();
    operation.slices.reserve(slices);
    for (std::size_t s = 0; s < slices; ++s) {
        const auto word = static_cast<std::uint32_t>(words.take());
        if ((word & 3U) > kLastSpace) {
            throw BadWords("a slice of nothing");
        }
        Slice slice{static_cast<Space>(word & 3U), word >> 3, 0, 1};
        if ((word & 4U) != 0) {
            const auto fraction = static_cast<std::uint32_t>(words.take());
            slice.part = static_cast<std::uint16_t>(fraction >> 16);
            slice.parts = static_cast<std::uint16_t>(fraction & 0xffffU);
        }
        operation.slices.push_back(slice);
    }
    return operation;
}

} // namespace nbrhood
