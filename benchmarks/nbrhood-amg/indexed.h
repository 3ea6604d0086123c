// Stands in for the library's nbrhood.h until that is merged: the same function without removal of
// duplicates.
#ifndef NBRHOOD_AMG_INDEXED_H
#define NBRHOOD_AMG_INDEXED_H

#include "mpi_headers.h"

#include <cstdint>

inline int nbrhood_neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[],
                                           const int sdispls[], MPI_Datatype sendtype,
                                           const std::int64_t *, void *recvbuf,
                                           const int recvcounts[], const int rdispls[],
                                           MPI_Datatype recvtype, const std::int64_t *,
                                           MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    return NBRHOOD_BENCH_PERSISTENT(Neighbor_alltoallv_init)(sendbuf, sendcounts, sdispls, sendtype,
                                                             recvbuf, recvcounts, rdispls, recvtype,
                                                             comm, info, request);
}

#endif
