// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "message_counts.h"

namespace nbrhood_tools::amg {

namespace {

struct Variable {
    const char *name;
    int kind;
};

constexpr Variable names[] = {
    {"coll_nbrhood_calls", MPI_T_PVAR_CLASS_COUNTER},
    {"coll_nbrhood_messages_local", MPI_T_PVAR_CLASS_COUNTER},
    {"coll_nbrhood_messages_nonlocal", MPI_T_PVAR_CLASS_COUNTER},
    {"coll_nbrhood_bytes_nonlocal", MPI_T_PVAR_CLASS_AGGREGATE},
};

} // namespace

void take_largest(MessageCounts &counts, MPI_Comm comm)
{
    std::uint64_t values[] = {counts.local, counts.nonlocal, counts.nonlocal_bytes};
    MPI_Allreduce(MPI_IN_PLACE, values, 3, MPI_UINT64_T, MPI_MAX, comm);
    counts = {values[0], values[1], values[2]};
}

MessageCounts count_direct(const Level &level, int rank, const std::vector<int> &nodes)
{
    MessageCounts counts;
    const int here = nodes[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < level.edges.destinations.size(); ++i) {
        if (nodes[static_cast<std::size_t>(level.edges.destinations[i])] == here) {
            ++counts.local;
        } else {
            ++counts.nonlocal;
            counts.nonlocal_bytes +=
                static_cast<std::uint64_t>(level.edges.destination_counts[i]) * sizeof(double);
        }
    }
    return counts;
}

ComponentCounters::ComponentCounters()
{
    int provided = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return;
    open_ = true;
    if (MPI_T_pvar_session_create(&session_) != MPI_SUCCESS)
        return;
    for (int i = 0; i < variables; ++i) {
        int index = 0;
        int count = 0;
        // A handle counts from its allocation on. Without the component there are no handles, and
        // all counts stay 0.
        if (MPI_T_pvar_get_index(names[i].name, names[i].kind, &index) != MPI_SUCCESS
            || MPI_T_pvar_handle_alloc(session_, index, nullptr, &handles_[i], &count)
                   != MPI_SUCCESS)
            handles_[i] = MPI_T_PVAR_HANDLE_NULL;
    }
}

ComponentCounters::~ComponentCounters()
{
    for (MPI_T_pvar_handle &handle : handles_)
        if (handle != MPI_T_PVAR_HANDLE_NULL)
            MPI_T_pvar_handle_free(session_, &handle);
    if (session_ != MPI_T_PVAR_SESSION_NULL)
        MPI_T_pvar_session_free(&session_);
    if (open_)
        MPI_T_finalize();
}

ComponentCounters::Totals ComponentCounters::read() const
{
    unsigned long long values[variables] = {};
    for (int i = 0; i < variables; ++i)
        if (handles_[i] != MPI_T_PVAR_HANDLE_NULL
            && MPI_T_pvar_read(session_, handles_[i], &values[i]) != MPI_SUCCESS)
            values[i] = 0;
    return {values[0], {values[1], values[2], values[3]}};
}

} // namespace nbrhood_tools::amg
