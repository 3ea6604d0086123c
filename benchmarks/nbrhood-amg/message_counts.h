// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The messages of one exchange.
#pragma once

#include "level.h"

#include "measuring/mpi_headers.h"

namespace nbrhood_tools::amg {

/// The messages and bytes of one rank in one exchange or, after take_largest(), the maximum over
/// ranks.
struct MessageCounts {
    std::uint64_t local = 0;          ///< messages inside the region
    std::uint64_t nonlocal = 0;       ///< messages to other regions
    std::uint64_t nonlocal_bytes = 0; ///< in the latter
};

/// Replaces each count by the largest of all ranks. Collective over `comm`.
void take_largest(MessageCounts &counts, MPI_Comm comm);

/// One message for each neighbour, with regions that are nodes (by rank, see nodes_of_ranks):
/// hypre's method, and Open MPI's own collectives'.
MessageCounts count_direct(const Level &level, int rank, const std::vector<int> &nodes);

/// Reads the component's performance variables: the messages that this process sent since the
/// object was made. At most one at a time, between MPI_Init and MPI_Finalize.
class ComponentCounters {
public:
    ComponentCounters();
    ~ComponentCounters();
    ComponentCounters(const ComponentCounters &) = delete;
    ComponentCounters &operator=(const ComponentCounters &) = delete;

    struct Totals {
        std::uint64_t operations = 0; ///< that the component served; 0: Open MPI's own code did
        MessageCounts sent;
    };
    Totals read() const;

private:
    static constexpr int variables = 4;
    bool open_ = false;
    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handles_[variables] = {};
};

} // namespace nbrhood_tools::amg
