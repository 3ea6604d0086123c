// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A library to be loaded before MPI's (LD_PRELOAD): measures the time that a program spends in
// creating communicators with a topology, in neighbourhood collectives, and in the allgathers,
// alltoallvs and alltoallws of all ranks. At MPI_Finalize it appends one line of JSON to the file
// that NBRHOOD_TIMES_FILE names, or writes it to stderr. docs/user-guide.md says how it is used.
#include "requests.h"
#include "served.h"
#include "totals.h"

#include "measuring/mpi_headers.h"

using neighbour_times::Clock;
using neighbour_times::Function;
using neighbour_times::Kind;
using neighbour_times::nanoseconds_since;
using neighbour_times::requests;
using neighbour_times::totals;

namespace {

template <typename Call>
int timed(Function function, const Call &call)
{
    const Clock::time_point start = Clock::now();
    const int result = call();
    totals().add(function, 1, start);
    return result;
}

template <typename Call>
int nonblocking(Function function, const MPI_Request *request, const Call &call)
{
    const int result = timed(function, call);
    if (result == MPI_SUCCESS)
        requests().add(*request, Kind::kNonblocking);
    return result;
}

/// Makes a persistent request.
template <typename Call>
int persistent(Function function, const MPI_Request *request, const Call &call)
{
    const int result = timed(function, call);
    if (result == MPI_SUCCESS)
        requests().add(*request, Kind::kPersistent);
    return result;
}

/// A call that may complete requests; counted if one of them is of a collective that is timed.
template <typename Call>
int completing(int count, const MPI_Request *array, const Call &call)
{
    if (!requests().any() || count <= 0 || array == nullptr)
        return call();
    const neighbour_times::Requests::Taken taken = requests().take(count, array);
    if (!taken.any)
        return call();
    const int result = timed(Function::kCompletion, call);
    requests().put_back(taken, array);
    return result;
}

template <typename Call>
int starting(int count, const MPI_Request *array, const Call &call)
{
    const int known = requests().any() && array != nullptr ? requests().started(count, array) : 0;
    if (known == 0)
        return call();
    const Clock::time_point start = Clock::now();
    const int result = call();
    totals().add(Function::kStart, known, start);
    return result;
}

template <typename Call>
int initializing(const Call &call)
{
    const Clock::time_point start = Clock::now();
    const int result = call();
    totals().init_nanoseconds = nanoseconds_since(start);
    if (result == MPI_SUCCESS)
        neighbour_times::served_calls().open();
    totals().initialized = Clock::now();
    return result;
}

/// The copy of a communicator with a topology has a topology, too.
template <typename Call>
int duplicating(MPI_Comm comm, const Call &call)
{
    int topology = MPI_UNDEFINED;
    if (comm != MPI_COMM_NULL && comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF)
        PMPI_Topo_test(comm, &topology);
    return topology == MPI_UNDEFINED ? call() : timed(Function::kCommDup, call);
}

} // namespace

// For a collective, whose arguments are the same for blocking calls and for requests of both kinds.
#define UNPACKED(...) __VA_ARGS__
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define COLLECTIVE(name, blocking, immediate, persistently, parameters, arguments)                 \
    int MPI_##blocking(UNPACKED parameters, MPI_Comm comm)                                         \
    {                                                                                              \
        return timed(Function::k##name,                                                            \
                     [&] { return PMPI_##blocking(UNPACKED arguments, comm); });                   \
    }                                                                                              \
    int MPI_##immediate(UNPACKED parameters, MPI_Comm comm, MPI_Request *request)                  \
    {                                                                                              \
        return nonblocking(Function::kI##name, request,                                            \
                           [&] { return PMPI_##immediate(UNPACKED arguments, comm, request); });   \
    }                                                                                              \
    int persistently(UNPACKED parameters, MPI_Comm comm, MPI_Info info, MPI_Request *request)      \
    {                                                                                              \
        return persistent(Function::k##name##Init, request, [&] {                                  \
            return JOINED(P, persistently)(UNPACKED arguments, comm, info, request);               \
        });                                                                                        \
    }
#define OF_NEIGHBOURS(collective, name, parameters, arguments)                                     \
    COLLECTIVE(name, Neighbor_##collective, Ineighbor_##collective,                                \
               NBRHOOD_BENCH_PERSISTENT(Neighbor_##collective##_init), parameters, arguments)
#define OF_ALL(collective, name, parameters, arguments)                                            \
    COLLECTIVE(All##name, name, I##collective, NBRHOOD_BENCH_PERSISTENT(name##_init), parameters,  \
               arguments)

extern "C" {

int MPI_Init(int *argc, char ***argv)
{
    return initializing([&] { return PMPI_Init(argc, argv); });
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return initializing([&] { return PMPI_Init_thread(argc, argv, required, provided); });
}

int MPI_Finalize()
{
    neighbour_times::report();
    neighbour_times::served_calls().close();
    return PMPI_Finalize();
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                   const int source_weights[], int outdegree,
                                   const int destinations[], const int destination_weights[],
                                   MPI_Info info, int reorder, MPI_Comm *graph)
{
    return timed(Function::kDistGraphCreateAdjacent, [&] {
        return PMPI_Dist_graph_create_adjacent(comm, indegree, sources, source_weights, outdegree,
                                               destinations, destination_weights, info, reorder,
                                               graph);
    });
}

int MPI_Dist_graph_create(MPI_Comm comm, int n, const int nodes[], const int degrees[],
                          const int targets[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm *graph)
{
    return timed(Function::kDistGraphCreate, [&] {
        return PMPI_Dist_graph_create(comm, n, nodes, degrees, targets, weights, info, reorder,
                                      graph);
    });
}

int MPI_Graph_create(MPI_Comm comm, int n, const int index[], const int edges[], int reorder,
                     MPI_Comm *graph)
{
    return timed(Function::kGraphCreate,
                 [&] { return PMPI_Graph_create(comm, n, index, edges, reorder, graph); });
}

int MPI_Cart_create(MPI_Comm comm, int n, const int dimensions[], const int periods[], int reorder,
                    MPI_Comm *grid)
{
    return timed(Function::kCartCreate,
                 [&] { return PMPI_Cart_create(comm, n, dimensions, periods, reorder, grid); });
}

int MPI_Cart_sub(MPI_Comm comm, const int remaining[], MPI_Comm *grid)
{
    return timed(Function::kCartSub, [&] { return PMPI_Cart_sub(comm, remaining, grid); });
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    return duplicating(comm, [&] { return PMPI_Comm_dup(comm, copy); });
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *copy)
{
    return duplicating(comm, [&] { return PMPI_Comm_dup_with_info(comm, info, copy); });
}

OF_NEIGHBOURS(allgather, Allgather,
              (const void *send, int send_count, MPI_Datatype send_type, void *receive,
               int receive_count, MPI_Datatype receive_type),
              (send, send_count, send_type, receive, receive_count, receive_type))

OF_NEIGHBOURS(allgatherv, Allgatherv,
              (const void *send, int send_count, MPI_Datatype send_type, void *receive,
               const int receive_counts[], const int places[], MPI_Datatype receive_type),
              (send, send_count, send_type, receive, receive_counts, places, receive_type))

OF_NEIGHBOURS(alltoall, Alltoall,
              (const void *send, int send_count, MPI_Datatype send_type, void *receive,
               int receive_count, MPI_Datatype receive_type),
              (send, send_count, send_type, receive, receive_count, receive_type))

OF_NEIGHBOURS(alltoallv, Alltoallv,
              (const void *send, const int send_counts[], const int send_places[],
               MPI_Datatype send_type, void *receive, const int receive_counts[],
               const int receive_places[], MPI_Datatype receive_type),
              (send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
               receive_type))

OF_NEIGHBOURS(alltoallw, Alltoallw,
              (const void *send, const int send_counts[], const MPI_Aint send_places[],
               const MPI_Datatype send_types[], void *receive, const int receive_counts[],
               const MPI_Aint receive_places[], const MPI_Datatype receive_types[]),
              (send, send_counts, send_places, send_types, receive, receive_counts, receive_places,
               receive_types))

OF_ALL(allgather, Allgather,
       (const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
        MPI_Datatype receive_type),
       (send, send_count, send_type, receive, receive_count, receive_type))

OF_ALL(alltoallv, Alltoallv,
       (const void *send, const int send_counts[], const int send_places[], MPI_Datatype send_type,
        void *receive, const int receive_counts[], const int receive_places[],
        MPI_Datatype receive_type),
       (send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
        receive_type))

OF_ALL(alltoallw, Alltoallw,
       (const void *send, const int send_counts[], const int send_places[],
        const MPI_Datatype send_types[], void *receive, const int receive_counts[],
        const int receive_places[], const MPI_Datatype receive_types[]),
       (send, send_counts, send_places, send_types, receive, receive_counts, receive_places,
        receive_types))

int MPI_Start(MPI_Request *request)
{
    return starting(1, request, [&] { return PMPI_Start(request); });
}

int MPI_Startall(int count, MPI_Request array[])
{
    return starting(count, array, [&] { return PMPI_Startall(count, array); });
}

int MPI_Request_free(MPI_Request *request)
{
    if (request != nullptr && requests().any())
        requests().remove(*request);
    return PMPI_Request_free(request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return completing(1, request, [&] { return PMPI_Wait(request, status); });
}

int MPI_Waitall(int count, MPI_Request array[], MPI_Status *statuses)
{
    return completing(count, array, [&] { return PMPI_Waitall(count, array, statuses); });
}

int MPI_Waitany(int count, MPI_Request array[], int *index, MPI_Status *status)
{
    return completing(count, array, [&] { return PMPI_Waitany(count, array, index, status); });
}

int MPI_Waitsome(int count, MPI_Request array[], int *done, int indices[], MPI_Status statuses[])
{
    return completing(count, array,
                      [&] { return PMPI_Waitsome(count, array, done, indices, statuses); });
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    return completing(1, request, [&] { return PMPI_Test(request, flag, status); });
}

int MPI_Testall(int count, MPI_Request array[], int *flag, MPI_Status statuses[])
{
    return completing(count, array, [&] { return PMPI_Testall(count, array, flag, statuses); });
}

int MPI_Testany(int count, MPI_Request array[], int *index, int *flag, MPI_Status *status)
{
    return completing(count, array,
                      [&] { return PMPI_Testany(count, array, index, flag, status); });
}

int MPI_Testsome(int count, MPI_Request array[], int *done, int indices[], MPI_Status statuses[])
{
    return completing(count, array,
                      [&] { return PMPI_Testsome(count, array, done, indices, statuses); });
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    return completing(1, &request, [&] { return PMPI_Request_get_status(request, flag, status); });
}

} // extern "C"
