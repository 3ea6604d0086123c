/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Allgathers: the functions of the three slots, and their state on a communicator. */
#ifndef COLL_NBRHOOD_ALLGATHER_H
#define COLL_NBRHOOD_ALLGATHER_H

#include "coll_nbrhood_request.h"

#include "core/capi/nbrhood_allgather.h"

/* ---- coll_nbrhood_allgather.c ---- */

int nbrhood_allgather_call(const void *sbuf, nbrhood_count_t scount, struct ompi_datatype_t *stype,
                           void *rbuf, nbrhood_count_t rcount, struct ompi_datatype_t *rtype,
                           struct ompi_communicator_t *comm, nbrhood_base_module_t *base);
int nbrhood_iallgather_call(const void *sbuf, nbrhood_count_t scount, struct ompi_datatype_t *stype,
                            void *rbuf, nbrhood_count_t rcount, struct ompi_datatype_t *rtype,
                            struct ompi_communicator_t *comm, ompi_request_t **request,
                            nbrhood_base_module_t *base);
int nbrhood_allgather_init_call(const void *sbuf, nbrhood_count_t scount,
                                struct ompi_datatype_t *stype, void *rbuf, nbrhood_count_t rcount,
                                struct ompi_datatype_t *rtype, struct ompi_communicator_t *comm,
                                nbrhood_info_t info, ompi_request_t **request,
                                nbrhood_base_module_t *base);

/* ---- coll_nbrhood_agreement.c ---- */

/* Whether the ranks of the communicator have an agreement on where they run. */
enum { NBRHOOD_ALLGATHERS_NOT_ASKED, NBRHOOD_ALLGATHERS_AGREED, NBRHOOD_ALLGATHERS_NEVER };

typedef struct nbrhood_allgathers_t {
    int state;
    nbrhood_allgather *agreed;
    /* Requests by row. */
    nbrhood_request_t *blocking[NBRHOOD_MOST_ALLGATHER_ROWS];
    nbrhood_request_t *idle[NBRHOOD_MOST_ALLGATHER_ROWS]; /* for nonblocking calls */
    uint32_t nonblocking_calls, persistent_inits;
} nbrhood_allgathers_t;

/* Makes this state if the module has none; false if there is no memory. */
bool nbrhood_allgathers_have(mca_coll_nbrhood_module_t *module);
/* Makes the agreement, or decides that there will be none. Collective over the communicator. */
int nbrhood_allgathers_agree(mca_coll_nbrhood_module_t *module);

void nbrhood_allgathers_free(nbrhood_allgathers_t *allgathers);
/* Leaves allgathers to the displaced module, because a creation found that the component is not
 * on the communicator on all ranks. Fails if there is no memory. */
int nbrhood_allgathers_stay_out(mca_coll_nbrhood_module_t *module);
#endif
