// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_mpi_t.h"

namespace nbrhood_test {

const std::vector<Pvars::Row> &Pvars::rows()
{
    static const std::vector<Row> rows = {
        {"calls", MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG},
        {"calls_on_device", MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG},
        {"messages_local", MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG},
        {"messages_nonlocal", MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG},
        {"bytes_local", MPI_T_PVAR_CLASS_AGGREGATE, MPI_UNSIGNED_LONG_LONG},
        {"bytes_nonlocal", MPI_T_PVAR_CLASS_AGGREGATE, MPI_UNSIGNED_LONG_LONG},
        {"topologies", MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG},
        {"allgathers", MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG},
        {"alltoallvs", MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG},
        {"inherited", MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG_LONG},
        {"creation_time", MPI_T_PVAR_CLASS_TIMER, MPI_DOUBLE},
        {"buffer_bytes", MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_UNSIGNED_LONG_LONG},
    };
    return rows;
}

Pvars::Pvars()
{
    int provided = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (MPI_T_pvar_session_create(&session_) != MPI_SUCCESS) {
        failure_ = "there is no MPI_T session";
        return;
    }
    for (const Row &row : rows())
        open(row);
}

void Pvars::open(const Row &row)
{
    const std::string name = std::string("coll_nbrhood_") + row.name;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;
    char text[256], description[512];
    int text_length = sizeof text, description_length = sizeof description;
    int index = 0, verbosity = 0, its_class = 0, binding = 0, read_only = 0, continuous = 0,
        atomic = 0, count = 0;
    if (MPI_T_pvar_get_index(name.c_str(), row.variable_class, &index) != MPI_SUCCESS
        || MPI_T_pvar_get_info(index, text, &text_length, &verbosity, &its_class, &type,
                               &enumeration, description, &description_length, &binding, &read_only,
                               &continuous, &atomic)
               != MPI_SUCCESS) {
        failure_ = "there is no performance variable " + name + " of the right class";
    } else if (type != row.type || binding != MPI_T_BIND_NO_OBJECT || continuous == 0
               || read_only == 0 || description_length < 2) {
        failure_ = name + " is not a described, continuous, read-only variable of the right type";
    } else if (MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle, &count) != MPI_SUCCESS
               || count != 1) {
        failure_ = name + " gives no handle for one value";
    }
    handles_.push_back(handle);
}

Pvars::~Pvars()
{
    for (MPI_T_pvar_handle &handle : handles_) {
        if (handle != MPI_T_PVAR_HANDLE_NULL)
            MPI_T_pvar_handle_free(session_, &handle);
    }
    if (session_ != MPI_T_PVAR_SESSION_NULL)
        MPI_T_pvar_session_free(&session_);
    MPI_T_finalize();
}

void Pvars::read(const std::string &name, void *value) const
{
    for (std::size_t i = 0; i < handles_.size(); ++i) {
        if (name == rows()[i].name && handles_[i] != MPI_T_PVAR_HANDLE_NULL)
            MPI_T_pvar_read(session_, handles_[i], value);
    }
}

unsigned long long Pvars::count(const std::string &name) const
{
    unsigned long long value = ~0ULL; // a value that no counter reaches
    read(name, &value);
    return value;
}

double Pvars::seconds(const std::string &name) const
{
    double value = -1;
    read(name, &value);
    return value;
}

} // namespace nbrhood_test
