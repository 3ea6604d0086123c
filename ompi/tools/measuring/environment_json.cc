// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "environment_json.h"

namespace nbrhood_tools {

Json environment_json(const Environment &environment)
{
    return {{"mpi_version", environment.mpi_version},
            {"date", environment.date},
            {"host", environment.host},
            {"ranks", environment.ranks},
            {"nodes", environment.nodes},
            {"cores_of_first_node", environment.cores},
            {"component_loaded", environment.component_loaded},
            {"mca_parameters", environment.mca_parameters}};
}

} // namespace nbrhood_tools
