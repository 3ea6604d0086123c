// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Blocks that one rank holds and owes while they are handed from agent to agent, and its pattern.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "pattern/pattern.h"

namespace nbrhood {

// Which of the blocks that it holds a rank passes on.
enum class PassOn : std::uint8_t {
    cheaper, // what is cheaper for blocks of the expected size
    needed,  // those that are owed to someone there
    all      // all that it holds, as in the paper
};

// The blocks that a rank holds in distance halving: its own and those of its origins, each with
// the ranks to which this rank owes it. Sharifian, Sojoodi, Afsahi (2024), section VI: `main_buf`,
// `O_org`, and the descriptor `D`, by which ranks hand over what they owe. A block that comes
// through a rank that wants it is delivered there and then.
class HeldBlocks {
public:
    // block_bytes: the expected size, for PassOn::cheaper. ranks: of the communicator.
    HeldBlocks(const Neighbourhood &neighbourhood, Rank ranks, PassOn pass_on, double block_bytes);

    // Hands over to an agent what is owed to the ranks of its half: as words that take_over()
    // reads there. A message with these blocks will go to the agent, unless nothing is owed.
    std::vector<std::int32_t> hand_over(Rank agent, const std::function<bool(Rank)> &in_half);

    // Takes over what an origin hands over. Throws BadMessage where it cannot be meant for this
    // rank.
    void take_over(Rank origin, WordReader words);

    // When all is handed over a rank sends what it still owes itself. By destination the words that
    // tell what will come, which note() reads there. A block of its own that travels alone is a
    // direct message.
    std::map<Rank, std::vector<std::int32_t>> final_messages();
    void note(Rank from, WordReader words);

    // The operations, once all is noted. Throws BadMessage where a block does not come, or twice.
    void write(Pattern &pattern) const;

private:
    // A block, with the ranks to which it is owed.
    struct Held {
        Rank block = kNoRank; // whose it is
        Rank from = kNoRank;  // the origin that sends it here; none for the own block
        bool wanted = false;  // by this rank itself
        std::vector<Rank> owed;
    };
    // A message that this rank sends: blocks by their places in held_, ascending.
    struct Outgoing {
        Rank to = kNoRank;
        std::vector<std::size_t> places;
    };
    // A message that comes at the end: blocks, and whether this rank wants them.
    struct Arrival {
        Rank from = kNoRank;
        std::vector<std::pair<Rank, bool>> blocks;
    };
    class Writer;

    std::vector<std::size_t> select(const std::vector<char> &needed, double bytes_per_copies) const;
    static bool goes_alone(const Arrival &arrival);
    bool goes_alone(const Outgoing &message) const;

    const Neighbourhood *neighbourhood_;
    Rank ranks_;
    PassOn pass_on_;
    double block_bytes_;
    std::vector<Held> held_;
    std::vector<Outgoing> to_agents_;
    std::vector<Outgoing> final_;
    std::vector<Arrival> arrivals_;
};

} // namespace nbrhood
