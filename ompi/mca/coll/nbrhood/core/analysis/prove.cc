#include "analysis/prove.h"

#include <deque>
#include <map>
#include <sstream>
#include <tuple>
#include <unordered_map>

namespace nbrhood {
namespace {

// Where a piece of data comes from: a part of a block of a rank's send buffer.
struct Origin {
    Rank rank = kNoRank;
    std::uint32_t block = 0;
    std::uint16_t part = 0;
    std::uint16_t parts = 1;
    bool operator==(const Origin &other) const
    {
        return rank == other.rank && block == other.block && part == other.part
               && parts == other.parts;
    }
};

// What a message carries: an origin for each slice; a slice whose block is large stays empty.
struct Parcel {
    std::int32_t key = 0;
    std::vector<Origin> pieces;
};

using Location = std::tuple<std::uint32_t, std::uint16_t, std::uint16_t>; // block, part, parts

Location location(const Slice &slice)
{
    return {slice.block, slice.part, slice.parts};
}

struct RankState {
    std::map<Location, Origin> staging;
    std::map<Location, Origin> received;
    std::vector<char> done;           // by operation
    std::vector<std::size_t> pending; // operations that are not done
};

class Simulation {
public:
    Simulation(const std::vector<Pattern> &patterns, const std::vector<Neighbourhood> &graph,
               const IsLarge &is_large)
        : patterns_(patterns), graph_(graph), is_large_(is_large), states_(patterns.size()),
          out_index_(graph.size())
    {
        for (std::size_t r = 0; r < graph.size(); ++r) {
            for (std::uint32_t i = 0; i < graph[r].out.size(); ++i) {
                const EdgeEnd &end = graph[r].out[i];
                if (end.peer != kNoRank) {
                    out_index_[r][pair_key(end.peer, end.key)] = i;
                }
            }
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
            return false; // reported where the block is sent
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
        const auto found = out_index_[peer].find(pair_key(static_cast<Rank>(r), end.key));
        known = found != out_index_[peer].end();
        const bool per_rank = patterns_[peer].kind == BlockKind::one_per_rank;
        return Origin{end.peer, per_rank || !known ? 0 : found->second, 0, 1};
    }

    // Large operations whose block is not large do not take place.
    bool takes_place(std::size_t r, const Operation &operation) const
    {
        if (operation.carry != Carry::large) {
            return true;
        }
        if (operation.kind == OperationKind::receive) {
            bool known = false;
            const Origin origin = wanted(r, operation.slices.at(0).block, known);
            return known && large(origin);
        }
        return large(Origin{static_cast<Rank>(r), operation.slices.at(0).block, 0, 1});
    }

    void prepare()
    {
        for (std::size_t r = 0; r < patterns_.size(); ++r) {
            RankState &state = states_[r];
            const auto &operations = patterns_[r].operations;
            state.done.assign(operations.size(), 0);
            if (!operations.empty() && !graph_[r].has_edges()) {
                fault("rank ", r, " has no edges but takes part");
            }
            for (std::size_t i = 0; i < operations.size(); ++i) {
                if (takes_place(r, operations[i])) {
                    state.pending.push_back(i);
                } else {
                    state.done[i] = 1;
                }
            }
        }
    }

    // The origin of a slice that rank r holds now; false when staging has not been filled.
    bool held(std::size_t r, const Slice &slice, Origin &origin)
    {
        if (slice.space == Space::send) {
            const bool one = patterns_[r].kind == BlockKind::one_per_rank;
            if (slice.block >= (one ? 1 : graph_[r].out.size())) {
                fault("rank ", r, " sends block ", slice.block, ", which it does not have");
                return false;
            }
            origin = Origin{static_cast<Rank>(r), slice.block, slice.part, slice.parts};
            return true;
        }
        if (slice.space == Space::receive) {
            fault("rank ", r, " sends from its receive buffer");
            return false;
        }
        const auto &from = states_[r].staging;
        const auto found = from.find(location(slice));
        if (found == from.end()) {
            return false;
        }
        origin = found->second;
        return true;
    }

    void store(std::size_t r, const Slice &slice, const Origin &origin)
    {
        if (slice.space == Space::send) {
            fault("rank ", r, " receives into its send buffer");
            return;
        }
        const std::size_t blocks =
            slice.space == Space::staging ? patterns_[r].staging_blocks : graph_[r].in.size();
        if (slice.block >= blocks) {
            fault("rank ", r, " fills ", slice.space == Space::staging ? "staging" : "receive",
                  " block ", slice.block, ", which it does not have");
            return;
        }
        auto &to = slice.space == Space::staging ? states_[r].staging : states_[r].received;
        if (!to.emplace(location(slice), origin).second) {
            fault("rank ", r, " fills ", slice.space == Space::staging ? "staging" : "receive",
                  " block ", slice.block, " twice");
        }
    }

    bool try_operation(std::size_t r, const Operation &operation)
    {
        if (operation.kind == OperationKind::copy) {
            Origin origin;
            if (held(r, operation.slices.at(0), origin)) {
                // What is large passes staging by.
                if (operation.slices[0].space != Space::staging || !large(origin)) {
                    store(r, operation.slices.at(1), origin);
                }
                return true;
            }
            return false;
        }
        if (operation.kind == OperationKind::send) {
            Parcel parcel;
            parcel.key = operation.key;
            for (const Slice &slice : operation.slices) {
                Origin origin;
                if (!held(r, slice, origin)) {
                    return false;
                }
                parcel.pieces.push_back(origin);
            }
            channel(static_cast<Rank>(r), operation.peer, operation.phase).push_back(parcel);
            return true;
        }
        auto &queue = channel(operation.peer, static_cast<Rank>(r), operation.phase);
        if (queue.empty()) {
            return false;
        }
        const Parcel parcel = queue.front();
        queue.pop_front();
        if (parcel.key != operation.key || parcel.pieces.size() != operation.slices.size()) {
            fault("rank ", r, " expects key ", operation.key, " with ", operation.slices.size(),
                  " slices from rank ", operation.peer, " in phase ", int{operation.phase},
                  ", gets key ", parcel.key, " with ", parcel.pieces.size());
            return true;
        }
        for (std::size_t s = 0; s < parcel.pieces.size(); ++s) {
            const Origin &piece = parcel.pieces[s];
            const bool rides = operation.carry == Carry::ride;
            if (!rides || !large(piece) || operation.slices[s].space == Space::staging) {
                store(r, operation.slices[s], piece);
            }
        }
        return true;
    }

    bool advance(std::size_t r)
    {
        RankState &state = states_[r];
        bool progress = false;
        std::vector<std::size_t> left;
        for (std::size_t i : state.pending) {
            if (try_operation(r, patterns_[r].operations[i])) {
                state.done[i] = 1;
                progress = true;
            } else {
                left.push_back(i);
            }
        }
        state.pending = left;
        return progress;
    }

    void report_stuck()
    {
        for (std::size_t r = 0; r < patterns_.size(); ++r) {
            for (std::size_t i : states_[r].pending) {
                const Operation &operation = patterns_[r].operations[i];
                fault("rank ", r, " waits for ever in operation ", i, " with rank ", operation.peer,
                      " in phase ", int{operation.phase});
            }
        }
        for (const auto &[where, queue] : channels_) {
            if (!queue.empty()) {
                fault("a message from rank ", std::get<0>(where), " to rank ", std::get<1>(where),
                      " in phase ", std::get<2>(where), " is never received");
            }
        }
    }

    void check_slots(std::size_t r)
    {
        std::map<std::uint32_t, std::vector<std::pair<Location, Origin>>> slots;
        for (const auto &[where, origin] : states_[r].received) {
            slots[std::get<0>(where)].emplace_back(where, origin);
        }
        for (std::uint32_t slot = 0; slot < graph_[r].in.size(); ++slot) {
            const auto found = slots.find(slot);
            const std::size_t pieces = found == slots.end() ? 0 : found->second.size();
            if (graph_[r].in[slot].peer == kNoRank) {
                if (pieces != 0) {
                    fault("rank ", r, " fills slot ", slot, ", which belongs to no rank");
                }
                continue;
            }
            bool known = false;
            Origin origin = wanted(r, slot, known);
            if (!known) {
                fault("slot ", slot, " of rank ", r, " has no matching out-edge");
                continue;
            }
            if (pieces == 0 || pieces != std::get<2>(found->second.front().first)) {
                fault("slot ", slot, " of rank ", r, " from rank ", origin.rank, " got ", pieces,
                      " pieces");
                continue;
            }
            for (const auto &[where, piece] : found->second) {
                origin.part = std::get<1>(where);
                origin.parts = std::get<2>(where);
                if (!(piece == origin)) {
                    fault("slot ", slot, " of rank ", r, " holds block ", piece.block, " of rank ",
                          piece.rank, " instead of block ", origin.block, " of rank ", origin.rank);
                }
            }
        }
    }

    std::deque<Parcel> &channel(Rank source, Rank destination, int phase)
    {
        return channels_[{source, destination, phase}];
    }

    const std::vector<Pattern> &patterns_;
    const std::vector<Neighbourhood> &graph_;
    const IsLarge &is_large_;
    std::vector<RankState> states_;
    std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> out_index_;
    std::map<std::tuple<Rank, Rank, int>, std::deque<Parcel>> channels_;
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
