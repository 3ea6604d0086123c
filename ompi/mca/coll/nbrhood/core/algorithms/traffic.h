// What a pattern costs in messages and blocks: the facts from which the model decides.
#pragma once

#include <cstdint>
#include <vector>

#include "pattern/words.h"

namespace nbrhood {

// Messages and blocks of one call. Of all ranks together each message counts once; of one rank it
// counts as the mean of what it sends and receives, in halves: see Traffic.
struct Load {
    std::int64_t messages_local = 0;
    std::int64_t messages_nonlocal = 0;
    std::int64_t blocks_local = 0;
    std::int64_t blocks_nonlocal = 0;
};

// The two ways of one call: one message an edge (direct), or through relays. Every rank sees the
// same numbers. Builders count the relayed ones before they know the components of the graph, as if
// it had one; with several components there are more messages.
struct Traffic {
    Load direct;
    Load relayed;
    // Of the busiest rank, each field for itself: the number sent plus the number received.
    Load busiest_direct;
    Load busiest_relayed;
    // How many messages of the relayed way wait for one another, one after the other.
    std::int64_t phases = 1;
    // Blocks that leave the busiest region.
    std::int64_t leaving_direct = 0;
    std::int64_t leaving_relayed = 0;

    // Takes in the traffic of another region: adds the loads up and keeps the busiest.
    void merge(const Traffic &other);

    // As words in a builder's message, and back. Throws BadWords for what no traffic can be.
    void encode(WordWriter &words) const;
    static Traffic decode(WordReader &words);
};

} // namespace nbrhood
