// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "methods.h"

#include <nbrhood.h>

#include <algorithm>

namespace nbrhood_tools::amg {

namespace {

/// Counts and displacements of one side, in entries. Open MPI refuses null pointers for the arrays
/// of a rank without neighbours, and data() of an empty vector may be one: hence one element more.
struct Blocks {
    explicit Blocks(const std::vector<int> &each) : counts(each)
    {
        int position = 0;
        for (int count : each) {
            displacements.push_back(position);
            position += count;
        }
        counts.push_back(0);
        displacements.push_back(position);
    }
    std::vector<int> counts;
    std::vector<int> displacements;
};

/// hypre's method with persistent communication (HYPRE_USING_PERSISTENT_COMM): one persistent
/// request for each neighbour, all started and completed together.
class PointToPoint : public Repeatable {
public:
    PointToPoint(Vectors &vectors, MPI_Comm comm) : vectors_(vectors), comm_(comm) {}
    ~PointToPoint() override { PointToPoint::release(); }

    void prepare() override
    {
        const Neighbourhood &edges = vectors_.level().edges;
        const Blocks sent(edges.destination_counts);
        const Blocks received(edges.source_counts);
        for (std::size_t i = 0; i < edges.sources.size(); ++i)
            MPI_Recv_init(vectors_.incoming() + received.displacements[i], received.counts[i],
                          MPI_DOUBLE, edges.sources[i], tag, comm_, &requests_.emplace_back());
        for (std::size_t i = 0; i < edges.destinations.size(); ++i)
            MPI_Send_init(vectors_.outgoing() + sent.displacements[i], sent.counts[i], MPI_DOUBLE,
                          edges.destinations[i], tag, comm_, &requests_.emplace_back());
    }
    void release() override
    {
        for (MPI_Request &request : requests_)
            MPI_Request_free(&request);
        requests_.clear();
    }
    void run() override
    {
        vectors_.pack();
        if (requests_.empty())
            return;
        MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }

private:
    static constexpr int tag = 0;
    Vectors &vectors_;
    MPI_Comm comm_;
    std::vector<MPI_Request> requests_;
};

/// A neighbourhood collective behind one persistent request.
class Collective : public Repeatable {
public:
    Collective(Vectors &vectors, MPI_Comm comm)
        : vectors_(vectors), comm_(comm), sent_(vectors.level().edges.destination_counts),
          received_(vectors.level().edges.source_counts)
    {}
    ~Collective() override { Collective::release(); }

    void release() override
    {
        if (request_ != MPI_REQUEST_NULL)
            MPI_Request_free(&request_);
    }
    void run() override
    {
        vectors_.pack();
        start_and_wait();
    }

protected:
    void start_and_wait()
    {
        MPI_Start(&request_);
        MPI_Wait(&request_, MPI_STATUS_IGNORE);
    }

    Vectors &vectors_;
    MPI_Comm comm_;
    Blocks sent_;
    Blocks received_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

class Alltoallv : public Collective {
public:
    using Collective::Collective;
    void prepare() override
    {
        NBRHOOD_BENCH_PERSISTENT(Neighbor_alltoallv_init)
        (vectors_.outgoing(), sent_.counts.data(), sent_.displacements.data(), MPI_DOUBLE,
         vectors_.incoming(), received_.counts.data(), received_.displacements.data(), MPI_DOUBLE,
         comm_, MPI_INFO_NULL, &request_);
    }
};

/// Names entries by their global indices, the paper's extension of MPI (section 3.3), so that equal
/// entries are recognised.
class Indices : public Collective {
public:
    Indices(Vectors &vectors, MPI_Comm comm) : Collective(vectors, comm)
    {
        const Level &level = vectors.level();
        for (int row : level.sent_rows)
            sent_rows_.push_back(level.first_row + row);
        sent_rows_.push_back(0); // never empty, as in Blocks
        received_rows_ = level.received_rows;
        received_rows_.push_back(0);
    }
    void prepare() override
    {
        nbrhood_neighbor_alltoallv_init(vectors_.outgoing(), sent_.counts.data(),
                                        sent_.displacements.data(), MPI_DOUBLE, sent_rows_.data(),
                                        vectors_.incoming(), received_.counts.data(),
                                        received_.displacements.data(), MPI_DOUBLE,
                                        received_rows_.data(), comm_, MPI_INFO_NULL, &request_);
    }

private:
    std::vector<std::int64_t> sent_rows_;
    std::vector<std::int64_t> received_rows_;
};

/// Sends directly from the vector, by datatypes that name the entries: nothing is packed, and equal
/// entries have equal addresses.
class Addresses : public Collective {
public:
    Addresses(Vectors &vectors, MPI_Comm comm) : Collective(vectors, comm)
    {
        const Level &level = vectors.level();
        for (std::size_t i = 0; i < level.edges.destinations.size(); ++i)
            MPI_Type_create_indexed_block(sent_.counts[i], 1,
                                          level.sent_rows.data() + sent_.displacements[i],
                                          MPI_DOUBLE, &sent_types_.emplace_back());
        for (MPI_Datatype &type : sent_types_)
            MPI_Type_commit(&type);
        const std::size_t room =
            std::max(level.edges.sources.size(), level.edges.destinations.size()) + 1;
        ones_.assign(room, 1);
        nowhere_.assign(room, 0);
        received_types_.assign(room, MPI_DOUBLE);
        for (int displacement : received_.displacements)
            received_bytes_.push_back(displacement * static_cast<MPI_Aint>(sizeof(double)));
        committed_ = sent_types_.size();
        sent_types_.push_back(MPI_DOUBLE);
    }
    ~Addresses() override
    {
        Collective::release();
        for (std::size_t i = 0; i < committed_; ++i)
            MPI_Type_free(&sent_types_[i]);
    }
    void prepare() override
    {
        NBRHOOD_BENCH_PERSISTENT(Neighbor_alltoallw_init)
        (vectors_.own(), ones_.data(), nowhere_.data(), sent_types_.data(), vectors_.incoming(),
         received_.counts.data(), received_bytes_.data(), received_types_.data(), comm_,
         MPI_INFO_NULL, &request_);
    }
    void run() override { start_and_wait(); }

private:
    std::size_t committed_ = 0;
    std::vector<int> ones_;
    std::vector<MPI_Aint> nowhere_;
    std::vector<MPI_Datatype> sent_types_;
    std::vector<MPI_Aint> received_bytes_;
    std::vector<MPI_Datatype> received_types_;
};

} // namespace

const std::vector<Method> &all_methods()
{
    static const std::vector<Method> methods{
        {"hypre", "", "persistent point-to-point messages, as in hypre"},
        {"openmpi", "stock", "Open MPI's own persistent neighbor_alltoallv"},
        {"aggregated", "aggregated", "neighbor_alltoallv of the component by aggregated"},
        {"two_step", "two_step", "neighbor_alltoallv of the component by two_step"},
        {"indices", "aggregated",
         "nbrhood_neighbor_alltoallv_init: aggregated, entries with the same index sent once"},
        {"addresses", "aggregated",
         "neighbor_alltoallw from the vector: aggregated, the same addresses sent once"},
        {"auto", "auto", "neighbor_alltoallv of the component by the algorithm of its cost model"},
    };
    return methods;
}

std::unique_ptr<Repeatable> make_method(const std::string &name, Vectors &vectors, MPI_Comm comm)
{
    if (name == "hypre")
        return std::make_unique<PointToPoint>(vectors, comm);
    if (name == "indices")
        return std::make_unique<Indices>(vectors, comm);
    if (name == "addresses")
        return std::make_unique<Addresses>(vectors, comm);
    return std::make_unique<Alltoallv>(vectors, comm);
}

} // namespace nbrhood_tools::amg
