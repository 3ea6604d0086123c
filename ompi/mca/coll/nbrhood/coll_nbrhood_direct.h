/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Calls that are one message for each edge (coll_nbrhood_direct.c). */
#ifndef COLL_NBRHOOD_DIRECT_H
#define COLL_NBRHOOD_DIRECT_H

#include "coll_nbrhood_request.h"

/* Called for each message that is posted. */
typedef void (*nbrhood_keep_t)(void *context, ompi_request_t *message);

/* Keeps the first error in *error. */
void nbrhood_note_error(int rc, int *error);

/* The messages of a blocking call in the order in which they were posted, receives first. */
typedef struct nbrhood_posted_t {
    const mca_coll_nbrhood_module_t *module;
    int collective;
    ompi_request_t **requests;
    size_t count, receives;
    int (*peer)(const void *messages, size_t i); /* the other end of message i */
    const void *messages;
} nbrhood_posted_t;
/* Keeps a request at *context, an ompi_request_t **, which it advances. */
void nbrhood_keep_in_order(void *context, ompi_request_t *message);
/* Waits for the messages and frees their requests. Returns the first error, `error` if there was
 * one already. If the wait takes too long, tells the user of which ranks it still waits. */
int nbrhood_wait_for_posted(const nbrhood_posted_t *posted, int error);

/* The messages of a nonblocking or persistent call without a plan. `distant`: the number of its
 * messages to and from other nodes. */
typedef struct nbrhood_posting_t {
    void (*post)(const nbrhood_request_t *request, void *context, nbrhood_keep_t keep, void *kept,
                 int *error);
    void *context;
    int distant;
} nbrhood_posting_t;
/* Starts such a call; under MPI_THREAD_MULTIPLE request->posted has room for its messages. */
void nbrhood_start_posting(nbrhood_request_t *request, const nbrhood_posting_t *posting);

/* Finds the module's state for such calls; NULL if this call needs a plan. Fails if there is no
 * memory. */
int nbrhood_find_direct(mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                        nbrhood_direct_calls_t **direct);
int nbrhood_run_direct(mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                       nbrhood_direct_calls_t *calls);
/* Gives a request the arrays for such a call; false if there is no memory. */
bool nbrhood_direct_room(nbrhood_request_t *request, const nbrhood_direct_calls_t *calls);
/* Starts a nonblocking call. */
void nbrhood_start_direct(nbrhood_request_t *request, const nbrhood_call_t *call,
                          const nbrhood_direct_calls_t *calls);
/* Under MPI_THREAD_MULTIPLE: tests whether the call is complete; the lock is held. */
void nbrhood_look_at_posted(nbrhood_request_t *request);
void nbrhood_direct_calls_free(nbrhood_direct_calls_t *calls);

#endif
