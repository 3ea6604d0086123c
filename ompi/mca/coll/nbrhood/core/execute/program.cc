// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "execute/program.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "pattern/staging.h"

namespace nbrhood {

namespace {

[[noreturn]] void refuse(const char *reason)
{
    throw std::invalid_argument(reason);
}

bool single(const Slice &slice)
{
    return slice.whole() && slice.count == 1;
}

void check_copy(const Operation &operation)
{
    if (operation.slices.size() != 2 || !single(operation.slices[0])
        || !single(operation.slices[1])) {
        refuse("a copy of something other than one block");
    }
    const Space from = operation.slices[0].space;
    const Space to = operation.slices[1].space;
    if (to == Space::send || (to == Space::staging && from != Space::send)) {
        refuse("a copy to the send buffer, or within staging");
    }
}

void check(const Operation &operation, const Pattern &pattern)
{
    if (operation.phase >= kPhases) { // it would use a tag of another operation
        refuse("a phase without a tag");
    }
    for (const Slice &slice : operation.slices) {
        if (!well_formed(slice)) {
            refuse("an invalid slice");
        }
        if (slice.space == Space::staging
            && (slice.block >= pattern.staging_blocks
                || slice.count > pattern.staging_blocks - slice.block)) {
            refuse("a slice of staging that the pattern does not have");
        }
        if (slice.space == Space::send && operation.kind == OperationKind::receive) {
            refuse("a receive into the send buffer");
        }
        if (slice.space == Space::staging && operation.carry != Carry::combined
            && operation.kind != OperationKind::copy) {
            refuse("staging in a message that is not combined");
        }
    }
    if (operation.kind == OperationKind::copy) {
        check_copy(operation);
    } else if (operation.slices.empty()) {
        refuse("a message without slices");
    } else if ((operation.carry == Carry::direct_if_large
                || operation.carry == Carry::direct_if_small)
               && !travels_in_bytes(operation.carry, operation.phase)
               && (operation.slices.size() != 1 || !single(operation.slices[0])
                   || operation.slices[0].space
                          != (operation.kind == OperationKind::send ? Space::send
                                                                    : Space::receive))) {
        refuse("a message by size has other data than one block");
    }
}

// Ends of intervals as fractions.
bool before(std::uint64_t a, std::uint64_t of_a, std::uint64_t b, std::uint64_t of_b)
{
    return a * of_b < b * of_a;
}

} // namespace

// Finds the dependencies between operations.
class Program::Linker {
    using Fills = std::vector<Fill>;

public:
    Linker(Program &program, const Pattern &pattern) : program_(program)
    {
        collect(pattern);
        for (Fills *fills : {&fills_, &large_}) {
            std::sort(fills->begin(), fills->end(), [](const Fill &a, const Fill &b) {
                return std::pair(a.slice.space, a.slice.block)
                               != std::pair(b.slice.space, b.slice.block)
                           ? std::pair(a.slice.space, a.slice.block)
                                 < std::pair(b.slice.space, b.slice.block)
                           : before(a.slice.first, a.slice.of, b.slice.first, b.slice.of);
            });
            refuse_overlaps(*fills);
        }
    }

    void link()
    {
        mark();
        std::vector<std::vector<std::uint32_t>> fed(program_.receives_.size());
        for (std::uint32_t s = 0; s < program_.sends_.size(); ++s) {
            Item &send = program_.sends_[s];
            sources_.clear();
            for (std::uint32_t i = 0; i < send.slice_count; ++i) {
                find_sources(program_.slices_[send.first_slice + i], send.carry);
            }
            send.waits_for = feed(s, fed);
        }
        keep_order();
        flatten(fed, program_.feeds_, &Item::first_feed, &Item::feed_count);
        link_deliveries();
    }

private:
    void collect(const Pattern &pattern)
    {
        for (std::uint32_t r = 0; r < program_.receives_.size(); ++r) {
            const Item &receive = program_.receives_[r];
            for (std::uint32_t i = 0; i < receive.slice_count; ++i) {
                const Slice &slice = program_.slices_[receive.first_slice + i];
                Fills &fills = receive.carry == Carry::direct_if_large ? large_ : fills_;
                fills.push_back(Fill{slice, r, receive.carry, Slice{}});
            }
        }
        for (const Operation &operation : pattern.operations) {
            if (operation.kind == OperationKind::copy) {
                fills_.push_back(
                    Fill{operation.slices[1], kNone, Carry::direct, operation.slices[0]});
                if (operation.slices[0].space != Space::send) {
                    late_.push_back(operation);
                }
            }
        }
    }

    static void refuse_overlaps(const Fills &fills)
    {
        for (std::size_t i = 1; i < fills.size(); ++i) {
            const Slice &a = fills[i - 1].slice;
            const Slice &b = fills[i].slice;
            if (a.space == b.space && a.block == b.block && before(b.first, b.of, a.last, a.of)) {
                refuse("two operations fill one place");
            }
        }
    }

    // The operations that fill a place, for blocks that travel as `carry`. (Large blocks take
    // another route.)
    const Fills &fills_for(Carry carry) const
    {
        return carry == Carry::direct_if_large ? large_ : fills_;
    }

    static Fills::const_iterator fills_of(const Slice &slice, const Fills &fills)
    {
        return std::lower_bound(fills.begin(), fills.end(), slice,
                                [](const Fill &fill, const Slice &wanted) {
                                    return std::pair(fill.slice.space, fill.slice.block)
                                           < std::pair(wanted.space, wanted.block);
                                });
    }

    // Adds the receives that bring a slice, perhaps through copies; carry: of the messages that
    // read it.
    void find_sources(const Slice &slice, Carry carry)
    {
        if (slice.space == Space::send) {
            return;
        }
        std::uint64_t end = slice.first; // end of the part that is filled so far, as a fraction
        std::uint64_t of = slice.of;
        const Fills &fills = fills_for(carry);
        for (auto fill = fills_of(slice, fills);
             fill != fills.end() && fill->slice.space == slice.space
             && fill->slice.block == slice.block;
             ++fill) {
            const Slice &part = fill->slice;
            if (!before(part.first, part.of, slice.last, slice.of)
                || !before(slice.first, slice.of, part.last, part.of)) {
                continue;
            }
            if (before(end, of, part.first, part.of)) {
                break;
            }
            end = part.last;
            of = part.of;
            if (fill->receive == kNone) {
                find_sources(fill->from, carry);
            } else if (fill->carry != carry) {
                refuse("a message passes on a block that came in a message of another kind");
            } else {
                sources_.push_back(fill->receive);
            }
        }
        if (before(end, of, slice.last, slice.of)) {
            refuse("an operation waits for a place that no operation fills");
        }
    }

    // Makes `waiting` wait for the receives found, and returns their number.
    std::uint32_t feed(std::uint32_t waiting, std::vector<std::vector<std::uint32_t>> &fed)
    {
        std::sort(sources_.begin(), sources_.end());
        sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
        for (const std::uint32_t source : sources_) {
            fed[source].push_back(waiting);
        }
        return static_cast<std::uint32_t>(sources_.size());
    }

    // Messages of one phase between two ranks are matched in the order in which both list them, so
    // a message that waits must not be overtaken.
    void keep_order()
    {
        std::map<std::pair<std::uint8_t, Rank>, std::uint32_t> last;
        for (std::uint32_t s = 0; s < program_.sends_.size(); ++s) {
            Item &send = program_.sends_[s];
            if (send.carry == Carry::combined || !travels_in_bytes(send.carry, send.phase)) {
                continue;
            }
            const auto [found, is_first] = last.try_emplace({send.phase, send.peer}, s);
            if (!is_first) {
                Item &previous = program_.sends_[found->second];
                if (previous.waits_for != 0) {
                    previous.next_in_order = s;
                    send.in_order = true;
                    ++send.waits_for;
                }
                found->second = s;
            }
        }
    }

    void flatten(const std::vector<std::vector<std::uint32_t>> &fed,
                 std::vector<std::uint32_t> &feeds, std::uint32_t Item::*first,
                 std::uint32_t Item::*count)
    {
        for (std::size_t r = 0; r < fed.size(); ++r) {
            program_.receives_[r].*first = static_cast<std::uint32_t>(feeds.size());
            program_.receives_[r].*count = static_cast<std::uint32_t>(fed[r].size());
            feeds.insert(feeds.end(), fed[r].begin(), fed[r].end());
        }
    }

    // Marks places whose blocks come in parts or are read.
    void mark()
    {
        const auto mark_slot = [&](std::uint32_t slot) {
            program_.together_.resize(
                std::max<std::size_t>(program_.together_.size(), std::size_t{slot} + 1), 0);
            program_.together_[slot] = 1;
        };
        for (const Fills *fills : {&fills_, &large_}) {
            for (const Fill &fill : *fills) {
                if (fill.slice.space == Space::receive && !fill.slice.whole()) {
                    mark_slot(fill.slice.block);
                } else if (!fill.slice.whole()) {
                    program_.in_parts_[fill.slice.block] = 1;
                }
                if (fill.receive == kNone && fill.from.space == Space::receive) {
                    mark_slot(fill.from.block);
                }
            }
        }
        for (const Item &send : program_.sends_) {
            for (std::uint32_t i = 0; i < send.slice_count; ++i) {
                const Slice &slice = program_.slices_[send.first_slice + i];
                if (slice.space == Space::receive) {
                    mark_slot(slice.block);
                }
            }
        }
    }

    void link_deliveries()
    {
        std::vector<Delivery> &deliveries = program_.deliveries_;
        for (std::uint32_t slot = 0; slot < program_.together_.size(); ++slot) {
            const Slice place{Space::receive, slot, 1, 0, 1, 1};
            for (const Fills *fills : {&fills_, &large_}) {
                const auto fill = fills_of(place, *fills);
                if (program_.together_[slot] != 0 && fills_it(fill, *fills, place)
                    && fill->receive != kNone && !as_block(*fill)) {
                    deliveries.push_back(Delivery{place, slot, 0, fill->carry});
                }
            }
        }
        for (const Operation &copy : late_) {
            deliveries.push_back(
                Delivery{copy.slices[0], copy.slices[1].block, 0, carry_of(copy.slices[0])});
        }
        std::vector<std::vector<std::uint32_t>> fed(program_.receives_.size());
        for (std::uint32_t d = 0; d < deliveries.size(); ++d) {
            sources_.clear();
            find_sources(deliveries[d].from, deliveries[d].carry);
            if (fills_of(deliveries[d].from, fills_for(deliveries[d].carry))->receive == kNone) {
                refuse("a copy of a copy");
            }
            deliveries[d].waits_for = feed(d, fed);
        }
        flatten(fed, program_.delivery_feeds_, &Item::first_delivery, &Item::delivery_count);
    }

    Carry carry_of(const Slice &slice) const
    {
        const auto fill = fills_of(slice, fills_);
        return slice.space == Space::receive && fills_it(fill, fills_, slice) ? fill->carry
                                                                              : Carry::combined;
    }

    static bool fills_it(Fills::const_iterator fill, const Fills &fills, const Slice &place)
    {
        return fill != fills.end() && fill->slice.space == place.space
               && fill->slice.block == place.block;
    }

    // Whether the block comes with the application's datatype, so that it needs no delivery.
    bool as_block(const Fill &fill) const
    {
        return fill.carry == Carry::direct_if_small
               || (fill.carry == Carry::direct_if_large
                   && !travels_in_bytes(fill.carry, program_.receives_[fill.receive].phase));
    }

    Program &program_;
    Fills fills_;                 // by place, without those of direct_if_large
    Fills large_;                 // those of direct_if_large
    std::vector<Operation> late_; // copies of received blocks
    std::vector<std::uint32_t> sources_;
};

void Program::add(const Operation &operation, std::vector<Item> &items)
{
    Item item;
    item.carry = operation.carry;
    item.phase = operation.phase;
    item.peer = operation.peer;
    item.first_slice = static_cast<std::uint32_t>(slices_.size());
    for (const Slice &slice : operation.slices) {
        note(slice);
        item.cut = item.cut || !slice.whole();
        for (std::uint32_t i = 0; i < slice.count; ++i) {
            slices_.push_back(slice);
            slices_.back().block += i;
            slices_.back().count = 1;
            owners_.push_back(static_cast<std::uint32_t>(items.size()));
        }
    }
    item.slice_count = static_cast<std::uint32_t>(slices_.size()) - item.first_slice;
    relays_ = relays_ || item.carry == Carry::combined;
    items.push_back(item);
}

Program::Program(const Pattern &pattern)
    : in_parts_(pattern.staging_blocks, 0), staging_blocks_(pattern.staging_blocks),
      rank_(pattern.rank)
{
    for (const Operation &operation : pattern.operations) {
        check(operation, pattern);
        switch (operation.kind) {
        case OperationKind::copy:
            note(operation.slices[0]);
            note(operation.slices[1]);
            if (operation.slices[0].space == Space::send) {
                auto &copies =
                    operation.slices[1].space == Space::staging ? staged_copies_ : copies_;
                copies.emplace_back(operation.slices[0], operation.slices[1]);
            }
            break;
        case OperationKind::send:
            add(operation, sends_);
            break;
        case OperationKind::receive:
            add(operation, receives_);
            if (operation.carry != Carry::combined && operation.slices.size() == 1
                && !(operation.carry == Carry::direct_if_large
                     && travels_in_bytes(operation.carry, operation.phase))) {
                // if it comes directly, it comes from its source
                const std::size_t slot = operation.slices[0].block;
                sources_.resize(std::max(sources_.size(), slot + 1), kNoRank);
                sources_[slot] = operation.peer;
            }
            break;
        }
    }
    adjacent_ = adjacent_staging(pattern);
    Linker(*this, pattern).link();
    for (auto *items : {&sends_, &receives_}) {
        for (Item &item : *items) {
            const Slice &first = slices_[item.first_slice];
            const bool passed_on =
                first.space == Space::receive && (items == &sends_ || together(first.block));
            item.in_bytes = travels_in_bytes(item.carry, item.phase);
            if (item.carry == Carry::direct && item.phase == kLocal
                && (item.cut || item.slice_count != 1 || passed_on)) {
                refuse("a local message of something other than one block of the application");
            }
            has_bytes_ = has_bytes_ || item.in_bytes;
        }
    }
}

void Program::note(const Slice &slice)
{
    if (slice.space == Space::send) {
        sent_block_ = slice.block;
    } else if (slice.space == Space::receive) {
        received_slot_ = slice.block;
    }
}

bool Program::passes_blocks_on() const
{
    const auto is_one_block = [](const Item &item) { return item.slice_count == 1; };
    return !relays_ && std::all_of(sends_.begin(), sends_.end(), is_one_block)
           && std::all_of(receives_.begin(), receives_.end(), is_one_block)
           && std::all_of(deliveries_.begin(), deliveries_.end(),
                          [](const Delivery &delivery) { return delivery.in_place(); });
}

bool Program::only_relayed(const Item &receive) const
{
    const auto first = slices_.begin() + receive.first_slice;
    return receive.delivery_count == 0
           && std::all_of(first, first + receive.slice_count,
                          [](const Slice &slice) { return slice.space == Space::staging; });
}

} // namespace nbrhood
