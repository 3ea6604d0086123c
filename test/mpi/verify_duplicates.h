// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Shared code of the cases over values that go to several neighbours.
#pragma once

#include "common_shared.h"
#include "verify_case.h"

namespace nbrhood_test {

using ValueLists = std::function<std::vector<int>(Endpoint source)>;

/// The numbers first to first + count - 1.
std::vector<int> value_range(int first, int count);
/// Every neighbour of a rank gets its values 0 to count - 1.
ValueLists identical_values(int count);
/// Ranges that overlap partially: of up to `largest` values, each beginning a little behind the one
/// of the neighbour before; among them empty ones.
ValueLists overlapping_values(std::uint64_t seed, int largest);
/// Random values out of `total`, in random order and some of them several times, up to `largest`
/// in a block.
ValueLists random_values(std::uint64_t seed, int total, int largest);

/// A random graph with self edges, in which some ranks have several edges to a neighbour.
Topology sharing_graph(const Context &context);

/// nbrhood_neighbor_alltoallv_init.
const EntryPoint &library_entry_point();
/// The selected entry points that can carry a workload.
std::vector<EntryPoint> shared_entries(const Context &context, ValuesIn in);
/// An operation over this rank's part of a workload.
Pending make_shared_pending(const Context &context, const EntryPoint &entry,
                            const Topology &topology, const SharedWorkload &workload,
                            std::uint64_t seed);
/// Creates a communicator over MPI_COMM_WORLD and runs a workload by all entry points that can
/// carry it.
void run_shared(Context &context, const Topology &topology, const SharedWorkload &workload,
                Exercise exercise = {});

} // namespace nbrhood_test
