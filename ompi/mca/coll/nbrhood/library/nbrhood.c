/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

#include "nbrhood.h"

#include <stdio.h>

#include "nbrhood_indices.h"

/* Open MPI 5.0 still says MPI 3.1 but has the names of MPI 4; 4.1 has them as an extension. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define ALLTOALLV_INIT MPI_Neighbor_alltoallv_init
#else
#include <mpi-ext.h>
#define ALLTOALLV_INIT MPIX_Neighbor_alltoallv_init
#endif

int nbrhood_neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[],
                                    const int sdispls[], MPI_Datatype sendtype,
                                    const int64_t sendindices[], void *recvbuf,
                                    const int recvcounts[], const int rdispls[],
                                    MPI_Datatype recvtype, const int64_t recvindices[],
                                    MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const nbrhood_indices_t indices = {NBRHOOD_INDICES_MARK, sendindices};
    MPI_Info own = MPI_INFO_NULL;
    char address[32];
    (void) recvindices;
    if (NULL == sendindices) {
        return ALLTOALLV_INIT(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype, comm, info, request);
    }
    int error = MPI_INFO_NULL == info ? MPI_Info_create(&own) : MPI_Info_dup(info, &own);
    if (MPI_SUCCESS != error) {
        return error;
    }
    snprintf(address, sizeof address, "%p", (const void *) &indices);
    error = MPI_Info_set(own, NBRHOOD_INDICES_KEY, address);
    if (MPI_SUCCESS == error) {
        error = ALLTOALLV_INIT(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                               recvtype, comm, own, request);
    }
    MPI_Info_free(&own);
    return error;
}
