// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "group.h"

#include "analysis/allgather_proof.h"
#include "measuring/communicators.h"
#include "allgather/registry.h"

#include <algorithm>
#include <utility>

namespace nbrhood_tools::allgather {

namespace {

/// With more ranks counting would take longer than measuring.
constexpr int most_counted_ranks = 1024;

} // namespace

const char *name_of(Placement placement)
{
    return placement == Placement::by_slot ? "slot" : "node";
}

Group::Group(Placement placement, int ranks_per_node, MPI_Comm comm)
{
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    // With both placements nodes are in the order of their lowest ranks.
    std::vector<std::pair<int, int>> places; // of ranks: node, and number on it
    std::map<int, int> found;
    const std::vector<int> nodes = nodes_of_ranks(comm);
    for (const int node : nodes)
        places.emplace_back(node, found[node]++);
    const auto order = [&](int other) {
        const auto [node, number] = places[static_cast<std::size_t>(other)];
        return placement == Placement::by_slot ? std::pair(node, number) : std::pair(number, node);
    };
    int key = 0;
    for (int other = 0; other < ranks; ++other)
        key += order(other) < order(rank) ? 1 : 0;
    const auto [lowest, number] = places[static_cast<std::size_t>(rank)];
    const bool takes_part = ranks_per_node == 0 || number < ranks_per_node;
    MPI_Comm_split(comm, takes_part ? 0 : MPI_UNDEFINED, key, &comm_);
    if (comm_ == MPI_COMM_NULL)
        return;
    int size = 0;
    MPI_Comm_size(comm_, &size);
    node_of_.resize(static_cast<std::size_t>(size));
    MPI_Allgather(&lowest, 1, MPI_INT, node_of_.data(), 1, MPI_INT, comm_);
}

Group::~Group()
{
    for (auto &[label, comm] : communicators_)
        MPI_Comm_free(&comm);
    if (comm_ != MPI_COMM_NULL)
        MPI_Comm_free(&comm_);
}

int Group::nodes() const
{
    return count_nodes(node_of_);
}

MPI_Comm Group::communicator(const std::string &label)
{
    const auto known = communicators_.find(label);
    if (known != communicators_.end())
        return known->second;
    return communicators_[label] = create_duplicate("nbrhood_allgather_algorithm", label, comm_);
}

Sent Group::nonlocal(const std::string &label, std::size_t bytes) const
{
    Sent sent;
    const auto &rows = nbrhood::allgather_algorithms();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const auto &candidate) { return candidate.name == label; });
    if (row == rows.end() || ranks() > most_counted_ranks)
        return sent;
    const nbrhood::Machine machine(node_of_);
    const nbrhood::AllgatherShape shape(machine, nbrhood::Nesting::regions, false);
    std::vector<nbrhood::AllgatherPattern> patterns;
    for (int rank = 0; rank < ranks(); ++rank)
        patterns.push_back(row->make(shape, rank));
    const nbrhood::AllgatherCounts counts = nbrhood::count_allgather(patterns, machine);
    sent.messages = counts.most_nonlocal.messages;
    sent.bytes = counts.most_nonlocal.blocks * static_cast<long long>(bytes);
    return sent;
}

} // namespace nbrhood_tools::allgather
