// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "communicators.h"

#include <set>

namespace nbrhood_tools {

namespace {

MPI_Info info_for(const std::string &algorithm_key, const std::string &label)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (is_stock(label))
        MPI_Info_set(info, "ompi_comm_coll_preference", "^nbrhood");
    else
        MPI_Info_set(info, algorithm_key.c_str(), label.c_str());
    return info;
}

} // namespace

MPI_Comm create_topology(const Neighbourhood &part, const std::string &label, MPI_Comm comm)
{
    MPI_Info info = info_for("nbrhood_algorithm", label);
    MPI_Comm created = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(comm, static_cast<int>(part.sources.size()), part.sources.data(),
                                   MPI_UNWEIGHTED, static_cast<int>(part.destinations.size()),
                                   part.destinations.data(), MPI_UNWEIGHTED, info, 0, &created);
    MPI_Info_free(&info);
    return created;
}

MPI_Comm create_duplicate(const std::string &algorithm_key, const std::string &label, MPI_Comm comm)
{
    MPI_Info info = info_for(algorithm_key, label);
    MPI_Comm created = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(comm, info, &created);
    MPI_Info_free(&info);
    return created;
}

bool is_stock(const std::string &label)
{
    return label == "stock" || label == "stock#2";
}

std::vector<Candidate>
create_candidates(const std::function<MPI_Comm(const std::string &label)> &create,
                  const std::vector<std::string> &labels, int creations, MPI_Comm comm)
{
    std::vector<Candidate> candidates;
    for (const std::string &label : labels)
        candidates.push_back({label, MPI_COMM_NULL, {}});

    for (int round = 0; round < creations; ++round) {
        for (std::size_t turn = 0; turn < candidates.size(); ++turn) {
            Candidate &candidate = candidates[round % 2 == 0 ? turn : candidates.size() - 1 - turn];
            if (candidate.comm != MPI_COMM_NULL)
                MPI_Comm_free(&candidate.comm);
            MPI_Barrier(comm);
            const double start = MPI_Wtime();
            candidate.comm = create(candidate.label);
            candidate.creation_seconds.push_back(MPI_Wtime() - start);
        }
    }
    for (Candidate &candidate : candidates)
        MPI_Allreduce(MPI_IN_PLACE, candidate.creation_seconds.data(), creations, MPI_DOUBLE,
                      MPI_MAX, comm);
    return candidates;
}

std::vector<Candidate> create_candidates(const Neighbourhood &part,
                                         const std::vector<std::string> &labels, int creations,
                                         MPI_Comm comm)
{
    return create_candidates(
        [&](const std::string &label) { return create_topology(part, label, comm); }, labels,
        creations, comm);
}

void free_candidates(std::vector<Candidate> &candidates)
{
    for (Candidate &candidate : candidates)
        if (candidate.comm != MPI_COMM_NULL)
            MPI_Comm_free(&candidate.comm);
}

std::vector<int> nodes_of_ranks(MPI_Comm comm)
{
    int lowest = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &lowest);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    std::vector<int> nodes(static_cast<std::size_t>(ranks));
    MPI_Allgather(&lowest, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm);
    return nodes;
}

int count_nodes(const std::vector<int> &nodes)
{
    return static_cast<int>(std::set<int>(nodes.begin(), nodes.end()).size());
}

} // namespace nbrhood_tools
