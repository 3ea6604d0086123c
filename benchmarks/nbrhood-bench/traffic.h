// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The data of one operation on a graph at one entry size: counts, displacements, buffers, and the
// values in them.
#pragma once

#include "gpu_memory.h"
#include "send_layout.h"
#include "value_vector.h"

#include "measuring/graph_facts.h"
#include "measuring/interfaces.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nbrhood_tools::bench {

enum class Operation {
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    alltoallw,
    mpi_alltoallv, ///< MPI_Alltoallv, without a topology; counts are 0 where there is no edge
    mpi_alltoallw
};

/// MPI's name of the operation in small letters, such as "neighbor_alltoallv" or "mpi_alltoallv".
std::string name_of(Operation operation);

/// Whether the call names all ranks of the communicator, and not only neighbours.
inline bool names_all_ranks(Operation operation)
{
    return operation == Operation::mpi_alltoallv || operation == Operation::mpi_alltoallw;
}

/// The arguments of one side for all ranks of the communicator.
struct WholeSide {
    std::vector<int> counts;
    std::vector<int> displacements;
    std::vector<int> byte_displacements; ///< for alltoallw
    std::vector<MPI_Datatype> types;     ///< for alltoallw
};

/// One side, send or receive, in the form of MPI's arguments. Counts and displacements are in units
/// of `Traffic::type()`.
struct Side {
    std::vector<int> counts;
    std::vector<int> displacements;
    std::vector<MPI_Aint> byte_displacements; ///< for alltoallw
    std::vector<MPI_Datatype> types;          ///< for alltoallw
    WholeSide whole;                          ///< if names_all_ranks()
    std::vector<std::size_t> bytes;           ///< size of each block
    int uniform_count = 0;                    ///< for the operations with one count for all
    std::vector<unsigned char> memory;        ///< guard, blocks, guard
    void *elsewhere = nullptr;                ///< the place of the blocks, if not in memory
    std::shared_ptr<unsigned char> on_gpu;    ///< the same as memory, with --memory hip

    unsigned char *blocks() { return memory.data() + guard_bytes; }
    void *data() { return elsewhere != nullptr ? elsewhere : blocks(); }
    static constexpr std::size_t guard_bytes = 64;
};

/// A wrong byte in a receive buffer, or one outside of the blocks, or a changed one in a send
/// buffer.
struct Mismatch {
    int edge = -1;   ///< index among the in-edges; -1: outside of every block
    int source = -1; ///< rank at the other end of the edge
    std::size_t offset = 0;
    unsigned expected = 0;
    unsigned got = 0;
    const char *where = "";

    std::string describe() const;
};

/// Buffers and arguments of one operation on one rank; all algorithms of a comparison use the same
/// ones in turn.
///
/// Entries: alltoallv and alltoallw send each edge's own count, allgatherv the rank's own entries;
/// alltoall and allgather, which have one size for all, the largest count of the graph.
///
/// Alltoallv can also send entries of a vector of the application, the same ones to several
/// neighbours; `values` is the send layout.
class Traffic : public Checkable {
public:
    /// `gap_entries` entries are left free between blocks if the operation allows it (allgatherv,
    /// alltoallv, alltoallw). Collective over `comm` (one reduction). Throws InputError on every
    /// rank if a count or displacement does not fit into MPI's int, or there is not enough memory.
    Traffic(const Neighbourhood &part, const GraphFacts &facts, Operation operation,
            std::size_t entry_bytes, int gap_entries, MPI_Comm comm);
    /// Alltoallv of the entries of a vector, in the layout `values`. Also throws InputError if
    /// blocks cannot have that layout.
    Traffic(const Neighbourhood &part, const GraphFacts &facts, SendLayout values,
            std::size_t entry_bytes, int gap_entries, MPI_Comm comm);
    ~Traffic() override;
    Traffic(const Traffic &) = delete;
    Traffic &operator=(const Traffic &) = delete;

    /// The call to make: alltoallw for an alltoallv of SendLayout::typed.
    Operation operation() const { return operation_; }
    SendLayout values() const { return values_; }
    MPI_Datatype type() const { return type_; }
    /// For SendLayout::indexed: a number for each element of type() that is sent or received, in
    /// the order of edges. Otherwise empty.
    const std::vector<std::int64_t> &send_indices() const { return send_indices_; }
    const std::vector<std::int64_t> &receive_indices() const { return receive_indices_; }
    /// The application's work before a call: copies entries of the vector to the send blocks. Does
    /// nothing if blocks are not copies.
    void pack();
    Side &send() { return send_; }
    Side &receive() { return receive_; }

    /// Puts the buffers into the memory of a GPU; `hip` must outlive this object. For operations
    /// without a vector.
    void put_on_gpu(const Hip &hip);
    /// Whether calls get the buffers on the GPU, or their copies in host memory.
    void use_gpu(bool use);
    /// What a program does whose MPI does not know GPUs: before a call, and after it.
    void copy_sent_from_gpu() { copy_from_gpu(send_); }
    void copy_received_to_gpu() { copy_to_gpu(receive_); }

    /// Fills the send blocks with values of (source, destination, edge, index, round) and
    /// overwrites the receive buffer.
    void fill(std::uint64_t round) override;
    /// Compares every byte of both buffers with the expected contents after `round`, computed from
    /// the graph alone.
    std::size_t check(std::uint64_t round, std::string &first) const override;

private:
    struct Block {
        int peer = 0;
        int ordinal = 0; ///< how many earlier edges go to the same peer: the k-th one out meets the
                         ///< k-th one in
    };

    struct Content;
    void copy_to_gpu(const Side &side) const;
    void copy_from_gpu(Side &side) const;
    void lay_out_both(const Neighbourhood &part, const GraphFacts &facts, int gap_entries,
                      MPI_Comm comm);
    void send_from_vector(MPI_Comm comm);
    void fill_vector(std::uint64_t round);
    std::size_t check_vector(std::uint64_t round, Mismatch &mismatch, bool describe) const;
    void make_indices(const Neighbourhood &part);
    std::size_t compare(std::uint64_t round, Mismatch &mismatch) const;
    bool lay_out(Side &side, const std::vector<std::size_t> &entries, std::size_t unit_entries,
                 int gap_entries);
    void name_all_ranks(Side &side, const std::vector<int> &peers, int ranks) const;
    std::uint64_t send_seed(std::size_t block, std::uint64_t round) const;
    std::uint64_t receive_seed(std::size_t block, std::uint64_t round) const;
    bool gathers() const
    {
        return operation_ == Operation::allgather || operation_ == Operation::allgatherv;
    }

    const Hip *hip_ = nullptr;
    Operation operation_;
    SendLayout values_ = SendLayout::packed;
    std::size_t entry_bytes_;
    int rank_ = 0;
    MPI_Datatype type_ = MPI_BYTE;
    std::size_t type_bytes_ = 1;
    mutable Side send_, receive_;    ///< check() copies them from the GPU
    std::vector<Block> send_blocks_; ///< one for all edges if the operation is an allgather
    std::vector<Block> receive_blocks_;
    std::unique_ptr<ValueVector> vector_; ///< null: each block has values of its own
    std::vector<std::vector<int>> send_entries_, receive_entries_; ///< of each block
    std::vector<MPI_Datatype> owned_types_;
    std::vector<std::int64_t> send_indices_, receive_indices_;
};

/// Bytes that an edge carries, mean and maximum over the graph's edges.
struct EdgeBytes {
    double mean = 0;
    double max = 0;
};
EdgeBytes edge_bytes(const GraphFacts &facts, Operation operation, std::size_t entry_bytes);

} // namespace nbrhood_tools::bench
