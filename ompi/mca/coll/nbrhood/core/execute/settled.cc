#include "execute/settled.h"

namespace nbrhood {
namespace {

// Appends a move, merging it with the last one when both ends continue it.
void append(std::vector<Settled::Move> &moves, const Settled::Move &next)
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

// Loose blocks of the application stay where they are, staged ones get a place when they come.
void Settled::place_loose(const Program &program, const Program::Item &item,
                          const std::vector<std::size_t> &sizes, std::vector<UserBlock> &blocks,
                          std::vector<char *> &staged, std::size_t &used, Placement &placement)
{
    for (std::uint32_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program.slices()[i];
        if (sizes[i] <= pack_limit_) {
            continue;
        }
        Loose loose{i, nullptr, nullptr, sizes[i]};
        const bool own = slice.space != Space::staging;
        if (own && (in_place_ || slice.space == Space::send)) {
            loose.block = &blocks[slice.block];
        } else if (!own && staged[slice.block] != nullptr) {
            loose.place = staged[slice.block];
        } else {
            loose.place = storage_.data() + used;
            used += (sizes[i] + 15) / 16 * 16;
            if (!own) {
                staged[slice.block] = loose.place;
            }
        }
        placement.loose.push_back(loose);
    }
}

Settled::Placement Settled::place(const Program &program, const Program::Item &item,
                                  const std::vector<std::size_t> &sizes,
                                  std::vector<UserBlock> &blocks, std::vector<char *> &staged,
                                  std::size_t &used)
{
    Placement placement;
    place_loose(program, item, sizes, blocks, staged, used, placement);
    char *const buffer = storage_.data() + used;
    placement.at = buffer;
    bool staging_stays = false; // staging lies in the buffers of the messages that bring it
    for (std::size_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
        const Slice &slice = program.slices()[i];
        const std::size_t bytes = sizes[i];
        if (bytes == 0 || bytes > pack_limit_) {
            continue;
        }
        char *const message = buffer + placement.bytes;
        placement.bytes += bytes;
        if (slice.space == Space::staging && staged[slice.block] == nullptr) {
            staged[slice.block] = message;
            staging_stays = true;
        } else if (slice.space == Space::staging) {
            append(placement.moves, Move{message, staged[slice.block], nullptr, bytes});
        } else {
            UserBlock &block = blocks[slice.block];
            append(placement.moves, Move{message, block.data, &block, bytes});
        }
    }
    for (std::uint32_t i = 0; i < item.delivery_count; ++i) {
        const Program::Delivery &delivery = program.deliveries()[item.first_delivery + i];
        UserBlock &block = blocks[delivery.slot];
        if (sizes[delivery.slice] != 0) {
            append(placement.moves, Move{staged[program.slices()[delivery.slice].block], block.data,
                                         &block, sizes[delivery.slice]});
        }
    }
    // (A delivery from a loose block is a move, too, but not of this message.)
    if (in_place_ && placement.moves.size() == 1 && placement.moves[0].place != nullptr
        && placement.moves[0].message == buffer && !staging_stays) {
        placement.at = placement.moves[0].place;
        placement.moves.clear();
    } else {
        used += (placement.bytes + 15) / 16 * 16;
    }
    return placement;
}

// Whether a loose block that comes has to be kept here.
bool Settled::needs_place(const Slice &slice) const
{
    return slice.space == Space::staging || !in_place_;
}

// Bytes for all messages and the loose blocks without another place, each from a multiple of 16 on.
std::size_t Settled::room(const Program &program, const std::vector<std::size_t> &sizes) const
{
    std::size_t bytes = 0;
    for (const auto *items : {&program.receives(), &program.sends()}) {
        const bool comes = items == &program.receives();
        for (const Program::Item &item : *items) {
            bytes += 16;
            for (std::size_t i = item.first_slice; i < item.first_slice + item.slice_count; ++i) {
                const bool packed = sizes[i] <= pack_limit_;
                if (packed || (comes && needs_place(program.slices()[i]))) {
                    bytes += packed ? sizes[i] : (sizes[i] + 15) / 16 * 16;
                }
            }
        }
    }
    return bytes;
}

void Settled::bind(const Program &program, const std::vector<std::size_t> &sizes,
                   std::size_t pack_limit, std::vector<UserBlock> &send_blocks,
                   std::vector<UserBlock> &receive_blocks, bool in_place)
{
    pack_limit_ = pack_limit;
    in_place_ = in_place;
    sends_.clear();
    receives_.clear();
    storage_.assign(room(program, sizes), 0);
    std::vector<char *> staged(program.staging_blocks(), nullptr);
    std::size_t used = 0;
    // Receives first: they say where staging lies.
    for (const Program::Item &item : program.receives()) {
        receives_.push_back(item.carry == Carry::ride
                                ? place(program, item, sizes, receive_blocks, staged, used)
                                : Placement{});
    }
    for (const Program::Item &item : program.sends()) {
        sends_.push_back(item.carry == Carry::ride
                             ? place(program, item, sizes, send_blocks, staged, used)
                             : Placement{});
    }
    ready_ = true;
}

} // namespace nbrhood
