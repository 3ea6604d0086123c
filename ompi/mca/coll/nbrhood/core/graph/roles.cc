// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "graph/roles.h"

namespace nbrhood {

bool Roles::one_size()
{
    // A role without edges is alone in its set, which the words do not list.
    const auto ranks = static_cast<std::size_t>(ranks_);
    std::vector<char> exists(2 * ranks, 0);
    for (const std::int32_t role : sets_.encode()) {
        exists[static_cast<std::size_t>(role)] = 1;
    }
    for (Rank rank = 0; rank < ranks_; ++rank) {
        const auto own = static_cast<std::size_t>(rank);
        const bool both = exists[own] != 0 && exists[ranks + own] != 0;
        if (both && sets_.label(rank) != sets_.label(ranks_ + rank)) {
            return false;
        }
    }
    return true;
}

Forest Roles::components()
{
    Forest components;
    const std::vector<std::int32_t> words = sets_.encode();
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        components.unite(words[i] % ranks_, words[i + 1] % ranks_);
    }
    return components;
}

} // namespace nbrhood
