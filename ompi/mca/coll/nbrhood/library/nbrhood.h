/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The library of coll/nbrhood, for programs that know which of the values that they send are equal.
 *
 * Programs need it for nothing else; the component works without it. Link with -lnbrhood.
 * Compiling, linking and running do not need the component: if it is not loaded, or does not serve
 * the communicator, the function below is a plain MPI_Neighbor_alltoallv_init.
 */
#ifndef NBRHOOD_H
#define NBRHOOD_H

#include <stdint.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* MPI_Neighbor_alltoallv_init with indices of the values: the extension of Collom, Li, Bienz,
 * "Optimizing Irregular Communication with Neighborhood Collectives and Locality-Aware Parallelism"
 * (2023), section 3.3. A value that a rank sends to several ranks of a node then goes to that node
 * once.
 *
 * sendindices: for each element of sendtype that is sent, the number of its value: sendcounts[0]
 * indices for the first neighbour, sendcounts[1] for the second, and so on, without gaps whatever
 * sdispls says. Elements with equal indices must have equal contents at every MPI_Start; any 64-bit
 * numbers will do, e.g. rows of a distributed vector. NULL: no indices; duplicates are found by
 * address only. recvindices: the same for received elements, in the order of recvcounts, or NULL.
 * (The component does not read it: the neighbour and the place in its block identify the value of
 * an element.)
 *
 * All other arguments, the request (MPI_Start, MPI_Wait, MPI_Request_free, ...) and the errors are
 * those of MPI_Neighbor_alltoallv_init. Like that function, it is collective over the ranks that
 * have neighbours. No array is read after the function returns. One rank may pass indices and
 * another none.
 */
int nbrhood_neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[],
                                    const int sdispls[], MPI_Datatype sendtype,
                                    const int64_t sendindices[], void *recvbuf,
                                    const int recvcounts[], const int rdispls[],
                                    MPI_Datatype recvtype, const int64_t recvindices[],
                                    MPI_Comm comm, MPI_Info info, MPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif
