// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/headerless_layout.h"

#include "execute/headerless_binder.h"

namespace nbrhood {

void HeaderlessLayout::bind(const Program &program, Carry carry, const BlockLayout &layout,
                            std::size_t packing_threshold, Transport &transport,
                            const Blocks &blocks)
{
    sends_.clear();
    receives_.clear();
    first_copies_.clear();
    deliveries_.clear();
    arena_.clear();
    Binder binder(program, carry, layout, packing_threshold, transport, blocks, arena_,
                  first_copies_);
    // Receives first, because they determine the places of staging.
    for (std::size_t i = 0; i < program.receives().size(); ++i) {
        receives_.push_back(binder.place_receive(i));
    }
    for (std::size_t i = 0; i < program.sends().size(); ++i) {
        sends_.push_back(binder.place_send(i));
    }
    for (std::size_t i = 0; i < program.deliveries().size(); ++i) {
        deliveries_.push_back(binder.place_delivery(i));
    }
}

void HeaderlessLayout::move(std::ptrdiff_t send, std::ptrdiff_t receive)
{
    const auto shift = [&](char *&at, Space space) {
        at = moved(at, space == Space::send ? send : space == Space::receive ? receive : 0);
    };
    const auto shift_copies = [&](std::vector<Copy> &copies) {
        for (Copy &copy : copies) {
            shift(copy.message, copy.message_space);
            shift(copy.place, copy.space);
        }
    };
    const auto shift_all = [&](std::vector<Placement> &placements) {
        for (Placement &placement : placements) {
            shift(placement.at, placement.space);
            shift_copies(placement.copies);
            for (Unpacked &unpacked : placement.unpacked) {
                shift(unpacked.place, unpacked.space);
            }
        }
    };
    shift_all(sends_);
    shift_all(receives_);
    shift_copies(first_copies_);
    for (std::vector<Copy> &copies : deliveries_) {
        shift_copies(copies);
    }
}

std::size_t HeaderlessLayout::memory() const
{
    std::size_t bytes = arena_.bytes() + first_copies_.capacity() * sizeof(Copy);
    for (const std::vector<Copy> &copies : deliveries_) {
        bytes += copies.capacity() * sizeof(Copy);
    }
    for (const auto *placements : {&sends_, &receives_}) {
        for (const Placement &placement : *placements) {
            bytes += placement.copies.capacity() * sizeof(Copy)
                     + placement.unpacked.capacity() * sizeof(Unpacked);
        }
    }
    return bytes;
}

} // namespace nbrhood
