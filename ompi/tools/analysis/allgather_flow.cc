// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/allgather_flow.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "allgather/program.h"

namespace nbrhood {
namespace {

using GatherMessage = AllgatherProgram::Message;

// A send: its source and its number among all messages.
struct Sent {
    Rank source;
    std::uint32_t message;
    bool operator<(const Sent &b) const
    {
        return std::tie(source, message) < std::tie(b.source, b.message);
    }
};

// The receives of a rank by source, in the order of the pair.
std::vector<std::uint32_t> by_source(const std::vector<GatherMessage> &receives)
{
    std::vector<std::uint32_t> order(receives.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return receives[a].peer < receives[b].peer;
    });
    return order;
}

FlowMessage message_of(Rank source, const GatherMessage &send, std::uint64_t block_bytes)
{
    FlowMessage message;
    message.source = source;
    message.destination = send.peer;
    message.blocks = static_cast<std::uint32_t>(send.blocks);
    message.bytes = message.blocks * block_bytes;
    message.gathered = send.range_count > 1 ? send.range_count : 0;
    message.scattered = message.gathered; // both ends name the same ranges
    message.scattered_bytes = message.scattered != 0 ? message.bytes : 0;
    message.phase = kInter;
    return message;
}

} // namespace

Flow flow_of_allgather(const std::vector<AllgatherPattern> &patterns, const AllgatherShape &shape,
                       std::uint64_t block_bytes)
{
    const bool has_image = !patterns.front().by_rank && !shape.in_rank_order();
    const auto result_bytes = static_cast<std::uint64_t>(shape.ranks()) * block_bytes;
    Flow flow;
    flow.self_bytes_.assign(patterns.size(), block_bytes);
    flow.staging_bytes_.assign(patterns.size(), has_image ? result_bytes : 0);
    std::vector<AllgatherProgram> programs;
    programs.reserve(patterns.size());
    std::vector<std::vector<Sent>> sent_to(patterns.size());
    for (const AllgatherPattern &own : patterns) {
        programs.emplace_back(own, shape);
        flow.first_of_.push_back(static_cast<std::uint32_t>(flow.messages_.size()));
        for (const GatherMessage &send : programs.back().sends()) {
            sent_to[static_cast<std::size_t>(send.peer)].push_back(
                {own.pattern.rank, static_cast<std::uint32_t>(flow.messages_.size())});
            flow.messages_.push_back(message_of(own.pattern.rank, send, block_bytes));
            flow.messages_.back().copied_bytes = has_image ? flow.messages_.back().bytes : 0;
        }
    }
    flow.first_of_.push_back(static_cast<std::uint32_t>(flow.messages_.size()));

    std::vector<std::pair<std::uint32_t, std::uint32_t>> links; // (message, one that waits)
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
        const std::vector<GatherMessage> &receives = programs[rank].receives();
        std::vector<Sent> &sent = sent_to[rank];
        std::sort(sent.begin(), sent.end());
        const std::vector<std::uint32_t> order = by_source(receives);
        if (sent.size() != order.size()) {
            throw std::invalid_argument("rank " + std::to_string(rank)
                                        + " receives other messages than are sent to it");
        }
        for (std::size_t i = 0; i < order.size(); ++i) {
            const GatherMessage &receive = receives[order[i]];
            for (std::uint32_t f = 0; f < receive.feed_count; ++f) {
                const std::uint32_t waiting =
                    flow.first_of_[rank] + programs[rank].feeds()[receive.first_feed + f];
                links.emplace_back(sent[i].message, waiting);
                ++flow.messages_[waiting].waits_for;
            }
        }
    }
    flow.link(links);
    return flow;
}

} // namespace nbrhood
