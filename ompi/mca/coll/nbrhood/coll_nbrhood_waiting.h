/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Waiting, and what users are told of waits that do not end (coll_nbrhood_waiting.c). */
#ifndef COLL_NBRHOOD_WAITING_H
#define COLL_NBRHOOD_WAITING_H

#include "coll_nbrhood_module.h"

/* Without threads, an operation begins and ends; messages in flight to and from other nodes become
 * more or fewer. */
void nbrhood_waiting_begin(void);
void nbrhood_waiting_end(void);
void nbrhood_waiting_distant(int change);

/* Seconds since an arbitrary point in time. */
double nbrhood_now(void);
/* Kinds of waits that may not end. */
enum { NBRHOOD_WAIT_CALL, NBRHOOD_WAIT_CREATION, NBRHOOD_WAITS };
typedef void (*nbrhood_tell_t)(const void *context, double seconds);
/* A wait in which others, or Open MPI's own functions, make progress. Once in a process for each
 * kind of wait, whoever makes progress calls tell with the seconds so far when it takes longer than
 * coll_nbrhood_stall_seconds. */
typedef struct nbrhood_waiter_t {
    struct nbrhood_waiter_t *next;
    int wait;
    nbrhood_tell_t tell;
    const void *context;
    double since; /* 0: nobody has looked yet */
} nbrhood_waiter_t;
void nbrhood_stall_open(void);
void nbrhood_stall_close(void);
void nbrhood_watch(nbrhood_waiter_t *waiter);
void nbrhood_unwatch(const nbrhood_waiter_t *waiter);
/* Waits for a request of a blocking call, and tells likewise. */
void nbrhood_wait(ompi_request_t *request, nbrhood_tell_t tell, const void *context);
/* Tells the user; from, to: the ranks of which blocks are missing, and those that did not take this
 * rank's, as nbrhood_list_rank appends them to texts. */
void nbrhood_tell_stalled(const mca_coll_nbrhood_module_t *module, int collective, double seconds,
                          const char *from, const char *to);
void nbrhood_list_rank(char *text, size_t room, int rank);

#endif
