// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/program.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace nbrhood {

namespace {

PositionRange range_of(const Slice &slice, Rank ranks)
{
    if (slice.space != Space::receive || !slice.whole() || slice.count == 0
        || slice.block >= static_cast<std::uint32_t>(ranks)
        || slice.count > static_cast<std::uint32_t>(ranks) - slice.block) {
        throw std::invalid_argument("a slice that no allgather has");
    }
    return PositionRange{static_cast<Rank>(slice.block), static_cast<Rank>(slice.count)};
}

// Positions that a receive brings.
struct Brought {
    PositionRange range;
    std::uint32_t receive = 0;
};

} // namespace

AllgatherProgram::AllgatherProgram(const AllgatherPattern &pattern, const AllgatherShape &shape)
    : ranks_(shape.ranks()), rank_(pattern.pattern.rank)
{
    if (!pattern.by_rank && !shape.in_rank_order()) {
        rank_at_ = shape.rank_at;
    }
    for (const Operation &operation : pattern.pattern.operations) {
        add(operation);
    }
    if (own_ == kNoRank) {
        throw std::invalid_argument("an allgather without a block of its own");
    }
    link();
}

void AllgatherProgram::add(const Operation &operation)
{
    if (operation.kind == OperationKind::copy) {
        if (own_ != kNoRank || operation.slices.size() != 2
            || operation.slices[0].space != Space::send) {
            throw std::invalid_argument("a copy that no allgather has");
        }
        own_ = range_of(operation.slices[1], ranks_).first;
        return;
    }
    Message message;
    message.peer = operation.peer;
    message.first_range = static_cast<std::uint32_t>(ranges_.size());
    for (const Slice &slice : operation.slices) {
        ranges_.push_back(range_of(slice, ranks_));
        message.blocks += ranges_.back().count;
    }
    message.range_count = static_cast<std::uint32_t>(operation.slices.size());
    (operation.kind == OperationKind::send ? sends_ : receives_).push_back(message);
}

void AllgatherProgram::link()
{
    std::vector<Brought> brought;
    for (std::uint32_t r = 0; r < receives_.size(); ++r) {
        const PositionRange *range = ranges(receives_[r]);
        for (std::uint32_t i = 0; i < receives_[r].range_count; ++i) {
            brought.push_back(Brought{range[i], r});
        }
    }
    const auto by_position = [](const Brought &a, const Brought &b) {
        return a.range.first < b.range.first;
    };
    std::sort(brought.begin(), brought.end(), by_position);
    for (std::size_t i = 1; i < brought.size(); ++i) {
        if (brought[i].range.first < brought[i - 1].range.end()) {
            throw std::invalid_argument("two messages bring one block");
        }
    }

    std::vector<std::vector<std::uint32_t>> fed(receives_.size());
    std::unordered_map<Rank, std::uint32_t> last_to; // the send to each rank before this one
    for (std::uint32_t s = 0; s < sends_.size(); ++s) {
        Message &send = sends_[s];
        std::vector<std::uint32_t> sources;
        for (std::uint32_t i = 0; i < send.range_count; ++i) {
            const PositionRange range = ranges(send)[i];
            Positions missing(range);
            missing.remove(PositionRange{own_, 1});
            auto at =
                std::upper_bound(brought.begin(), brought.end(), Brought{range, 0}, by_position);
            for (at -= at == brought.begin() ? 0 : 1;
                 at != brought.end() && at->range.first < range.end(); ++at) {
                if (missing.meets(at->range)) {
                    sources.push_back(at->receive);
                    missing.remove(at->range);
                }
            }
            if (!missing.empty()) {
                throw std::invalid_argument("a send of a block that no receive brings");
            }
        }
        std::sort(sources.begin(), sources.end());
        sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
        for (const std::uint32_t source : sources) {
            fed[source].push_back(s);
        }
        send.waits_for = static_cast<std::uint32_t>(sources.size());
        const auto before = last_to.find(send.peer);
        if (before != last_to.end()) {
            sends_[before->second].next_to_peer = s;
            ++send.waits_for;
        }
        last_to[send.peer] = s;
    }
    for (std::size_t r = 0; r < fed.size(); ++r) {
        receives_[r].first_feed = static_cast<std::uint32_t>(feeds_.size());
        receives_[r].feed_count = static_cast<std::uint32_t>(fed[r].size());
        feeds_.insert(feeds_.end(), fed[r].begin(), fed[r].end());
    }
}

} // namespace nbrhood
