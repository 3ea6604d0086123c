// The protocol in which the ranks of a communicator build a pattern together.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "algorithms/traffic.h"
#include "graph/neighbourhood.h"
#include "machine/machine.h"
#include "pattern/pattern.h"

namespace nbrhood {

// What builders send each other: words, or the news that the sender cannot build.
struct Message {
    Rank peer = kNoRank; // destination in an outbox, source in an inbox
    bool failed = false;
    std::vector<std::int32_t> words;
};

// The end of a superstep: messages to deliver and the ranks that each send exactly one message to
// this rank for the next superstep. Peers are always known, so that no agreement ends a superstep;
// messages between an ordered pair of ranks keep their order. `done` ends the protocol for this
// rank.
struct Step {
    std::vector<Message> outbox;
    std::vector<Rank> expect;
    bool done = false;
};

enum class Outcome : std::uint8_t { built, declined, failed };

// Settings of the algorithms (MCA parameters), equal on all ranks.
struct Tuning {
    // Greatest number of ranks of a region that carry messages to and from other regions; 0: by
    // load.
    int relays_per_region = 0;
    // Whether blocks within a region ride with the relay as well where that saves messages: -1:
    // where the ranks of a node outnumber its cores, 0: never, 1: always.
    int local_rides = -1;
    // Not a parameter but a fact of the communicator's most crowded node.
    double ranks_per_core = 1;
};

// Everything a builder may look at: its own rank's neighbourhood and facts that all ranks agree on.
struct BuildInput {
    const Neighbourhood *neighbourhood = nullptr;
    const Machine *machine = nullptr;
    // has_edges[r]: rank r has an edge; others never relay and take no part in building.
    const std::vector<char> *has_edges = nullptr;
    Tuning tuning;
    // The kinds of blocks to build patterns for, by BlockKind.
    std::array<bool, kBlockKinds> kinds{};
    // Asked once for each kind, on one rank, with the totals: whether the pattern is worth having.
    // Empty: yes.
    std::function<bool(BlockKind, const Traffic &)> worthwhile;
    // For tests: fail in this superstep of this rank; -1: never.
    int fail_in_step = -1;
};

// A deterministic superstep protocol, which builds one pattern for each kind asked for. step() is
// called first with an empty inbox, then with one message from each expected rank, in the order of
// `expect`, until it returns done. A rank that fails keeps its appointments with `failed` messages,
// so that nobody waits for ever; at the end the engine agrees on the outcome. Implementations do
// not throw from step().
class Builder {
public:
    virtual ~Builder() = default;
    virtual Step step(const std::vector<Message> &inbox) = 0;
    virtual Outcome outcome(BlockKind kind) const = 0; // failed: for all kinds
    virtual Traffic traffic(BlockKind kind) const = 0; // valid unless the outcome is failed
    virtual Pattern take_pattern(BlockKind kind) = 0;  // valid once, when the outcome is built
};

} // namespace nbrhood
