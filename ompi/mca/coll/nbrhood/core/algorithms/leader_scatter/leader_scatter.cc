// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/leader_scatter/leader_scatter.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "algorithms/toolkit/counted_protocol.h"
#include "algorithms/direct.h"
#include "algorithms/toolkit/pattern_traffic.h"
#include "algorithms/leader_scatter/scatter_plan.h"

namespace nbrhood {
namespace {

constexpr int kPlan = 0; // the kind of the messages; CountedProtocol has others
constexpr std::int64_t kScatterPhases = 3;

// A part of a source's block that this rank receives or sends.
struct Part {
    OperationKind kind = OperationKind::receive;
    std::uint8_t phase = 0;
    Rank peer = kNoRank;
    Rank source = kNoRank;
    Slice slice;
};

// The order of messages. Both ends know the order of their messages in one phase. The first peer
// differs between ranks, so that they do not all send to the same rank first.
bool comes_before(const Part &a, const Part &b, Rank self)
{
    const auto turn = [self](Rank peer) { return std::pair(peer < self, peer); };
    return std::tuple(a.kind, a.phase, turn(a.peer), a.source, a.slice.first)
           < std::tuple(b.kind, b.phase, turn(b.peer), b.source, b.slice.first);
}

// The first edge to (or from) each other rank: its slot.
std::map<Rank, std::uint32_t> first_edges(const std::vector<EdgeEnd> &ends, Rank self)
{
    std::map<Rank, std::uint32_t> edges;
    for (std::uint32_t slot = 0; slot < ends.size(); ++slot) {
        const EdgeEnd &end = ends[slot];
        if (end.peer != kNoRank && end.peer != self) {
            const auto [found, is_new] = edges.try_emplace(end.peer, slot);
            if (!is_new && end.key < ends[found->second].key) {
                found->second = slot;
            }
        }
    }
    return edges;
}

class LeaderScatterBuilder : public CountedProtocol {
public:
    explicit LeaderScatterBuilder(const BuildInput &from)
        : CountedProtocol(from), in_(first_edges(from.neighbourhood->in, self())),
          out_(first_edges(from.neighbourhood->out, self()))
    {}

private:
    Step advance(const std::vector<Message> &inbox) override
    {
        if (!input().neighbourhood->has_edges()) {
            return Step{{}, {}, true};
        }
        if (counted_) {
            return conclude(inbox);
        }
        if (!told_) {
            told_ = true;
            std::map<Rank, WordWriter> messages;
            attempt([&] { messages = plan(); });
            Step step;
            for (const auto &edge : out_) {
                step.outbox.push_back(
                    write_message(kPlan, edge.first, messages[edge.first].words()));
            }
            for (const auto &edge : in_) {
                step.expect.push_back(edge.first);
            }
            if (!step.expect.empty()) {
                return step;
            }
            begin_next_superstep();
            counted_ = true;
            attempt([&] { count(); });
            Step next = conclude({});
            step.outbox.insert(step.outbox.end(), next.outbox.begin(), next.outbox.end());
            next.outbox = std::move(step.outbox);
            return next;
        }
        attempt([&] {
            for (const Message &from : inbox) {
                read(from);
            }
        });
        counted_ = true;
        attempt([&] { count(); });
        return conclude({});
    }

    ScatterPlace place_of(Rank rank) const
    {
        const Place &place = input().known_ranks->of(rank).place;
        Level level = input().tuning.values.get(kScatterPackage);
        if (place.domain(level) <= 0) {
            level = Level::socket;
        }
        ScatterPlace result;
        result.rank = rank;
        result.node = place.node;
        result.package = place.domain(level) * kLevels + static_cast<int>(level);
        result.die = std::max<int>(place.domain(Level::die), 0) - 1;
        return result;
    }

    // Plans the route of this rank's block; returns the words for its destinations, by rank.
    std::map<Rank, WordWriter> plan()
    {
        std::vector<ScatterPlace> destinations;
        destinations.reserve(out_.size());
        for (const auto &edge : out_) {
            destinations.push_back(place_of(edge.first));
        }
        const DieLinks nothing;
        const auto leaders = static_cast<std::size_t>(input().tuning.values.get(kScatterLeaders));
        std::map<Rank, WordWriter> messages;
        for (const ScatterTransfer &transfer :
             plan_scatter(place_of(self()), std::move(destinations),
                          input().die_links ? *input().die_links : nothing, leaders,
                          input().tuning.values.get(kScatterTurns))) {
            tell(transfer, OperationKind::receive, messages[transfer.to]);
            if (transfer.from != self()) {
                tell(transfer, OperationKind::send, messages[transfer.from]);
            } else {
                add(OperationKind::send, transfer, transfer.to, self(), Space::send, 0);
            }
            scattered_to_.push_back(transfer.to);
        }
        std::sort(scattered_to_.begin(), scattered_to_.end());
        return messages;
    }

    void tell(const ScatterTransfer &transfer, OperationKind kind, WordWriter &words) const
    {
        const Rank peer = kind == OperationKind::send ? transfer.to : transfer.from;
        words.put(kind == OperationKind::send ? 1 : 0);
        words.put(transfer.phase);
        words.put(transfer.first);
        words.put(transfer.last);
        words.put(transfer.of);
        words.put(peer);
        input().known_ranks->of(peer).put(words); // the peer need not be a neighbour of it
    }

    void add(OperationKind kind, const ScatterTransfer &transfer, Rank peer, Rank source,
             Space space, std::uint32_t block)
    {
        parts_.push_back(Part{kind, transfer.phase, peer, source,
                              interval(space, block, transfer.first, transfer.last, transfer.of)});
    }

    // Reads the message of a source about its block.
    void read(const Message &from)
    {
        constexpr int kMost = UINT16_MAX;
        WordReader words = open_message(kPlan, from);
        const bool scattered = words.left() != 0;
        while (words.left() != 0) {
            const auto kind = words.take_flag() ? OperationKind::send : OperationKind::receive;
            ScatterTransfer transfer;
            transfer.phase = static_cast<std::uint8_t>(words.take(kGather, kRedistribute));
            transfer.first = static_cast<std::uint16_t>(words.take(0, kMost));
            transfer.last = static_cast<std::uint16_t>(words.take(0, kMost));
            transfer.of = static_cast<std::uint16_t>(words.take(1, kMost));
            const Rank peer = words.take(0, input().ranks - 1);
            peers_.add(peer, RankPlace::take(words));
            if (peer == self() || (transfer.phase == kGather) != (peer == from.peer)
                || transfer.first >= transfer.last || transfer.last > transfer.of) {
                throw BadMessage("a part of a block that cannot be");
            }
            add(kind, transfer, peer, from.peer, Space::receive, in_.at(from.peer));
        }
        if (scattered) {
            scattered_from_.push_back(from.peer);
        }
    }

    void count()
    {
        peers_.add(self(), input().known_ranks->of(self()));
        for (const auto *edges : {&in_, &out_}) {
            for (const auto &edge : *edges) {
                peers_.add(edge.first, input().known_ranks->of(edge.first));
            }
        }
        std::sort(parts_.begin(), parts_.end(),
                  [this](const Part &a, const Part &b) { return comes_before(a, b, self()); });
        std::sort(scattered_from_.begin(), scattered_from_.end());
        for (Work &work : works()) {
            const Neighbourhood &own = *input().neighbourhood;
            if (work.task.kind == BlockKind::one_per_rank) {
                append_pattern(work.pattern);
            } else {
                work.pattern = build_direct(own, work.task.kind);
            }
            work.totals = traffic_of(work.pattern, own, peers_, kScatterPhases);
        }
    }

    void append_pattern(Pattern &pattern) const
    {
        append_whole_blocks(pattern);
        std::map<std::tuple<OperationKind, std::uint8_t, Rank>, std::int32_t> keys;
        for (const Part &part : parts_) {
            const std::int32_t key = keys[{part.kind, part.phase, part.peer}]++;
            pattern.operations.push_back(Operation{
                part.kind, Carry::direct_if_large, part.phase, part.peer, key, {part.slice}});
        }
        append_self_copies(*input().neighbourhood, pattern);
    }

    // Appends one message for each edge; for scattered edges only if the block is small.
    void append_whole_blocks(Pattern &pattern) const
    {
        const Neighbourhood &own = *input().neighbourhood;
        const std::size_t first = pattern.operations.size();
        append_edges(
            own, Carry::direct, kLocal, [](Rank) { return true; }, pattern);
        for (std::size_t i = first; i < pattern.operations.size(); ++i) {
            Operation &operation = pattern.operations[i];
            const bool sends = operation.kind == OperationKind::send;
            const auto &scattered = sends ? scattered_to_ : scattered_from_;
            const auto &ends = sends ? own.out : own.in;
            const std::uint32_t edge = (sends ? out_ : in_).at(operation.peer);
            if (ends[edge].key == operation.key
                && std::binary_search(scattered.begin(), scattered.end(), operation.peer)) {
                operation.carry = Carry::direct_if_small;
            }
        }
    }

    KnownRanks peers_;                  // this rank's neighbours, and ranks that sources name
    std::map<Rank, std::uint32_t> in_;  // the first edge from each source: its slot
    std::map<Rank, std::uint32_t> out_; // the first edge to each destination
    std::vector<Part> parts_;
    std::vector<Rank> scattered_to_;   // ascending, with repetitions
    std::vector<Rank> scattered_from_; // ascending, after count()
    bool told_ = false;
    bool counted_ = false;
};

} // namespace

std::optional<Traffic> least_by_scatter(const Facts &facts)
{
    if (facts.edges_network == 0) {
        return std::nullopt;
    }
    Traffic traffic;
    traffic.phases = kScatterPhases;
    traffic.relayed.add(Link::network, false, 1, 1);
    traffic.busiest_relayed = traffic.relayed;
    return traffic;
}

std::unique_ptr<Builder> make_leader_scatter_builder(const BuildInput &input)
{
    return std::make_unique<LeaderScatterBuilder>(input);
}

} // namespace nbrhood
