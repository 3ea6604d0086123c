#include "json_parts.h"

#include <cmath>

namespace nbrhood_bench {

Json finite_or_null(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

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

std::string file_text(const Json &json)
{
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace nbrhood_bench
