// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "common_topology.h"

#include "common_random.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

namespace nbrhood_test {

Topology::Topology(Kind kind, std::vector<Neighbourhood> neighbourhoods)
    : kind_(kind), neighbourhoods_(std::move(neighbourhoods))
{}

Topology Topology::dist_graph(std::vector<Neighbourhood> neighbourhoods)
{
    Topology t(Kind::dist_graph, std::move(neighbourhoods));
    t.match_by_order();
    t.find_components();
    return t;
}

Topology Topology::from_edges(int ranks, const EdgeList &edges, std::uint64_t seed)
{
    std::vector<Neighbourhood> lists(static_cast<std::size_t>(ranks));
    for (const auto &edge : edges) {
        lists[static_cast<std::size_t>(edge.first)].out.push_back(edge.second);
        lists[static_cast<std::size_t>(edge.second)].in.push_back(edge.first);
    }
    Random random(seed);
    for (auto &list : lists) {
        random.shuffle(list.in);
        random.shuffle(list.out);
    }
    return dist_graph(std::move(lists));
}

Topology Topology::graph(std::vector<std::vector<int>> adjacency)
{
    std::vector<Neighbourhood> lists(adjacency.size());
    for (std::size_t rank = 0; rank < adjacency.size(); ++rank) {
        lists[rank] = {adjacency[rank], adjacency[rank]};
    }
    Topology t(Kind::graph, std::move(lists));
    t.match_by_order();
    t.find_components();
    return t;
}

Topology Topology::cart(const std::vector<int> &dims, const std::vector<int> &periods)
{
    const int ranks =
        std::accumulate(dims.begin(), dims.end(), 1, [](int a, int b) { return a * b; });
    std::vector<Neighbourhood> lists(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        std::vector<int> &slots = lists[static_cast<std::size_t>(rank)].in;
        int stride = ranks;
        for (std::size_t d = 0; d < dims.size(); ++d) {
            const int extent = dims[d];
            stride /= extent;
            const int position = rank / stride % extent;
            for (int step : {-1, 1}) {
                const int wanted = position + step;
                if (!periods[d] && (wanted < 0 || wanted >= extent)) {
                    slots.push_back(MPI_PROC_NULL);
                } else {
                    slots.push_back(rank + ((wanted + extent) % extent - position) * stride);
                }
            }
        }
        lists[static_cast<std::size_t>(rank)].out = slots;
    }
    Topology t(Kind::cart, std::move(lists));
    t.dims_ = dims;
    t.periods_ = periods;
    t.match_by_direction();
    t.find_components();
    return t;
}

Topology Topology::gather(MPI_Comm comm)
{
    int size = 0;
    MPI_Comm_size(comm, &size);
    int degrees[2] = {0, 0};
    int weighted = 0;
    MPI_Dist_graph_neighbors_count(comm, &degrees[0], &degrees[1], &weighted);
    std::vector<int> mine(static_cast<std::size_t>(degrees[0] + degrees[1]) + 1);
    std::vector<int> weights(mine.size());
    MPI_Dist_graph_neighbors(comm, degrees[0], mine.data(), weights.data(), degrees[1],
                             mine.data() + degrees[0], weights.data() + degrees[0]);

    std::vector<int> all_degrees(static_cast<std::size_t>(2 * size));
    MPI_Allgather(degrees, 2, MPI_INT, all_degrees.data(), 2, MPI_INT, comm);
    std::vector<int> counts, displs;
    int total = 0;
    for (int rank = 0; rank < size; ++rank) {
        const auto r = static_cast<std::size_t>(rank);
        counts.push_back(all_degrees[2 * r] + all_degrees[2 * r + 1]);
        displs.push_back(total);
        total += counts.back();
    }
    std::vector<int> all(static_cast<std::size_t>(total) + 1);
    MPI_Allgatherv(mine.data(), degrees[0] + degrees[1], MPI_INT, all.data(), counts.data(),
                   displs.data(), MPI_INT, comm);
    std::vector<Neighbourhood> lists(static_cast<std::size_t>(size));
    for (std::size_t rank = 0; rank < lists.size(); ++rank) {
        const auto first = all.begin() + displs[rank];
        const auto middle = first + all_degrees[2 * rank];
        lists[rank].in.assign(first, middle);
        lists[rank].out.assign(middle, middle + all_degrees[2 * rank + 1]);
    }
    return dist_graph(std::move(lists));
}

Endpoint Topology::source_of(int rank, int in_slot) const
{
    return sources_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(in_slot)];
}

void Topology::match_by_order()
{
    // occurrence[{source, destination}][k]: the out-slot of the k-th edge from source to
    // destination
    std::map<std::pair<int, int>, std::vector<int>> occurrence;
    for (int rank = 0; rank < size(); ++rank) {
        const std::vector<int> &out = at(rank).out;
        for (std::size_t slot = 0; slot < out.size(); ++slot) {
            occurrence[{rank, out[slot]}].push_back(static_cast<int>(slot));
        }
    }
    std::map<std::pair<int, int>, std::size_t> used;
    sources_.assign(neighbourhoods_.size(), {});
    for (int rank = 0; rank < size(); ++rank) {
        for (int source : at(rank).in) {
            Endpoint end;
            if (source != MPI_PROC_NULL) {
                const std::pair<int, int> pair{source, rank};
                end = {source, occurrence[pair].at(used[pair]++)};
            }
            sources_[static_cast<std::size_t>(rank)].push_back(end);
        }
    }
}

void Topology::match_by_direction()
{
    sources_.assign(neighbourhoods_.size(), {});
    for (int rank = 0; rank < size(); ++rank) {
        const std::vector<int> &in = at(rank).in;
        for (std::size_t slot = 0; slot < in.size(); ++slot) {
            sources_[static_cast<std::size_t>(rank)].push_back(
                {in[slot], static_cast<int>(slot) ^ 1});
        }
    }
}

void Topology::find_components()
{
    component_.resize(neighbourhoods_.size());
    std::iota(component_.begin(), component_.end(), 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (int rank = 0; rank < size(); ++rank) {
            for (const std::vector<int> *list : {&at(rank).in, &at(rank).out}) {
                for (int other : *list) {
                    if (other == MPI_PROC_NULL)
                        continue;
                    int &a = component_[static_cast<std::size_t>(rank)];
                    int &b = component_[static_cast<std::size_t>(other)];
                    if (a != b) {
                        a = b = std::min(a, b);
                        changed = true;
                    }
                }
            }
        }
    }
}

std::string Topology::mismatch_with(MPI_Comm comm, int rank) const
{
    const Neighbourhood &want = at(rank);
    Neighbourhood got;
    if (kind_ == Kind::dist_graph) {
        int nin = 0, nout = 0, weighted = 0;
        MPI_Dist_graph_neighbors_count(comm, &nin, &nout, &weighted);
        if (nin != static_cast<int>(want.in.size()) || nout != static_cast<int>(want.out.size())) {
            return "MPI_Dist_graph_neighbors_count reports " + std::to_string(nin) + " in and "
                   + std::to_string(nout) + " out";
        }
        std::vector<int> weights(static_cast<std::size_t>(nin + nout) + 1);
        got.in.resize(want.in.size());
        got.out.resize(want.out.size());
        MPI_Dist_graph_neighbors(comm, nin, got.in.data(), weights.data(), nout, got.out.data(),
                                 weights.data());
    } else if (kind_ == Kind::graph) {
        int n = 0;
        MPI_Graph_neighbors_count(comm, rank, &n);
        got.in.resize(static_cast<std::size_t>(n));
        MPI_Graph_neighbors(comm, rank, n, got.in.data());
        got.out = got.in;
    } else {
        for (int d = 0; d < static_cast<int>(dims_.size()); ++d) {
            int lower = 0, upper = 0;
            MPI_Cart_shift(comm, d, 1, &lower, &upper);
            got.in.push_back(lower);
            got.in.push_back(upper);
        }
        got.out = got.in;
    }
    if (got.in != want.in)
        return "the communicator reports other sources than it was given";
    if (got.out != want.out)
        return "the communicator reports other destinations than it was given";
    return {};
}

EdgeList random_edges(int ranks, double density, std::uint64_t seed)
{
    EdgeList edges;
    Random random(seed);
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            if (from != to && random.chance(density))
                edges.emplace_back(from, to);
        }
    }
    return edges;
}

EdgeList edges_with_isolated_ranks(int ranks, double density, std::uint64_t seed)
{
    EdgeList edges;
    for (const auto &edge : random_edges(ranks, density, seed)) {
        if (edge.first % 3 != 1 && edge.second % 3 != 1)
            edges.push_back(edge);
    }
    return edges;
}

EdgeList moore_edges(const std::vector<int> &dims)
{
    const int ranks =
        std::accumulate(dims.begin(), dims.end(), 1, [](int a, int b) { return a * b; });
    int offsets = 1;
    for (std::size_t d = 0; d < dims.size(); ++d)
        offsets *= 3;
    EdgeList edges;
    for (int rank = 0; rank < ranks; ++rank) {
        for (int offset = 0; offset < offsets; ++offset) {
            int to = 0, stride = ranks, digits = offset;
            bool moved = false;
            for (int extent : dims) {
                stride /= extent;
                const int step = digits % 3 - 1;
                digits /= 3;
                moved = moved || step != 0;
                to += (rank / stride % extent + step + extent) % extent * stride;
            }
            if (moved)
                edges.emplace_back(rank, to);
        }
    }
    return edges;
}

EdgeList grid_edges(const std::vector<int> &dims, int radius)
{
    const int ranks =
        std::accumulate(dims.begin(), dims.end(), 1, [](int a, int b) { return a * b; });
    const auto near = [&](int from, int to) {
        int stride = ranks;
        return std::all_of(dims.begin(), dims.end(), [&](int extent) {
            stride /= extent;
            return std::abs(from / stride % extent - to / stride % extent) <= radius;
        });
    };
    EdgeList edges;
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            if (from != to && near(from, to))
                edges.emplace_back(from, to);
        }
    }
    return edges;
}

EdgeList ring_edges(int ranks, int repeats)
{
    EdgeList edges;
    for (int rank = 0; rank < ranks; ++rank) {
        for (int k = 0; k < repeats; ++k) {
            edges.emplace_back(rank, (rank + 1) % ranks);
            edges.emplace_back(rank, (rank + ranks - 1) % ranks);
        }
    }
    return edges;
}

std::vector<int> balanced_dims(int ranks, int ndims)
{
    std::vector<int> dims(static_cast<std::size_t>(ndims), 0);
    MPI_Dims_create(ranks, ndims, dims.data());
    return dims;
}

} // namespace nbrhood_test
