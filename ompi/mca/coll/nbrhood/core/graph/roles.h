// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Which blocks of a graph must have one size in collectives with one count a rank.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/forest.h"

namespace nbrhood {

// The roles of ranks, sender and receiver, and how edges join them.
//
// In MPI_Neighbor_allgather and MPI_Neighbor_alltoall a rank has one count for all blocks that it
// sends and one for all that it receives, and at each edge the sender's count equals the
// receiver's. So sizes are equal within a set of roles that edges join. One weakly connected
// component of the graph may have several such sets: in a ring of an even number of ranks, even
// ranks may send 4 bytes and receive 8 while odd ranks send 8 and receive 4.
class Roles {
public:
    explicit Roles(Rank ranks) : ranks_(ranks) {}

    void add_edge(Rank source, Rank destination) { sets_.unite(source, ranks_ + destination); }

    // As in Forest: the sets as at most 4 * ranks words, whether words can be such sets, and adding
    // the sets of words.
    std::vector<std::int32_t> encode() { return sets_.encode(); }
    bool is_encoded(const std::vector<std::int32_t> &words) const
    {
        return Forest::is_encoded(words, 2 * ranks_);
    }
    void merge(const std::vector<std::int32_t> &words) { sets_.merge(words); }

    // Whether each rank that has both roles sends blocks of the size that it receives. Then every
    // rank knows from its own count the size of all blocks in its weakly connected component.
    bool one_size();

    // The weakly connected components.
    Forest components();

private:
    Rank ranks_;
    Forest sets_; // r: rank r as sender, ranks_ + r: as receiver
};

} // namespace nbrhood
