// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "served.h"

namespace neighbour_times {

void ServedCalls::open()
{
    int provided = 0;
    if (open_ || MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
        return;
    open_ = true;
    if (MPI_T_pvar_session_create(&session_) != MPI_SUCCESS)
        return;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        int index = 0;
        int count = 0;
        if (MPI_T_pvar_get_index(kNames[i], MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS
            || MPI_T_pvar_handle_alloc(session_, index, nullptr, &handles_[i], &count)
                   != MPI_SUCCESS)
            return;
    }
    component_ = true;
}

std::int64_t ServedCalls::count() const
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; component_ && i < kNames.size(); ++i) {
        unsigned long long value = 0;
        if (MPI_T_pvar_read(session_, handles_[i], &value) == MPI_SUCCESS)
            sum += static_cast<std::int64_t>(value);
    }
    return sum;
}

void ServedCalls::close()
{
    component_ = false;
    if (session_ != MPI_T_PVAR_SESSION_NULL)
        MPI_T_pvar_session_free(&session_);
    if (open_)
        MPI_T_finalize();
    open_ = false;
}

} // namespace neighbour_times
