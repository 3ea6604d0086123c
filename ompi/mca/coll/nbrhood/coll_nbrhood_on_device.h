/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Decides which calls with buffers in device memory stay on the device, and which get mirrors. */
#ifndef COLL_NBRHOOD_ON_DEVICE_H
#define COLL_NBRHOOD_ON_DEVICE_H

#include "coll_nbrhood_request.h"

/* coll_nbrhood_device.c: the blocks on the device that the PML takes. */
typedef enum nbrhood_pml_reach_t {
    NBRHOOD_PML_TAKES_NONE,
    NBRHOOD_PML_TAKES_CONTIGUOUS, /* and Open MPI's own copies take none */
    NBRHOOD_PML_TAKES_ALL         /* and Open MPI's own copies take all */
} nbrhood_pml_reach_t;
/* Requires a device. Not to be called from progress, because the first call may ask UCX. */
nbrhood_pml_reach_t nbrhood_pml_reach(void);

/* coll_nbrhood_on_device.c. All functions require a device. */
/* Prepares a call that is not persistent: its blocks stay on the device (call->on_device), or it
 * becomes a call on host memory, with a mirror that has the data to send. */
int nbrhood_enter_call(const mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, int variant);
/* Called before a request whose blocks are on the device gets a plan that needs host memory.
 * Gives the request a mirror with the data to send. The lock is not held; not to be called from
 * progress. */
int nbrhood_request_leave_device(nbrhood_request_t *request);

/* Remembers the program's blocks of a persistent request. The plan is bound to them now. */
int nbrhood_request_keep_origin(nbrhood_request_t *request);
/* Called after that, and before each start: finds where the blocks are now. They stay on the
 * device, or the request gets a mirror if it needs one. Copies nothing. Not to be called from
 * progress. */
int nbrhood_request_look(nbrhood_request_t *request);
void nbrhood_origin_free(nbrhood_origin_t *origin);

#endif
