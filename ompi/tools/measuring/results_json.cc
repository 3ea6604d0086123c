// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "results_json.h"

#include "communicators.h"

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

Json method_json(const MethodResult &result)
{
    Json json{{"algorithm", result.label},
              {"stock", is_stock(result.label)},
              {"verified", result.verified},
              {"creation_seconds", result.creation_seconds},
              {"init_seconds", result.init_seconds},
              {"first_call_seconds", result.first_seconds},
              {"call_seconds", result.seconds},
              {"call_seconds_median", finite_or_null(result.call_median())}};
    if (!result.seconds.empty()) {
        add_speed_up(json, result.speed_up);
        add_break_even(json, result.break_even_calls);
    }
    return json;
}

} // namespace nbrhood_tools
