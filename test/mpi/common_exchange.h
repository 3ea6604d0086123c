// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One neighbourhood operation bound to buffers, with the data that every rank must receive,
// computed from the global graph.
#pragma once

#include "common_entry.h"
#include "common_layout.h"
#include "common_topology.h"
#include "common_transfer.h"

#include <functional>
#include <string>

namespace nbrhood_test {

enum class Side { send, recv };

/// The amount and form of the data. Each function is the same on all ranks and depends on global
/// facts only.
struct Workload {
    /// Ints in the block of the edge that leaves source in out-slot slot; allgatherv asks with slot
    /// 0.
    std::function<int(Endpoint source)> ints = [](Endpoint) { return 3; };
    /// Ints of every block in the part of the graph that a component number names (allgather,
    /// alltoall).
    std::function<int(int component)> uniform_ints = [](int) { return 3; };
    /// Datatype of a side of a rank; only alltoallw asks with slots other than 0.
    std::function<TypeKind(Side side, int rank, int slot)> type = [](Side, int, int) {
        return TypeKind::integer;
    };
    /// Use MPI_BOTTOM and types at absolute addresses.
    bool bottom = false;
};

/// The buffers, argument arrays and datatypes of one rank for one operation, and the check of the
/// received data.
class Exchange : public Transfer {
public:
    Exchange(const Topology &topology, int rank, Operation operation, const Workload &workload,
             std::uint64_t seed);

    void prepare(int round) override;
    CallArguments arguments() override;
    void free_types() override;
    void scramble_arrays() override;
    std::string check() override;
    /// Imitates freeing the buffers and allocating them again at the same addresses, in either
    /// memory.
    void allocate_again(bool send_on_device, bool receive_on_device);

private:
    struct Slot {
        std::size_t type = 0;  // index into types
        int ints = 0;          // ints that move
        std::ptrdiff_t at = 0; // origin of the block in bytes
        Endpoint source; // the end of the edge that owns the data; rank MPI_PROC_NULL for none
    };
    struct Half {
        std::vector<TypeModel> types;
        std::vector<Slot> slots;
        std::vector<int> counts, displs;
        std::vector<MPI_Aint> byte_displs;
        std::vector<MPI_Datatype> handles;
        int count = 0;
        GuardedBuffer buffer, expected;
    };

    int uniform_ints() const;
    void describe_send();
    void describe_recv();
    void place(Half &half, Side side, bool in_order);
    SideArguments side_arguments(Half &half);
    int value(Endpoint source, int index) const;

    const Topology &topology_;
    const int rank_;
    const Operation operation_;
    const Workload workload_;
    const std::uint64_t seed_;
    int round_ = 0;
    Half send_, recv_;
};

} // namespace nbrhood_test
