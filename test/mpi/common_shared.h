// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Operations in which a value of a rank goes to several neighbours: alltoallv with overlapping
// displacements, alltoallw with types that pick the same bytes, and calls that take the indices of
// the values.
#pragma once

#include "common_element.h"
#include "common_layout.h"
#include "common_topology.h"
#include "common_transfer.h"

#include <functional>
#include <memory>

namespace nbrhood_test {

/// The place of the values in memory, and the way in which the call names them.
enum class ValuesIn {
    windows, ///< alltoallv: a block is a range of the rank's vector of values
    types,   ///< alltoallw: a type picks a block's values out of the vector
    packed   ///< alltoallv: the application copies each block's values, and gives their indices
};

/// The types of alltoallw's blocks; both ends of an edge use the same.
enum class View {
    elements,   ///< of the element's type
    characters, ///< of MPI_CHAR, where elements are contiguous
    words       ///< of MPI_INT64_T, where elements are contiguous and the block is a range
};

/// The arrays of indices that a call gets (only with ValuesIn::packed).
enum class Indices { both, none, send_only, recv_only };

/// The data of an operation. Each function is the same on all ranks and depends on global facts
/// only.
struct SharedWorkload {
    /// The numbers of the source's values that go over the edge of an out-slot, in order. For
    /// ValuesIn::windows a range.
    std::function<std::vector<int>(Endpoint source)> values;
    ValuesIn in = ValuesIn::windows;
    ElementKind send = ElementKind::word;
    ElementKind recv = ElementKind::word;
    std::function<View(Endpoint source)> view = [](Endpoint) { return View::elements; };
    Indices indices = Indices::both;
    /// Use MPI_BOTTOM and displacements that are addresses (only with ValuesIn::types).
    bool bottom = false;
};

/// The buffers, argument arrays and datatypes of one rank for one such operation.
class SharedExchange : public Transfer {
public:
    SharedExchange(const Topology &topology, int rank, const SharedWorkload &workload,
                   std::uint64_t seed);
    ~SharedExchange() override { free_types(); }

    void prepare(int round) override;
    CallArguments arguments() override;
    void free_types() override;
    void scramble_arrays() override;
    std::string check() override;

private:
    struct Block {
        Endpoint source; // of the edge; rank MPI_PROC_NULL for none
        std::vector<int> values;
        std::vector<std::ptrdiff_t> at; // origins of the elements in bytes
    };
    struct Half {
        explicit Half(ElementKind kind) : element(kind) {}
        Element element;
        std::vector<Block> blocks;
        std::vector<int> counts, displs;
        std::vector<MPI_Aint> byte_displs;
        std::vector<MPI_Datatype> handles, owned;
        std::vector<std::int64_t> indices;
        bool indices_given = false;
        GuardedBuffer buffer, expected;
    };

    void describe();
    void place_in_vector();
    void place_in_blocks(Half &half, std::uint64_t seed);
    void scatter();
    void make_types(Half &half, std::uint64_t seed);
    void make_indices(Half &half);
    void reserve(Half &half);
    void put(Half &half, GuardedBuffer &buffer, const Block &block);
    SideArguments side_arguments(Half &half);
    std::string place_of(const Half &half, std::ptrdiff_t at) const;

    const Topology &topology_;
    const int rank_;
    const SharedWorkload workload_;
    const std::uint64_t seed_;
    int round_ = 0;
    Half send_, recv_;
};

} // namespace nbrhood_test
