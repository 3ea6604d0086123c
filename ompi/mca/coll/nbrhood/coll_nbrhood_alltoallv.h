/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* MPI_Alltoallv and MPI_Alltoallw: the functions of the six slots, and the end of their state. */
#ifndef COLL_NBRHOOD_ALLTOALLV_H
#define COLL_NBRHOOD_ALLTOALLV_H

#include "coll_nbrhood_module.h"

/* The arguments of either collective, as Open MPI passes them. */
#define NBRHOOD_ALLTOALLV_PARAMETERS                                                               \
    const void *sbuf, nbrhood_counts_t scounts, nbrhood_displacements_t sdisps,                    \
        struct ompi_datatype_t *stype, void *rbuf, nbrhood_counts_t rcounts,                       \
        nbrhood_displacements_t rdisps, struct ompi_datatype_t *rtype
#define NBRHOOD_ALLTOALLW_PARAMETERS                                                               \
    const void *sbuf, nbrhood_counts_t scounts, nbrhood_displacements_t sdisps,                    \
        nbrhood_types_t stypes, void *rbuf, nbrhood_counts_t rcounts,                              \
        nbrhood_displacements_t rdisps, nbrhood_types_t rtypes

int nbrhood_alltoallv_call(NBRHOOD_ALLTOALLV_PARAMETERS, struct ompi_communicator_t *comm,
                           nbrhood_base_module_t *base);
int nbrhood_ialltoallv_call(NBRHOOD_ALLTOALLV_PARAMETERS, struct ompi_communicator_t *comm,
                            ompi_request_t **request, nbrhood_base_module_t *base);
int nbrhood_alltoallv_init_call(NBRHOOD_ALLTOALLV_PARAMETERS, struct ompi_communicator_t *comm,
                                nbrhood_info_t info, ompi_request_t **request,
                                nbrhood_base_module_t *base);
int nbrhood_alltoallw_call(NBRHOOD_ALLTOALLW_PARAMETERS, struct ompi_communicator_t *comm,
                           nbrhood_base_module_t *base);
int nbrhood_ialltoallw_call(NBRHOOD_ALLTOALLW_PARAMETERS, struct ompi_communicator_t *comm,
                            ompi_request_t **request, nbrhood_base_module_t *base);
int nbrhood_alltoallw_init_call(NBRHOOD_ALLTOALLW_PARAMETERS, struct ompi_communicator_t *comm,
                                nbrhood_info_t info, ompi_request_t **request,
                                nbrhood_base_module_t *base);

/* Frees the state of one of the two collectives on a communicator; NULL is allowed. */
void nbrhood_alltoallvs_free(struct nbrhood_alltoallvs_t *alltoallvs);

#endif
