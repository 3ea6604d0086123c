// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "environment.h"

#include "communicators.h"
#include "component_info.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace nbrhood_tools {

Environment describe_environment(MPI_Comm comm)
{
    Environment environment;
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    environment.mpi_version = text;
    MPI_Get_processor_name(text, &length);
    environment.host = text;
    MPI_Comm_size(comm, &environment.ranks);
    environment.nodes = count_nodes(nodes_of_ranks(comm));
    environment.cores = static_cast<int>(std::thread::hardware_concurrency());
    environment.component_loaded = component_loaded();
    const std::time_t now = std::time(nullptr);
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    environment.date = text;
    for (char **variable = environ; *variable != nullptr; ++variable)
        if (std::strncmp(*variable, "OMPI_MCA_", 9) == 0)
            environment.mca_parameters.emplace_back(*variable);
    std::sort(environment.mca_parameters.begin(), environment.mca_parameters.end());
    return environment;
}

void print_environment(const Environment &environment)
{
    std::printf("# %s\n# %s, %d ranks on %d node%s\n", environment.mpi_version.c_str(),
                environment.date.c_str(), environment.ranks, environment.nodes,
                environment.nodes == 1 ? "" : "s");
}

void print_caution(const Environment &environment)
{
    std::puts(environment.ranks > environment.nodes * environment.cores
                  ? "There are more ranks than cores: compare ratios within this run, never its "
                    "times."
                  : "Compare ratios within this run rather than times of different runs.");
}

} // namespace nbrhood_tools
