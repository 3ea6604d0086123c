#include "execute/headerless_layout.h"

#include <algorithm>
#include <functional>

namespace nbrhood {
namespace {

std::size_t rounded(std::size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

// Where the bytes of the application's blocks lie, found when first asked for.
class Places {
public:
    Places(const std::vector<UserBlock> &blocks, Transport &transport)
        : blocks_(blocks), transport_(transport), extents_(blocks.size()), known_(blocks.size(), 0)
    {}

    const UserBlock &block(std::size_t number) const { return blocks_[number]; }

    // Null for a block that the transport has to pack or unpack.
    const std::vector<Extent> *find(std::size_t number)
    {
        const UserBlock &block = blocks_[number];
        std::vector<Extent> &extents = extents_[number];
        if (known_[number] == 0) {
            known_[number] = 1;
            if (block.data != nullptr) {
                extents.push_back(Extent{block.data, block.bytes});
            } else if (!transport_.flatten(block, block.bytes / kLeastRun, extents)) {
                extents.clear();
            }
        }
        return extents.empty() ? nullptr : &extents;
    }

private:
    const std::vector<UserBlock> &blocks_;
    Transport &transport_;
    std::vector<std::vector<Extent>> extents_;
    std::vector<char> known_;
};

// Calls use(a, b, bytes) for stretches of equal bytes of two places, as far as the shorter reaches.
template <typename Use>
void walk(const std::vector<Extent> &a, const std::vector<Extent> &b, const Use &use)
{
    std::size_t i = 0, j = 0, done_a = 0, done_b = 0;
    while (i < a.size() && j < b.size()) {
        const std::size_t bytes = std::min(a[i].bytes - done_a, b[j].bytes - done_b);
        if (bytes != 0) {
            use(a[i].at + done_a, b[j].at + done_b, bytes);
        }
        done_a += bytes;
        done_b += bytes;
        if (done_a == a[i].bytes) {
            ++i;
            done_a = 0;
        }
        if (j < b.size() && done_b == b[j].bytes) {
            ++j;
            done_b = 0;
        }
    }
}

// Appends a move, merging it with the last one when both ends continue it.
void append(std::vector<HeaderlessLayout::Move> &moves, const HeaderlessLayout::Move &next)
{
    if (!moves.empty() && next.place != nullptr && moves.back().place != nullptr
        && moves.back().place + moves.back().bytes == next.place
        && moves.back().message + moves.back().bytes == next.message) {
        moves.back().bytes += next.bytes;
    } else {
        moves.push_back(next);
    }
}

} // namespace

class HeaderlessLayout::Binder {
public:
    Binder(const Program &program, const BlockLayout &layout, std::size_t pack_limit,
           Transport &transport, const std::vector<UserBlock> &send_blocks,
           const std::vector<UserBlock> &receive_blocks, bool in_place, std::vector<char> &storage)
        : program_(program), layout_(layout), pack_limit_(pack_limit),
          sources_(send_blocks, transport), slots_(receive_blocks, transport), in_place_(in_place),
          storage_(storage), staged_(program.staging_blocks())
    {
        storage_.assign(room(), 0);
    }

    Placement place_receive(std::size_t index)
    {
        const Program::Item &item = program_.receives()[index];
        Placement placement;
        if (item.carry != Carry::ride) {
            return placement;
        }
        pooled_ = layout_.pooled[program_.sends().size() + index] != 0;
        place_loose(item, slots_, true, placement);
        begin_message(item, placement);
        bool staging_stays = false; // staging lies in the buffers of the messages that bring it
        for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
            const Slice &slice = program_.slices()[i];
            if (!packed(i)) {
                continue;
            }
            const std::vector<Extent> where = extents_in(placement.at, i);
            if (slice.space == Space::staging) {
                staged_[slice.block] = where;
                staging_stays = true;
            } else {
                deliver(where, slice.block, placement.moves);
            }
        }
        for (std::uint32_t i = 0; i < item.delivery_count; ++i) {
            const Program::Delivery &delivery = program_.deliveries()[item.first_delivery + i];
            if (layout_.sizes[delivery.slice] != 0) {
                deliver(staged_[program_.slices()[delivery.slice].block], delivery.slot,
                        placement.moves);
            }
        }
        end_message(placement, in_place_ && !staging_stays);
        return placement;
    }

    Placement place_send(std::size_t index)
    {
        const Program::Item &item = program_.sends()[index];
        Placement placement;
        if (item.carry != Carry::ride) {
            return placement;
        }
        pooled_ = layout_.pooled[index] != 0;
        place_loose(item, sources_, false, placement);
        begin_message(item, placement);
        std::vector<Piece> pieces; // their positions are offsets in the message
        for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
            const Slice &slice = program_.slices()[i];
            if (!packed(i)) {
                continue;
            }
            const std::vector<Extent> where = extents_in(placement.at, i);
            const std::vector<Extent> *from =
                slice.space == Space::staging ? &staged_[slice.block] : sources_.find(slice.block);
            if (from == nullptr) {
                const UserBlock &block = sources_.block(slice.block);
                placement.moves.push_back(Move{where[0].at, nullptr, &block, block.bytes});
                continue;
            }
            walk(where, *from, [&](char *to, char *memory, std::size_t bytes) {
                pieces.push_back(
                    Piece{static_cast<std::uint64_t>(to - placement.at), memory, bytes});
            });
        }
        cover(pieces); // bytes that blocks share are written once
        for (const Piece &piece : pieces) {
            append(placement.moves, Move{placement.at + piece.position,
                                         const_cast<char *>(piece.memory), nullptr, piece.bytes});
        }
        end_message(placement, true);
        return placement;
    }

private:
    bool packed(std::uint32_t slice) const
    {
        const std::size_t bytes = layout_.sizes[slice];
        return bytes != 0 && (pooled_ || bytes <= pack_limit_);
    }

    std::size_t payload(const Program::Item &item) const
    {
        std::size_t bytes = 0;
        for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
            if (pooled_) {
                for (const Run &run : layout_.runs[i]) {
                    bytes = std::max<std::size_t>(bytes, std::size_t{run.at} + run.bytes);
                }
            } else if (packed(i)) {
                bytes += layout_.sizes[i];
            }
        }
        return bytes;
    }

    // Bytes for all messages, for loose blocks without another place, and for blocks that have to
    // be put together for the transport, each from a multiple of 16 on.
    std::size_t room()
    {
        std::size_t bytes = 0;
        for (const auto *items : {&program_.sends(), &program_.receives()}) {
            const bool comes = items == &program_.receives();
            for (std::size_t n = 0; n < items->size(); ++n) {
                const Program::Item &item = (*items)[n];
                pooled_ = layout_.pooled[comes ? program_.sends().size() + n : n] != 0;
                bytes += rounded(payload(item));
                for (std::uint32_t i = item.first_slice;
                     comes && i < item.first_slice + item.slice_count; ++i) {
                    const Slice &slice = program_.slices()[i];
                    const bool apart = slice.space == Space::receive && in_parts(slice.block);
                    bytes += !packed(i) || apart ? rounded(layout_.sizes[i]) : 0;
                }
                for (std::uint32_t i = 0; i < item.delivery_count; ++i) {
                    const Program::Delivery &delivery =
                        program_.deliveries()[item.first_delivery + i];
                    bytes += in_parts(delivery.slot) ? rounded(layout_.sizes[delivery.slice]) : 0;
                }
            }
        }
        return bytes;
    }

    bool in_parts(std::size_t slot) const { return slots_.block(slot).data == nullptr; }

    char *take(std::size_t bytes)
    {
        char *const at = storage_.data() + used_;
        used_ += rounded(bytes);
        return at;
    }

    void begin_message(const Program::Item &item, Placement &placement)
    {
        placement.bytes = payload(item);
        placement.at = take(placement.bytes);
        offset_ = 0;
    }

    // A message that is a single piece of plain memory needs no buffer; it was the last one taken.
    void end_message(Placement &placement, bool may_be_in_place)
    {
        const auto &moves = placement.moves;
        if (may_be_in_place && moves.size() == 1 && moves[0].place != nullptr
            && moves[0].message == placement.at && moves[0].bytes == placement.bytes) {
            used_ -= rounded(placement.bytes);
            placement.at = moves[0].place;
            placement.moves.clear();
        }
    }

    // Where a packed block lies in its message; blocks are asked for in their order.
    std::vector<Extent> extents_in(char *message, std::uint32_t slice)
    {
        std::vector<Extent> extents;
        if (!pooled_) {
            extents.push_back(Extent{message + offset_, layout_.sizes[slice]});
            offset_ += layout_.sizes[slice];
        }
        for (const Run &run : layout_.runs[slice]) {
            if (pooled_) {
                extents.push_back(Extent{message + run.at, run.bytes});
            }
        }
        return extents;
    }

    void deliver(const std::vector<Extent> &from, std::size_t slot, std::vector<Move> &moves)
    {
        const std::vector<Extent> *to = slots_.find(slot);
        const UserBlock &block = slots_.block(slot);
        if (to != nullptr) {
            walk(from, *to, [&](char *message, char *place, std::size_t bytes) {
                append(moves, Move{message, place, nullptr, bytes});
            });
            return;
        }
        std::size_t bytes = 0;
        for (const Extent &extent : from) {
            bytes += extent.bytes;
        }
        char *whole = from.front().at;
        if (from.size() > 1) {
            whole = take(bytes);
            walk(from, {Extent{whole, bytes}}, [&](char *message, char *place, std::size_t part) {
                append(moves, Move{message, place, nullptr, part});
            });
        }
        moves.push_back(Move{whole, nullptr, &block, bytes});
    }

    // Loose blocks of the application stay where they are, staged ones get a place when they come.
    void place_loose(const Program::Item &item, const Places &places, bool comes,
                     Placement &placement)
    {
        for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
            const Slice &slice = program_.slices()[i];
            const std::size_t bytes = layout_.sizes[i];
            if (bytes == 0 || packed(i)) {
                continue;
            }
            Loose loose{i, nullptr, nullptr, bytes};
            if (slice.space == Space::staging && !comes) {
                loose.place = staged_[slice.block].front().at;
            } else if (slice.space != Space::staging && (in_place_ || !comes)) {
                loose.block = &places.block(slice.block);
            } else {
                loose.place = take(bytes);
                if (slice.space == Space::staging) {
                    staged_[slice.block] = {Extent{loose.place, bytes}};
                }
            }
            placement.loose.push_back(loose);
        }
    }

    const Program &program_;
    const BlockLayout &layout_;
    std::size_t pack_limit_;
    Places sources_;
    Places slots_;
    bool in_place_;
    std::vector<char> &storage_;
    std::vector<std::vector<Extent>> staged_; // by staging block
    std::size_t used_ = 0;
    std::size_t offset_ = 0; // of the next block of the message at hand
    bool pooled_ = false;    // the message at hand
};

void HeaderlessLayout::bind(const Program &program, const BlockLayout &layout,
                            std::size_t pack_limit, Transport &transport,
                            const std::vector<UserBlock> &send_blocks,
                            const std::vector<UserBlock> &receive_blocks, bool in_place)
{
    sends_.clear();
    receives_.clear();
    Binder binder(program, layout, pack_limit, transport, send_blocks, receive_blocks, in_place,
                  storage_);
    // Receives first: they say where staging lies.
    for (std::size_t i = 0; i < program.receives().size(); ++i) {
        receives_.push_back(binder.place_receive(i));
    }
    for (std::size_t i = 0; i < program.sends().size(); ++i) {
        sends_.push_back(binder.place_send(i));
    }
}

void HeaderlessLayout::move(std::ptrdiff_t send, std::ptrdiff_t receive)
{
    move(sends_, send);
    move(receives_, receive);
}

// What does not lie in the buffers of this layout is the application's.
void HeaderlessLayout::move(std::vector<Placement> &placements, std::ptrdiff_t bytes) const
{
    const std::less<> before;
    const char *const end = storage_.data() + storage_.size();
    const auto shift = [&](char *&at) {
        if (before(at, storage_.data()) || !before(at, end)) {
            at = moved(at, bytes);
        }
    };
    for (Placement &placement : placements) {
        shift(placement.at);
        for (Move &move : placement.moves) {
            shift(move.place);
        }
        for (Loose &loose : placement.loose) {
            shift(loose.place);
        }
    }
}

std::size_t HeaderlessLayout::memory() const
{
    std::size_t bytes = storage_.size();
    for (const auto *placements : {&sends_, &receives_}) {
        for (const Placement &placement : *placements) {
            bytes += placement.moves.capacity() * sizeof(Move)
                     + placement.loose.capacity() * sizeof(Loose);
        }
    }
    return bytes;
}

} // namespace nbrhood
