// How common_neighbor fares on a graph: the groups of friends that it finds.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/parameter.h"
#include "graph/neighbourhood.h"
#include "machine/machine.h"

namespace nbrhood {

// Over all matchings: one for each region, or one for all ranks where friends may be anywhere.
struct FriendSearch {
    std::int64_t matchings = 0;
    // Of these: where the bound did not allow to list all candidate groups, so that groups were
    // grown from pairs.
    std::int64_t bounded = 0;
    // Candidate groups of k friends with enough common neighbours, the paper's hyperedges, of those
    // that were listed in full.
    std::int64_t candidates = 0;
    std::int64_t groups = 0; // that were matched, in all build steps
    int steps = 0;           // the most build steps of any matching
    int least_k = 0;         // of the matchings that have groups; 0: none has
    int most_k = 0;
    double seconds = 0; // the processor's time of the longest matching, with the choice of k
};

// Finds the groups of friends of all ranks of a graph: graph[r] belongs to rank r. values: of the
// parameters of common_neighbor. For tools and tests, as the paper reports the numbers of its
// hyperedges (Ghazimirsaeed, Mirsadeghi, Afsahi 2019, section VI).
FriendSearch search_friends(const std::vector<Neighbourhood> &graph, const Machine &machine,
                            const ParameterValues &values);

} // namespace nbrhood
