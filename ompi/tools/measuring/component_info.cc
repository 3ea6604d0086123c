// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "component_info.h"

#include "mpi_headers.h"

namespace nbrhood_tools {

namespace {

/// Keeps the tool interface open for the life of the object.
class ToolInterface {
public:
    ToolInterface()
    {
        int provided = 0;
        open_ = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
    }
    ~ToolInterface()
    {
        if (open_)
            MPI_T_finalize();
    }
    ToolInterface(const ToolInterface &) = delete;
    ToolInterface &operator=(const ToolInterface &) = delete;

    /// The index of a control variable, or -1.
    int find(const std::string &name) const
    {
        int index = -1;
        return open_ && MPI_T_cvar_get_index(name.c_str(), &index) == MPI_SUCCESS ? index : -1;
    }

private:
    bool open_ = false;
};

} // namespace

bool component_loaded()
{
    // No call tells which component serves a communicator, but a loaded component registers its
    // variables.
    return ToolInterface().find("coll_nbrhood_priority") >= 0;
}

std::vector<std::string> listed_algorithms(const std::string &collective)
{
    const ToolInterface tools;
    const int index = tools.find("coll_nbrhood_" + collective + "_algorithm");
    if (index < 0)
        return {};

    int verbosity = 0;
    int binding = 0;
    int scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;
    if (MPI_T_cvar_get_info(index, nullptr, nullptr, &verbosity, &type, &values, nullptr, nullptr,
                            &binding, &scope)
            != MPI_SUCCESS
        || values == MPI_T_ENUM_NULL)
        return {};

    char text[256];
    int count = 0;
    int length = sizeof text;
    if (MPI_T_enum_get_info(values, &count, text, &length) != MPI_SUCCESS)
        return {};
    std::vector<std::string> names;
    for (int item = 0; item < count; ++item) {
        int value = 0;
        length = sizeof text;
        if (MPI_T_enum_get_item(values, item, &value, text, &length) == MPI_SUCCESS)
            names.emplace_back(text);
    }
    return names;
}

} // namespace nbrhood_tools
