// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "verify_regions.h"

#include "common_mpi.h"
#include "machine/synthetic.h"

#include <cstdlib>

namespace nbrhood_test {

std::string component_parameter(const char *name)
{
    const char *text = std::getenv((std::string("OMPI_MCA_coll_nbrhood_") + name).c_str());
    return text == nullptr ? "" : text;
}

std::vector<int> find_regions(int size)
{
    const std::string kind = component_parameter("region"),
                      machine = component_parameter("machine");
    std::vector<int> regions;
    if (!machine.empty()) {
        const nbrhood::SyntheticMachine synthetic(machine);
        for (int k = 0; k < nbrhood::kLevels; ++k) {
            if (size > synthetic.slots()
                || (kind.empty() ? k != 0 : kind != nbrhood::level_name(k))) {
                continue;
            }
            const nbrhood::Machine division =
                synthetic.machine(size, static_cast<nbrhood::Level>(k));
            for (int rank = 0; rank < size; ++rank)
                regions.push_back(division.region_of(rank));
        }
        return regions;
    }
    if (kind.empty() || kind == "node") {
        MPI_Comm node;
        int lowest = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &lowest);
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
        MPI_Comm_free(&node);
        regions.resize(static_cast<std::size_t>(size));
        MPI_Allgather(&lowest, 1, MPI_INT, regions.data(), 1, MPI_INT, MPI_COMM_WORLD);
    }
    return regions;
}

} // namespace nbrhood_test
