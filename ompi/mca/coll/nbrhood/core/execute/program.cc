#include "execute/program.h"

#include <algorithm>
#include <stdexcept>

namespace nbrhood {

namespace {

void check(const Operation &operation, const Pattern &pattern)
{
    if (operation.phase >= kPhases) { // it would use a tag of another operation
        throw std::invalid_argument("a phase without a tag");
    }
    for (const Slice &slice : operation.slices) {
        if (slice.parts != 1) {
            throw std::invalid_argument("a slice of a fraction of a block cannot be bound");
        }
        if (slice.space == Space::staging && slice.block >= pattern.staging_blocks) {
            throw std::invalid_argument("a slice of staging that the pattern does not have");
        }
        if (slice.space == Space::receive && operation.kind == OperationKind::send) {
            throw std::invalid_argument("a send from the receive buffer");
        }
        if (slice.space == Space::send && operation.kind == OperationKind::receive) {
            throw std::invalid_argument("a receive into the send buffer");
        }
    }
}

} // namespace

void Program::add(const Operation &operation, std::vector<Item> &items)
{
    Item item;
    item.carry = operation.carry;
    item.phase = operation.phase;
    item.peer = operation.peer;
    item.first_slice = static_cast<std::uint32_t>(slices_.size());
    item.slice_count = static_cast<std::uint32_t>(operation.slices.size());
    for (const Slice &slice : operation.slices) {
        note(slice);
        slices_.push_back(slice);
        owners_.push_back(static_cast<std::uint32_t>(items.size()));
    }
    relays_ = relays_ || item.carry == Carry::combined;
    items.push_back(item);
}

Program::Program(const Pattern &pattern)
    : filled_by_(pattern.staging_blocks, {kNone, 0}), staging_blocks_(pattern.staging_blocks),
      rank_(pattern.rank)
{
    std::vector<Operation> later;
    for (const Operation &operation : pattern.operations) {
        check(operation, pattern);
        switch (operation.kind) {
        case OperationKind::copy:
            if (operation.slices.at(0).space == Space::staging) {
                later.push_back(operation);
            } else {
                copies_.emplace_back(operation.slices.at(0), operation.slices.at(1));
                note(operation.slices[0]);
                note(operation.slices[1]);
            }
            break;
        case OperationKind::send:
            add(operation, sends_);
            break;
        case OperationKind::receive:
            add(operation, receives_);
            for (std::uint32_t i = 0; i < receives_.back().slice_count; ++i) {
                const std::uint32_t at = receives_.back().first_slice + i;
                if (slices_[at].space == Space::staging) {
                    filled_by_.at(slices_[at].block) = {
                        static_cast<std::uint32_t>(receives_.size() - 1), at};
                } else if (operation.carry
                           != Carry::combined) { // comes from its source, if it comes
                    const std::size_t slot = slices_[at].block;
                    sources_.resize(std::max(sources_.size(), slot + 1), kNoRank);
                    sources_[slot] = operation.peer;
                }
            }
            break;
        }
    }
    link_sends();
    link_deliveries(later);
}

void Program::note(const Slice &slice)
{
    if (slice.space == Space::send) {
        sent_block_ = slice.block;
    } else if (slice.space == Space::receive) {
        received_slot_ = slice.block;
    }
}

bool Program::only_relayed(const Item &receive) const
{
    const auto first = slices_.begin() + receive.first_slice;
    return receive.delivery_count == 0
           && std::all_of(first, first + receive.slice_count,
                          [](const Slice &slice) { return slice.space == Space::staging; });
}

// The receive that fills a staging slice, and the slice of its message.
const std::pair<std::uint32_t, std::uint32_t> &Program::source_of(const Slice &staging) const
{
    const auto &source = filled_by_.at(staging.block);
    if (source.first == kNone) {
        throw std::invalid_argument("an operation waits for staging that nothing fills");
    }
    return source;
}

void Program::link_sends()
{
    std::vector<std::vector<std::uint32_t>> fed(receives_.size());
    for (std::uint32_t s = 0; s < sends_.size(); ++s) {
        Item &send = sends_[s];
        std::vector<std::uint32_t> sources;
        for (std::uint32_t i = 0; i < send.slice_count; ++i) {
            const Slice &slice = slices_[send.first_slice + i];
            if (slice.space == Space::staging) {
                sources.push_back(source_of(slice).first);
            }
        }
        std::sort(sources.begin(), sources.end());
        sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
        send.waits_for = static_cast<std::uint32_t>(sources.size());
        for (std::uint32_t source : sources) {
            fed[source].push_back(s);
        }
    }
    for (std::size_t r = 0; r < receives_.size(); ++r) {
        receives_[r].first_feed = static_cast<std::uint32_t>(feeds_.size());
        receives_[r].feed_count = static_cast<std::uint32_t>(fed[r].size());
        feeds_.insert(feeds_.end(), fed[r].begin(), fed[r].end());
    }
}

void Program::link_deliveries(const std::vector<Operation> &copies)
{
    std::vector<std::vector<Delivery>> made(receives_.size());
    for (const Operation &copy : copies) {
        if (copy.slices.at(1).space != Space::receive) {
            throw std::invalid_argument("a copy from staging to something other than a slot");
        }
        const auto &source = source_of(copy.slices[0]);
        made[source.first].push_back(Delivery{source.second, copy.slices[1].block});
        note(copy.slices[1]);
    }
    for (std::size_t r = 0; r < receives_.size(); ++r) {
        receives_[r].first_delivery = static_cast<std::uint32_t>(deliveries_.size());
        receives_[r].delivery_count = static_cast<std::uint32_t>(made[r].size());
        deliveries_.insert(deliveries_.end(), made[r].begin(), made[r].end());
    }
}

} // namespace nbrhood
