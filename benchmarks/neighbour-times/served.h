// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The calls of this rank that the component served, from its performance variables.
#pragma once

#include <array>
#include <cstdint>

#include "measuring/mpi_headers.h"

namespace neighbour_times {

/// Without the component there are no variables, and all counts stay 0.
class ServedCalls {
public:
    /// Variables count from here on. After MPI_Init.
    void open();
    /// The calls until now. Before MPI_Finalize.
    std::int64_t count() const;
    /// As long as MPI_T is initialised, MPI_Finalize does not close components, which then print no
    /// report. Before MPI_Finalize; count() is 0 from here on.
    void close();
    /// Whether the component is loaded: 1 or 0.
    std::int64_t component() const { return component_ ? 1 : 0; }

private:
    static constexpr std::array<const char *, 3> kNames = {
        "coll_nbrhood_calls", "coll_nbrhood_allgathers", "coll_nbrhood_alltoallvs"};

    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    std::array<MPI_T_pvar_handle, kNames.size()> handles_{};
    bool open_ = false; // MPI_T is initialised
    bool component_ = false;
};

/// Never destroyed, for the same reason as totals().
inline ServedCalls &served_calls()
{
    static auto *const all = new ServedCalls;
    return *all;
}

} // namespace neighbour_times
