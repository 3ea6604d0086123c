/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Waiting, and messages to users about waits that do not end (coll_nbrhood_waiting.c). */
#ifndef COLL_NBRHOOD_WAITING_H
#define COLL_NBRHOOD_WAITING_H

#include "coll_nbrhood_module.h"

/* Without threads: the begin and end of an operation; a change of the number of messages in
 * flight to and from other nodes. */
void nbrhood_waiting_begin(void);
void nbrhood_waiting_end(void);
void nbrhood_waiting_distant(int change);

/* Seconds since an arbitrary point in time. */
double nbrhood_now(void);
/* Kinds of waits that may not end. */
enum { NBRHOOD_WAIT_CALL, NBRHOOD_WAIT_CREATION, NBRHOOD_WAIT_AGREEMENT, NBRHOOD_WAITS };
typedef void (*nbrhood_tell_t)(const void *context, double seconds);
/* A wait in which other threads, or Open MPI's own functions, make progress. If it takes longer
 * than coll_nbrhood_stall_seconds, progress calls `tell` with the seconds so far, once in a
 * process for each kind of wait. */
typedef struct nbrhood_waiter_t {
    struct nbrhood_waiter_t *next;
    int wait;
    nbrhood_tell_t tell;
    const void *context;
    double since; /* 0: not yet set */
} nbrhood_waiter_t;
void nbrhood_stall_open(void);
void nbrhood_stall_close(void);
void nbrhood_watch(nbrhood_waiter_t *waiter);
void nbrhood_unwatch(const nbrhood_waiter_t *waiter);
/* Waits for a request of a blocking call; calls `tell` likewise. */
void nbrhood_wait(ompi_request_t *request, nbrhood_tell_t tell, const void *context);
/* Waits inside a call of `collective` until known(context): the ranks agree from which call on
 * something else serves it. Tells the user if that takes too long. */
typedef bool (*nbrhood_known_t)(const void *context);
void nbrhood_wait_for_agreement(const mca_coll_nbrhood_module_t *module, int collective,
                                nbrhood_known_t known, const void *context);
/* Tells the user. from: the ranks whose blocks are missing; to: the ranks that did not take this
 * rank's blocks; both as texts from nbrhood_list_rank. */
void nbrhood_tell_stalled(const mca_coll_nbrhood_module_t *module, int collective, double seconds,
                          const char *from, const char *to);
void nbrhood_list_rank(char *text, size_t room, int rank);

#endif
