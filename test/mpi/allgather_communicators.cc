// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather_communicators.h"

#include <algorithm>
#include <numeric>

namespace nbrhood_test {

namespace {

struct World {
    World()
    {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    int rank = 0, size = 0;
};

Communicator split(int color, int key)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &made);
    return Communicator(made);
}

Communicator world_dup(const std::string & /*algorithm*/)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    return Communicator(made);
}

Communicator world_idup(const std::string & /*algorithm*/)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return Communicator(made);
}

Communicator duplicate_of_duplicate(const std::string &algorithm)
{
    const Communicator first = world_copy(algorithm);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(first.get(), &made);
    return Communicator(made);
}

Communicator reversed(const std::string & /*algorithm*/)
{
    return split(0, -World().rank);
}

Communicator halves(const std::string & /*algorithm*/)
{
    const World world;
    return split(world.rank < (world.size + 1) / 2 ? 0 : 1, world.rank);
}

Communicator odd_and_even(const std::string & /*algorithm*/)
{
    const World world;
    return split(world.rank % 2, world.rank * 7 % 13);
}

Communicator all_but_the_first(const std::string & /*algorithm*/)
{
    const World world;
    return split(world.rank == 0 && world.size > 1 ? MPI_UNDEFINED : 0, world.rank);
}

Communicator of_node(const std::string & /*algorithm*/)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
    return Communicator(made);
}

/// One rank of each node.
Communicator of_leaders(const std::string &algorithm)
{
    const Communicator node = of_node(algorithm);
    return split(node.rank() == 0 ? 0 : MPI_UNDEFINED, World().rank);
}

/// Round robin over the nodes.
Communicator by_node(const std::string &algorithm)
{
    const Communicator node = of_node(algorithm);
    const World world;
    return split(0, node.rank() * world.size + world.rank);
}

Communicator create(const std::string & /*algorithm*/)
{
    const World world;
    MPI_Group all = MPI_GROUP_NULL, part = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    std::vector<int> ranks;
    for (int rank = world.size - 1; rank >= 0; rank -= 2)
        ranks.push_back(rank);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &part);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_create(MPI_COMM_WORLD, part, &made);
    MPI_Group_free(&part);
    MPI_Group_free(&all);
    return Communicator(made);
}

Communicator create_group(const std::string & /*algorithm*/)
{
    const World world;
    MPI_Group all = MPI_GROUP_NULL, part = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    std::vector<int> ranks(static_cast<std::size_t>(world.size - world.size / 3));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::reverse(ranks.begin(), ranks.end());
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &part);
    MPI_Comm made = MPI_COMM_NULL;
    if (world.rank < static_cast<int>(ranks.size()))
        MPI_Comm_create_group(MPI_COMM_WORLD, part, 5, &made);
    MPI_Group_free(&part);
    MPI_Group_free(&all);
    return Communicator(made);
}

/// Two halves that become one again, the upper one first.
Communicator merged(const std::string &algorithm)
{
    const World world;
    const int middle = (world.size + 1) / 2;
    if (world.size < 2)
        return Communicator();
    const Communicator half = halves(algorithm);
    const bool low = world.rank < middle;
    MPI_Comm between = MPI_COMM_NULL, made = MPI_COMM_NULL;
    MPI_Intercomm_create(half.get(), 0, MPI_COMM_WORLD, low ? middle : 0, 3, &between);
    MPI_Intercomm_merge(between, low ? 1 : 0, &made);
    MPI_Comm_free(&between);
    return Communicator(made);
}

Communicator cartesian(const std::string & /*algorithm*/)
{
    const World world;
    int dims[2] = {0, 0};
    const int periods[2] = {1, 0};
    MPI_Dims_create(world.size, 2, dims);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &made);
    return Communicator(made);
}

Communicator cartesian_rows(const std::string &algorithm)
{
    const Communicator grid = cartesian(algorithm);
    const int remains[2] = {1, 0};
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Cart_sub(grid.get(), remains, &made);
    return Communicator(made);
}

Communicator ring_graph(const std::string &neighbour_algorithm, const std::string &algorithm)
{
    const World world;
    const int before = (world.rank + world.size - 1) % world.size;
    const int behind = (world.rank + 1) % world.size;
    MPI_Info info = algorithm_info(neighbour_algorithm);
    MPI_Info_set(info, "nbrhood_allgather_algorithm", algorithm.c_str());
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &behind,
                                   MPI_UNWEIGHTED, info, 0, &made);
    MPI_Info_free(&info);
    return Communicator(made);
}

/// Without a message.
Communicator ring_graph_of_auto(const std::string &algorithm)
{
    return ring_graph("auto", algorithm);
}

} // namespace

Communicator built_ring(const std::string &algorithm)
{
    return ring_graph("aggregated", algorithm);
}

Communicator world_copy(const std::string &algorithm)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "nbrhood_allgather_algorithm", algorithm.c_str());
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made);
    MPI_Info_free(&info);
    return Communicator(made);
}

const std::vector<CommunicatorMaker> &communicator_makers()
{
    static const std::vector<CommunicatorMaker> makers = {
        {"dup", world_dup},
        {"idup", world_idup},
        {"dup_with_info", world_copy},
        {"dup of dup", duplicate_of_duplicate},
        {"split reversed", reversed},
        {"split in halves", halves},
        {"split odd and even", odd_and_even},
        {"split without the first", all_but_the_first},
        {"split_type", of_node},
        {"one rank of each node", of_leaders},
        {"round robin", by_node},
        {"create", create},
        {"create_group", create_group},
        {"intercomm_merge", merged},
        {"cart_create", cartesian},
        {"cart_sub", cartesian_rows},
        {"dist_graph_create_adjacent", ring_graph_of_auto}};
    return makers;
}

} // namespace nbrhood_test
