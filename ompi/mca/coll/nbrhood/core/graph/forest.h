// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Disjoint sets of ranks, for labelling weakly connected components.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/neighbourhood.h"

namespace nbrhood {

// A union-find forest over sparse ranks; the lowest rank of a set is its label, so that merging
// forests in any order gives the same labels everywhere.
class Forest {
public:
    // The label of the rank's set; a rank never mentioned is alone in its set.
    Rank label(Rank rank);
    void unite(Rank a, Rank b);

    // The forest as words: pairs (rank, label) of all ranks whose label is another rank, in
    // ascending order. At most twice the number of ranks mentioned.
    std::vector<std::int32_t> encode();

    // Whether encode() can have made these words, for ranks below this number.
    static bool is_encoded(const std::vector<std::int32_t> &words, Rank ranks);

    // Adds the sets that another forest's encode() described.
    void merge(const std::vector<std::int32_t> &words);

    // The same, but only for the labels of some ranks.
    void merge(const std::vector<std::int32_t> &words, const std::vector<Rank> &ranks);

private:
    std::unordered_map<Rank, Rank> parent_;
};

} // namespace nbrhood
