// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/prove.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "analysis/provenance.h"

namespace nbrhood {
namespace {

struct RankState {
    explicit RankState(const Pattern &pattern)
        : staging(pattern, Space::staging), received(pattern, Space::receive)
    {}

    Places staging;
    Places received;
    std::vector<std::uint32_t> pending; // operations that are not done, in their order
    Arrivals arrived;
    // The out-edges, ascending: peer and key in one word, and slot.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> out_slots;
};

class Simulation {
public:
    Simulation(const std::vector<Pattern> &patterns, const std::vector<Neighbourhood> &graph,
               const IsLarge &is_large)
        : patterns_(patterns), graph_(graph), is_large_(is_large)
    {
        states_.reserve(patterns.size());
        for (std::size_t r = 0; r < graph.size(); ++r) {
            states_.emplace_back(patterns[r]);
            auto &slots = states_[r].out_slots;
            slots.reserve(graph[r].out.size());
            for (std::uint32_t i = 0; i < graph[r].out.size(); ++i) {
                const EdgeEnd &end = graph[r].out[i];
                if (end.peer != kNoRank) {
                    slots.emplace_back(pair_key(end.peer, end.key), i);
                }
            }
            std::sort(slots.begin(), slots.end());
        }
    }

    std::vector<std::string> run()
    {
        prepare();
        bool progress = true;
        while (progress && faults_.size() < kMaxFaults) {
            progress = false;
            for (std::size_t r = 0; r < patterns_.size(); ++r) {
                progress = advance(r) || progress;
            }
        }
        report_stuck();
        for (std::size_t r = 0; r < patterns_.size() && faults_.size() < kMaxFaults; ++r) {
            check_slots(r);
        }
        return faults_;
    }

private:
    static constexpr std::size_t kMaxFaults = 20;

    static std::uint64_t pair_key(Rank peer, std::int32_t key)
    {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) << 32
               | static_cast<std::uint32_t>(key);
    }

    template <typename... Words>
    void fault(Words &&...words)
    {
        std::ostringstream text;
        (text << ... << words);
        if (faults_.size() < kMaxFaults) {
            faults_.push_back(text.str());
        }
    }

    bool large(const Origin &origin) const
    {
        const Neighbourhood &source = graph_[static_cast<std::size_t>(origin.rank)];
        if (patterns_[static_cast<std::size_t>(origin.rank)].kind == BlockKind::one_per_rank) {
            return is_large_(Edge{origin.rank, kNoRank, 0});
        }
        if (origin.block >= source.out.size()) {
            return false; // an error here is reported where the block is sent
        }
        const EdgeEnd &end = source.out[origin.block];
        return is_large_(Edge{origin.rank, end.peer, end.key});
    }

    // The block that receive slot j of rank r must hold.
    Origin wanted(std::size_t r, std::uint32_t slot, bool &known) const
    {
        if (slot >= graph_[r].in.size() || graph_[r].in[slot].peer == kNoRank) {
            known = false;
            return Origin{};
        }
        const EdgeEnd &end = graph_[r].in[slot];
        const auto peer = static_cast<std::size_t>(end.peer);
        const auto &slots = states_[peer].out_slots;
        const std::uint64_t key = pair_key(static_cast<Rank>(r), end.key);
        const auto found = std::lower_bound(slots.begin(), slots.end(),
                                            std::pair<std::uint64_t, std::uint32_t>(key, 0));
        known = found != slots.end() && found->first == key;
        const bool per_rank = patterns_[peer].kind == BlockKind::one_per_rank;
        return Origin{end.peer, per_rank || !known ? 0 : found->second};
    }

    // Operations for large blocks do not take place for a small block, nor the reverse.
    bool takes_place(std::size_t r, const Operation &operation) const
    {
        if (operation.carry != Carry::direct_if_large
            && operation.carry != Carry::direct_if_small) {
            return true;
        }
        const Slice &slice = operation.slices.at(0);
        bool known = true;
        const Origin origin = slice.space == Space::receive
                                  ? wanted(r, slice.block, known)
                                  : Origin{static_cast<Rank>(r), slice.block};
        return known && large(origin) == (operation.carry == Carry::direct_if_large);
    }

    void prepare()
    {
        for (std::size_t r = 0; r < patterns_.size(); ++r) {
            RankState &state = states_[r];
            const auto &operations = patterns_[r].operations;
            if (!operations.empty() && !graph_[r].has_edges()) {
                fault("rank ", r, " has no edges but takes part");
            }
            for (std::uint32_t i = 0; i < operations.size(); ++i) {
                if (takes_place(r, operations[i])) {
                    state.pending.push_back(i);
                }
            }
        }
    }

    // The origin of a slice of one block that rank r holds now; none if it has not been filled.
    // least: the state that is enough for a receive slot.
    std::optional<Origin> held(std::size_t r, const Slice &slice, Places::State least)
    {
        if (slice.space == Space::send) {
            const bool one = patterns_[r].kind == BlockKind::one_per_rank;
            if (slice.block >= (one ? 1 : graph_[r].out.size())) {
                fault("rank ", r, " sends block ", slice.block, ", which it does not have");
                return std::nullopt;
            }
            return Origin{static_cast<Rank>(r), slice.block};
        }
        return slice.space == Space::staging ? states_[r].staging.find(slice, Places::State::filled)
                                             : states_[r].received.find(slice, least);
    }

    void store(std::size_t r, const Slice &slice, const Origin &origin,
               Places::State state = Places::State::filled)
    {
        if (slice.space == Space::send) {
            fault("rank ", r, " receives into its send buffer");
            return;
        }
        const char *const space = slice.space == Space::staging ? "staging" : "receive";
        const std::size_t blocks =
            slice.space == Space::staging ? patterns_[r].staging_blocks : graph_[r].in.size();
        if (slice.block >= blocks) {
            fault("rank ", r, " fills ", space, " block ", slice.block, ", which it does not have");
            return;
        }
        auto &to = slice.space == Space::staging ? states_[r].staging : states_[r].received;
        switch (to.fill(slice, origin, state)) {
        case Places::Fault::none:
            break;
        case Places::Fault::filled_twice:
            fault("rank ", r, " fills ", space, " block ", slice.block, " twice");
            break;
        case Places::Fault::of_two_blocks:
            fault("rank ", r, " fills ", space, " block ", slice.block,
                  " with parts of two blocks");
            break;
        }
    }

    // Carries an operation out if that is possible now. number: its number among the operations of
    // the rank.
    bool try_operation(std::size_t r, std::uint32_t number)
    {
        const Operation &operation = patterns_[r].operations[number];
        switch (operation.kind) {
        case OperationKind::copy:
            return try_copy(r, operation);
        case OperationKind::send:
            return try_send(r, number);
        case OperationKind::receive:
            return try_receive(r, operation);
        }
        return false;
    }

    bool try_copy(std::size_t r, const Operation &operation)
    {
        const Slice &from = operation.slices.at(0);
        const Slice &to = operation.slices.at(1);
        const auto origin = held(r, from, Places::State::announced);
        if (!origin) {
            return false;
        }
        // Large blocks do not go through staging.
        if (from.space == Space::send || !large(*origin)) {
            store(r, to, *origin);
        }
        return true;
    }

    bool try_send(std::size_t r, std::uint32_t number)
    {
        const Operation &operation = patterns_[r].operations[number];
        const auto least =
            operation.carry == Carry::combined ? Places::State::announced : Places::State::filled;
        for (BlockWalk walk(operation.slices); !walk.ended();) {
            if (!held(r, walk.next(), least)) {
                return false;
            }
        }
        if (operation.peer < 0 || static_cast<std::size_t>(operation.peer) >= states_.size()) {
            fault("rank ", r, " sends to rank ", operation.peer, ", which does not exist");
            return true;
        }
        states_[static_cast<std::size_t>(operation.peer)].arrived.post(static_cast<Rank>(r),
                                                                       operation.phase, number);
        return true;
    }

    bool try_receive(std::size_t r, const Operation &operation)
    {
        const auto number = states_[r].arrived.take(operation.peer, operation.phase);
        if (!number) {
            return false;
        }
        const auto source = static_cast<std::size_t>(operation.peer);
        const Operation &send = patterns_[source].operations[*number];
        const std::size_t expected = blocks_of(operation.slices);
        const std::size_t got = blocks_of(send.slices);
        if (send.key != operation.key || got != expected) {
            fault("rank ", r, " expects key ", operation.key, " with ", expected,
                  " slices from rank ", operation.peer, " in phase ", int{operation.phase},
                  ", gets key ", send.key, " with ", got);
            return true;
        }
        const bool combined = operation.carry == Carry::combined;
        BlockWalk from(send.slices);
        for (BlockWalk to(operation.slices); !to.ended();) {
            const Slice sent = from.next();
            const Slice place = to.next();
            if (!same_part(sent, place)) {
                fault("rank ", r, " expects another part of a block than it gets from rank ",
                      operation.peer, " in phase ", int{operation.phase});
                return true;
            }
            const auto origin = held(source, sent, Places::State::announced);
            const bool passes = combined && place.space == Space::receive && large(*origin);
            store(r, place, *origin, passes ? Places::State::announced : Places::State::filled);
        }
        return true;
    }

    bool advance(std::size_t r)
    {
        states_[r].arrived.settle();
        std::vector<std::uint32_t> &pending = states_[r].pending;
        std::size_t left = 0;
        std::set<std::pair<Rank, std::uint8_t>> held_up; // sends without a header keep their order
        for (const std::uint32_t number : pending) {
            const Operation &operation = patterns_[r].operations[number];
            const bool keeps_order = operation.kind == OperationKind::send
                                     && travels_in_bytes(operation.carry, operation.phase);
            const std::pair channel(operation.peer, operation.phase);
            if ((keeps_order && held_up.count(channel) != 0) || !try_operation(r, number)) {
                pending[left++] = number;
                if (keeps_order) {
                    held_up.insert(channel);
                }
            }
        }
        const bool progress = left != pending.size();
        pending.resize(left);
        return progress;
    }

    void report_stuck()
    {
        for (std::size_t r = 0; r < patterns_.size(); ++r) {
            for (std::uint32_t i : states_[r].pending) {
                const Operation &operation = patterns_[r].operations[i];
                fault("rank ", r, " waits forever in operation ", i, " with rank ", operation.peer,
                      " in phase ", int{operation.phase});
            }
        }
        for (std::size_t r = 0; r < patterns_.size(); ++r) {
            for (const Arrivals::Arrival &one : states_[r].arrived.left()) {
                fault("a message from rank ", one.source, " to rank ", r, " in phase ",
                      int{one.phase}, " is never received");
            }
        }
    }

    void check_slots(std::size_t r)
    {
        for (std::uint32_t slot = 0; slot < graph_[r].in.size(); ++slot) {
            const auto [begin, end] = states_[r].received.of_block(slot);
            Coverage coverage(Location{slot, 0, 1, 1});
            Origin held;
            int parts = 0;
            for (auto place = begin; place != end; ++place) {
                if (place->state == Places::State::filled) {
                    coverage.take(place->location);
                    held = place->origin;
                    ++parts;
                }
            }
            if (graph_[r].in[slot].peer == kNoRank) {
                if (parts != 0) {
                    fault("rank ", r, " fills slot ", slot, ", which belongs to no rank");
                }
                continue;
            }
            bool known = false;
            const Origin origin = wanted(r, slot, known);
            if (!known) {
                fault("slot ", slot, " of rank ", r, " has no matching out-edge");
            } else if (!coverage.complete()) {
                fault("slot ", slot, " of rank ", r, " from rank ", origin.rank, " got ", parts,
                      " parts");
            } else if (!(held == origin)) {
                fault("slot ", slot, " of rank ", r, " holds block ", held.block, " of rank ",
                      held.rank, " instead of block ", origin.block, " of rank ", origin.rank);
            }
        }
    }

    const std::vector<Pattern> &patterns_;
    const std::vector<Neighbourhood> &graph_;
    const IsLarge &is_large_;
    std::vector<RankState> states_;
    std::vector<std::string> faults_;
};

} // namespace

std::vector<std::string> prove(const std::vector<Pattern> &patterns,
                               const std::vector<Neighbourhood> &neighbourhoods,
                               const IsLarge &is_large)
{
    if (patterns.size() != neighbourhoods.size()) {
        return {"the numbers of patterns and neighbourhoods differ"};
    }
    return Simulation(patterns, neighbourhoods, is_large).run();
}

} // namespace nbrhood
