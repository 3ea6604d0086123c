// What differs between the ranks of a job, in words for the user.
#pragma once

#include <string>
#include <vector>

namespace nbrhood {

// What one rank says of itself: lines "name=value". The first is of the component, which every rank
// has; a rank without the others (it lacks the component, or has another version) says nothing of
// the names in them. Of a rank that has more than the first line, a name that is not there has its
// default value.
struct RankFacts {
    int rank = 0;
    std::string text;
};

// One entry for each name whose value is not the same on all ranks that have it, in the order in
// which names appear: "NAME is A on ranks 0, 2 (2 of 3), B on rank 1 (1 of 3)". At most eight ranks
// and four values are listed of each. Throws std::bad_alloc.
std::vector<std::string> differences(const std::vector<RankFacts> &ranks);

} // namespace nbrhood
