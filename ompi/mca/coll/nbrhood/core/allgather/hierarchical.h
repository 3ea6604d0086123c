// One leader for each region.
#pragma once

#include "allgather/operations.h"

namespace nbrhood {

// A region's blocks go to its first rank, these exchange what they have as in Bruck's allgather,
// and each tells its region (Träff: Efficient Allgather for Regular SMP-Clusters, 2006). Inside a
// region along a binomial tree or, where ranks share cores and each more step waits for a core, in
// one step.
AllgatherPattern hierarchical(const AllgatherShape &shape, Rank rank);

} // namespace nbrhood
