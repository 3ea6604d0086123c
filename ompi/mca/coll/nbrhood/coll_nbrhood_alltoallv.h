/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* MPI_Alltoallv and MPI_Alltoallw: the functions of the six slots, and their state. */
#ifndef COLL_NBRHOOD_ALLTOALLV_H
#define COLL_NBRHOOD_ALLTOALLV_H

#include "coll_nbrhood_pairs.h"

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

typedef struct nbrhood_graph_t nbrhood_graph_t; /* coll_nbrhood_pair_graph.c */

/* The state of one of the two collectives on a communicator. */
typedef struct nbrhood_alltoallvs_t {
    nbrhood_background_t background; /* the messages of surveys */
    mca_coll_nbrhood_module_t *module;
    nbrhood_pair_switch *core; /* NULL: messages between pairs serve all calls */
    nbrhood_pairs_view view;
    uint32_t calls; /* blocking and nonblocking ones that were begun */
    nbrhood_pairs_t *pairs;
    nbrhood_request_t *idle; /* of nonblocking calls */
    nbrhood_graph_t *graph;  /* the newest; NULL: none yet */
} nbrhood_alltoallvs_t;

/* coll_nbrhood_pair_switch.c: what serves a call. `which`: 0 is alltoallv, 1 is alltoallw. */
/* Counts a call and returns what serves it (NBRHOOD_SERVED_...), or an error. */
int nbrhood_alltoallv_serving(mca_coll_nbrhood_module_t *module, int which,
                              const nbrhood_side_t *send, const nbrhood_side_t *receive,
                              int variant);
/* Frees the state of one of the two collectives on a communicator; NULL is allowed. */
void nbrhood_alltoallvs_free(nbrhood_alltoallvs_t *alltoallvs);

/* coll_nbrhood_pair_graph.c: calls that the neighbourhood collective of a graph of pairs serves,
 * with messages of their own for other pairs. */
int nbrhood_graph_run(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                      const nbrhood_side_t *receive);
int nbrhood_graph_begin(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                        const nbrhood_side_t *receive, ompi_request_t **request);
/* Frees a graph and the older ones. */
void nbrhood_graph_free(nbrhood_graph_t *graph);

/* coll_nbrhood_pair_requests.c: requests whose messages are between pairs. */
/* Starts a nonblocking call whose messages are own->pairs. part: a request for the rest of the
 * call, or NULL; belongs to the call then. */
int nbrhood_alltoallv_begin_pairs(nbrhood_alltoallvs_t *own, ompi_request_t *part,
                                  ompi_request_t **request);
/* Makes a persistent request; OMPI_ERR_NOT_AVAILABLE, on all ranks, where tags are used up. */
int nbrhood_alltoallv_init_pairs(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                                 const nbrhood_side_t *receive, ompi_request_t **request);

#endif
