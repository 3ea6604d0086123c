#include "execute/values.h"

#include <algorithm>

namespace nbrhood {
namespace {

// The common case, told without sorting: contiguous blocks, each after the one before.
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

Piece address_of(const UserBlock &block)
{
    return Piece{reinterpret_cast<std::uintptr_t>(block.data), block.data, block.bytes};
}

void append(std::vector<Piece> &pieces, const Piece &next)
{
    if (!pieces.empty() && pieces.back().position + pieces.back().bytes == next.position
        && pieces.back().memory + pieces.back().bytes == next.memory) {
        pieces.back().bytes += next.bytes;
    } else {
        pieces.push_back(next);
    }
}

// Replaces addresses by positions of elements: numbers[i] is that of the i-th element of the block.
void number(std::vector<Piece> &pieces, std::size_t element, const std::uint64_t *numbers)
{
    std::vector<Piece> numbered;
    std::size_t done = 0; // bytes of the block
    for (Piece piece : pieces) {
        while (piece.bytes != 0) {
            const std::size_t within = done % element;
            const std::size_t bytes = std::min(piece.bytes, element - within);
            append(numbered, Piece{kIndexedPositions + numbers[done / element] * element + within,
                                   piece.memory, bytes});
            done += bytes;
            piece.memory += bytes;
            piece.bytes -= bytes;
        }
    }
    pieces.swap(numbered);
}

// Indices may be any 64-bit numbers; their ranks among all of this process are small ones.
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

bool Values::find_pieces(const UserBlock &block, Transport &transport, std::size_t least_run,
                         std::vector<Piece> &pieces)
{
    if (block.data != nullptr) {
        pieces.push_back(address_of(block));
        return true;
    }
    extents_.clear();
    if (!transport.flatten(block, block.bytes / least_run, extents_)) {
        return false;
    }
    for (const Extent &extent : extents_) {
        append(pieces, Piece{reinterpret_cast<std::uintptr_t>(extent.at), extent.at, extent.bytes});
    }
    return true;
}

// A type may have changed behind its handle; then something shared goes unnoticed, which is no
// harm.
bool Values::same_as_last(const std::vector<UserBlock> &blocks) const
{
    return std::equal(blocks.begin(), blocks.end(), last_.begin(), last_.end(),
                      [](const UserBlock &a, const UserBlock &b) {
                          return a.address == b.address && a.count == b.count && a.type == b.type;
                      });
}

bool Values::add_to(Pool &pool, std::size_t number, const UserBlock &block) const
{
    if (looked_) {
        for (const Piece &piece : pieces_[number]) {
            pool.add(piece);
        }
        return !pieces_[number].empty();
    }
    if (block.data != nullptr) {
        pool.add(address_of(block));
    }
    return block.data != nullptr;
}

void Values::find(const std::vector<UserBlock> &blocks, Transport &transport,
                  const std::int64_t *indices, std::size_t least_run)
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
    pieces_.resize(blocks.size());
    all_.clear();
    std::size_t bytes = 0;
    std::size_t element = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const UserBlock &block = blocks[i];
        std::vector<Piece> &pieces = pieces_[i];
        pieces.clear();
        if (block.bytes != 0 && find_pieces(block, transport, least_run, pieces)) {
            if (indices != nullptr) {
                number(pieces, block.bytes / block.count, numbers.data() + element);
            }
            all_.insert(all_.end(), pieces.begin(), pieces.end());
            bytes += block.bytes;
        }
        element += block.count;
    }
    cover(all_);
    for (const Piece &piece : all_) {
        bytes -= piece.bytes;
    }
    shared_ = bytes != 0;
    last_.clear();
    if (!shared_ && indices == nullptr) {
        last_ = blocks;
    }
}

} // namespace nbrhood
