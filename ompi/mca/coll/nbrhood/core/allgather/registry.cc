// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/registry.h"

#include "allgather/hierarchical.h"
#include "allgather/locality_bruck.h"
#include "allgather/multilane.h"
#include "allgather/ring.h"

namespace nbrhood {

const std::vector<AllgatherAlgorithm> &allgather_algorithms()
{
    static const std::vector<AllgatherAlgorithm> algorithms{
        {"locality_bruck",
         "each rank of a region exchanges with another region, then the ranks of a region exchange "
         "(Bienz et al. 2022)",
         locality_bruck},
        {"hierarchical",
         "one rank of each region gathers, exchanges and sends the result to its region (Träff "
         "2006)",
         hierarchical},
        {"multilane",
         "the i-th ranks of all regions exchange, then the ranks of each region (Träff, Hunold "
         "2020)",
         multilane},
        {"bruck", "Bruck's algorithm in the order of ranks, wherever they run", bruck},
        {"ring", "each rank passes the block that came last on to the rank before it", ring},
    };
    return algorithms;
}

} // namespace nbrhood
