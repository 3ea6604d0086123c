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

// Messages and blocks of one call. Of all ranks together each message counts once; of one rank it
// counts at either end: what it sends plus what it receives.
struct Load {
    std::array<std::int64_t, kLinks> messages{}; // by the link that they cross
    std::array<std::int64_t, kLinks> blocks{};
    std::int64_t nonlocal = 0; // of the messages, those between regions
    // Over all links: of the busiest ranks less than the sum, where links are busiest at different
    // ranks.
    std::int64_t all_messages = 0;
    std::int64_t all_blocks = 0;
    // Blocks that one rank copies into a message, out of one, or on from staging. A message of one
    // block is sent from where that lies, and staging lies in messages.
    std::int64_t copies = 0;

    // Messages with this many blocks in all, within a region (local) or between two.
    void add(Link link, bool local, std::int64_t more_messages, std::int64_t more_blocks);
    void add(const Load &other);
    // Each number becomes the greater of both.
    void keep_greatest(const Load &other);

    std::int64_t local() const { return all_messages - nonlocal; }
    std::int64_t messages_over(Link link) const { return messages[static_cast<std::size_t>(link)]; }
    std::int64_t blocks_over(Link link) const { return blocks[static_cast<std::size_t>(link)]; }
};

// The two forms of one call: one message per edge (direct), or through relays. Every rank sees the
// same numbers. Builders count the relayed ones before they know the components of the graph, as if
// it had one; with several components there are more messages.
struct Traffic {
    Load direct;
    Load relayed;
    // Load of the busiest rank, each field for itself: the number sent plus the number received.
    Load busiest_direct;
    Load busiest_relayed;
    // How many messages of the relayed form wait for one another, one after the other.
    std::int64_t phases = 1;
    // Blocks that leave the node of the busiest region, from that region.
    std::int64_t leaving_direct = 0;
    std::int64_t leaving_relayed = 0;

    // Takes in the traffic of another region: adds the loads up and keeps the busiest.
    void merge(const Traffic &other);
    // Takes in that of another rank of the same region, where what leaves the node adds up, too.
    void merge_member(const Traffic &other);

    // As words in a builder's message, and back: each half for itself, since all tasks of a builder
    // share the direct one. Those that take throw BadMessage for what no traffic can be.
    void encode_direct(WordWriter &words) const;
    void encode_relayed(WordWriter &words) const;
    void take_direct(WordReader &words);
    void take_relayed(WordReader &words);
};

} // namespace nbrhood
