// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Messages and blocks of a pattern: the facts from which the model decides.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "pattern/message_words.h"

namespace nbrhood {

// Messages and blocks of one call. In the load of all ranks each message counts once; in the load
// of one rank each message that it sends or receives counts.
struct Load {
    std::array<std::int64_t, kLinks> messages{}; // by the link that they cross
    std::array<std::int64_t, kLinks> blocks{};
    std::int64_t nonlocal = 0; // messages between regions
    // Over all links. For the busiest rank this may be less than the sum over links, because
    // different ranks may be the busiest on different links.
    std::int64_t all_messages = 0;
    std::int64_t all_blocks = 0;
    // Blocks that a rank copies into a message, out of a message, or from staging to a slot. A
    // message of one block is sent without a copy, and staging lies in messages.
    std::int64_t copies = 0;

    // Adds messages with this many blocks in total, within a region (local) or between two.
    void add(Link link, bool local, std::int64_t more_messages, std::int64_t more_blocks);
    void add(const Load &other);
    // Takes the maximum of each number.
    void keep_greatest(const Load &other);

    std::int64_t local() const { return all_messages - nonlocal; }
    std::int64_t messages_over(Link link) const { return messages[static_cast<std::size_t>(link)]; }
    std::int64_t blocks_over(Link link) const { return blocks[static_cast<std::size_t>(link)]; }
};

// The two forms of one call: one message per edge (direct), or through relays. Every rank sees the
// same numbers. Builders count relayed messages as if the graph had one component, because they do
// not know the components yet; several components need more messages.
struct Traffic {
    Load direct;
    Load relayed;
    // The maximum over ranks of each field: the number sent plus the number received.
    Load busiest_direct;
    Load busiest_relayed;
    // The phases of the relayed form: its longest chain of messages that wait for one another.
    std::int64_t phases = 1;
    // Blocks that the busiest region sends out of its node.
    std::int64_t leaving_direct = 0;
    std::int64_t leaving_relayed = 0;

    // Adds the traffic of another region: adds up the loads and keeps the busiest.
    void merge(const Traffic &other);
    // Adds the traffic of another rank of the same region: also adds up the blocks that leave the
    // node.
    void merge_member(const Traffic &other);

    // As words in a builder's message, and back: each half by itself, since all tasks of a builder
    // share the direct one. The functions that decode throw BadMessage for words that cannot be a
    // traffic.
    void encode_direct(WordWriter &words) const;
    void encode_relayed(WordWriter &words) const;
    void take_direct(WordReader &words);
    void take_relayed(WordReader &words);
};

} // namespace nbrhood
