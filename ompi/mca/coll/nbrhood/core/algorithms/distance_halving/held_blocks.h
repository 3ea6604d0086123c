// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The blocks that a rank holds and owes during distance halving, and its pattern.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "pattern/pattern.h"

namespace nbrhood {

// The held blocks that a rank passes on to an agent.
enum class PassOn : std::uint8_t {
    cheaper, // the cheaper of both for blocks of the expected size
    needed,  // blocks that are owed to a rank there
    all      // all held blocks, as in the paper
};

// The blocks that a rank holds in distance halving: its own and those of its origins, each with the
// ranks to which this rank owes it. Sharifian, Sojoodi, Afsahi (2024), section VI: `main_buf`,
// `O_org`, and the descriptor `D`, by which ranks hand over the blocks that they owe. A rank that
// wants a block keeps it when the block passes through.
class HeldBlocks {
public:
    // block_bytes: the expected size, for PassOn::cheaper. ranks: of the communicator.
    HeldBlocks(const Neighbourhood &neighbourhood, Rank ranks, PassOn pass_on, double block_bytes);

    // Hands over to an agent the blocks that are owed to the ranks of its half, as words for
    // take_over() there. The pattern gets a message with these blocks to the agent, unless there
    // are none.
    std::vector<std::int32_t> hand_over(Rank agent, const std::function<bool(Rank)> &in_half);

    // Takes over the blocks of an origin. Throws BadMessage if the words cannot be meant for this
    // rank.
    void take_over(Rank origin, WordReader words);

    // After the last step a rank itself sends the blocks that it still owes. Returns, by
    // destination, the words for note() there, which announce these blocks. The rank's own block
    // goes as a direct message if it travels alone.
    std::map<Rank, std::vector<std::int32_t>> final_messages();
    void note(Rank from, WordReader words);

    // Writes the operations, after the last note(). Throws BadMessage if a block does not come, or
    // comes twice.
    void write(Pattern &pattern) const;

private:
    // A block, with the ranks to which it is owed.
    struct Held {
        Rank block = kNoRank; // the rank whose block it is
        Rank from = kNoRank;  // the origin that sends it here; kNoRank for this rank's block
        bool wanted = false;  // by this rank itself
        std::vector<Rank> owed;
    };
    // A message that this rank sends: blocks by their places in held_, ascending.
    struct Outgoing {
        Rank to = kNoRank;
        std::vector<std::size_t> places;
    };
    // A message that this rank receives at the end: blocks, and whether this rank wants them.
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
