#include "execute/program.h"

#include <algorithm>
#include <stdexcept>

namespace nbrhood {

namespace {

void check(const Operation &operation, const Pattern &pattern)
{
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

Program::Item Program::add(const Operation &operation)
{
    Item item;
    item.carry = operation.carry;
    item.phase = operation.phase;
    item.peer = operation.peer;
    item.first_slice = static_cast<std::uint32_t>(slices_.size());
    item.slice_count = static_cast<std::uint32_t>(operation.slices.size());
    for (const Slice &slice : operation.slices) {
        slices_.push_back(slice);
    }
    relays_ = relays_ || item.carry == Carry::ride;
    return item;
}

Program::Program(const Pattern &pattern) : staging_blocks_(pattern.staging_blocks)
{
    std::vector<std::int64_t> filled_by(staging_blocks_, -1);
    for (const Operation &operation : pattern.operations) {
        check(operation, pattern);
        switch (operation.kind) {
        case OperationKind::copy:
            copies_.emplace_back(operation.slices.at(0), operation.slices.at(1));
            break;
        case OperationKind::send:
            sends_.push_back(add(operation));
            break;
        case OperationKind::receive:
            for (const Slice &slice : operation.slices) {
                if (slice.space == Space::staging) {
                    filled_by.at(slice.block) = static_cast<std::int64_t>(receives_.size());
                }
            }
            receives_.push_back(add(operation));
            break;
        }
    }
    link(filled_by);
}

void Program::link(std::vector<std::int64_t> &filled_by)
{
    std::vector<std::vector<std::uint32_t>> fed(receives_.size());
    for (std::uint32_t s = 0; s < sends_.size(); ++s) {
        Item &send = sends_[s];
        std::vector<std::uint32_t> sources;
        for (std::uint32_t i = 0; i < send.slice_count; ++i) {
            const Slice &slice = slices_[send.first_slice + i];
            if (slice.space != Space::staging) {
                continue;
            }
            const std::int64_t source = filled_by.at(slice.block);
            if (source < 0) {
                throw std::invalid_argument("a send waits for staging that nothing fills");
            }
            sources.push_back(static_cast<std::uint32_t>(source));
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

} // namespace nbrhood
