// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Describes for the user how the ranks of a job differ.
#pragma once

#include <string>
#include <vector>

namespace nbrhood {

// The facts of one rank: lines "name=value". Every rank has the first line, which tells its version
// of the component. A rank that has only this line lacks the component, or has another version;
// comparisons of other names leave such a rank out. For a rank with more lines, a name without a
// line has its default value.
struct RankFacts {
    int rank = 0;
    std::string text;
};

// One entry for each name whose value is not the same on all ranks that have it, in the order in
// which names appear: "NAME is A on ranks 0, 2 (2 of 3), B on rank 1 (1 of 3)". At most eight ranks
// and four values are listed of each. Throws std::bad_alloc.
std::vector<std::string> differences(const std::vector<RankFacts> &ranks);

} // namespace nbrhood
