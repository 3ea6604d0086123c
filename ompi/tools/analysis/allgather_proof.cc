// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/allgather_proof.h"

#include <algorithm>
#include <deque>
#include <map>

namespace nbrhood {

namespace {

constexpr std::size_t kMostFaults = 20;

Positions positions_of(const Operation &operation)
{
    Positions ranges;
    for (const Slice &slice : operation.slices) {
        ranges.add(PositionRange{static_cast<Rank>(slice.block), static_cast<Rank>(slice.count)});
    }
    return ranges;
}

class AllgatherProof {
public:
    AllgatherProof(const std::vector<AllgatherPattern> &patterns, const AllgatherShape &shape)
        : patterns_(patterns), shape_(shape), ranks_(patterns.size())
    {}

    std::vector<std::string> run()
    {
        if (ranks_.size() != static_cast<std::size_t>(shape_.ranks())) {
            fault("not one pattern for each rank");
            return faults_;
        }
        for (Rank rank = 0; rank < shape_.ranks(); ++rank) {
            read(rank);
        }
        while (!awake_.empty() && faults_.empty()) {
            const Rank rank = awake_.front();
            awake_.pop_front();
            send_what_is_there(rank);
        }
        for (Rank rank = 0; rank < shape_.ranks() && faults_.empty(); ++rank) {
            finish(rank);
        }
        return faults_;
    }

private:
    using Queues = std::map<Rank, std::deque<Positions>>;
    struct State {
        Positions filled;
        Queues sends;    // by destination
        Queues receives; // by source
    };

    void fault(const std::string &text)
    {
        if (faults_.size() < kMostFaults) {
            faults_.push_back(text);
        }
    }
    static std::string name(Rank rank) { return "rank " + std::to_string(rank); }
    State &of(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }

    void read(Rank rank)
    {
        const AllgatherPattern &own = patterns_[static_cast<std::size_t>(rank)];
        State &state = of(rank);
        if (own.pattern.rank != rank || own.by_rank != patterns_.front().by_rank) {
            fault(name(rank) + " has a pattern of another rank, or of another order");
            return;
        }
        for (const Operation &operation : own.pattern.operations) {
            switch (operation.kind) {
            case OperationKind::copy:
                state.filled.add(PositionRange{
                    own.by_rank ? rank : shape_.position_of[static_cast<std::size_t>(rank)], 1});
                break;
            case OperationKind::send:
                state.sends[operation.peer].push_back(positions_of(operation));
                break;
            case OperationKind::receive:
                state.receives[operation.peer].push_back(positions_of(operation));
                break;
            }
        }
        awake_.push_back(rank);
    }

    // In each pair of ranks only the first message may travel.
    void send_what_is_there(Rank rank)
    {
        for (auto &[peer, queue] : of(rank).sends) {
            while (
                !queue.empty()
                && std::all_of(queue.front().begin(), queue.front().end(),
                               [&](const PositionRange &r) { return of(rank).filled.covers(r); })) {
                arrive(rank, peer, queue.front());
                queue.pop_front();
            }
        }
    }

    void arrive(Rank from, Rank to, const Positions &blocks)
    {
        std::deque<Positions> &receives = of(to).receives[from];
        if (receives.empty() || !(receives.front() == blocks)) {
            fault(name(to) + " does not expect what " + name(from) + " sends");
            return;
        }
        receives.pop_front();
        for (const PositionRange &range : blocks) {
            if (of(to).filled.meets(range)) {
                fault(name(to) + " gets a block twice, from " + name(from));
            }
            of(to).filled.add(range);
        }
        awake_.push_back(to);
    }

    void finish(Rank rank)
    {
        const State &state = of(rank);
        if (!state.filled.covers(PositionRange{0, shape_.ranks()})) {
            fault(name(rank) + " lacks blocks");
        }
        for (const auto &[peer, queue] : state.sends) {
            if (!queue.empty()) {
                fault(name(rank) + " never sends to " + name(peer));
            }
        }
        for (const auto &[peer, queue] : state.receives) {
            if (!queue.empty()) {
                fault(name(rank) + " waits for " + name(peer) + " forever");
            }
        }
    }

    const std::vector<AllgatherPattern> &patterns_;
    const AllgatherShape &shape_;
    std::vector<State> ranks_;
    std::deque<Rank> awake_; // ranks that may have something to send
    std::vector<std::string> faults_;
};

void add(AllgatherCounts::Side &side, std::int64_t blocks)
{
    ++side.messages;
    side.blocks += blocks;
}

void raise(AllgatherCounts::Side &most, const AllgatherCounts::Side &side)
{
    most.messages = std::max(most.messages, side.messages);
    most.blocks = std::max(most.blocks, side.blocks);
}

} // namespace

std::vector<std::string> prove_allgather(const std::vector<AllgatherPattern> &patterns,
                                         const AllgatherShape &shape)
{
    return AllgatherProof(patterns, shape).run();
}

AllgatherCounts count_allgather(const std::vector<AllgatherPattern> &patterns,
                                const Machine &machine)
{
    AllgatherCounts counts;
    for (const AllgatherPattern &own : patterns) {
        AllgatherCounts::Side local, nonlocal;
        for (const Operation &operation : own.pattern.operations) {
            if (operation.kind != OperationKind::send) {
                continue;
            }
            const bool is_local = machine.local(own.pattern.rank, operation.peer);
            const auto blocks = static_cast<std::int64_t>(positions_of(operation).count());
            add(is_local ? local : nonlocal, blocks);
            add(is_local ? counts.all_local : counts.all_nonlocal, blocks);
        }
        raise(counts.most_local, local);
        raise(counts.most_nonlocal, nonlocal);
    }
    return counts;
}

} // namespace nbrhood
