/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Calls of alltoallv and alltoallw in which only pairs of ranks with bytes exchange messages
 * (coll_nbrhood_pairs.c), and how these are found (coll_nbrhood_pair_walk.c). */
#ifndef COLL_NBRHOOD_PAIRS_H
#define COLL_NBRHOOD_PAIRS_H

#include "coll_nbrhood_request.h"

#include "core/capi/nbrhood_pairs.h"

/* One end of a message, at this rank. */
typedef struct nbrhood_pair_t {
    void *address;
    size_t count;
    ompi_datatype_t *type;
    int rank; /* the other end */
} nbrhood_pair_t;

/* The messages of a call at this rank; all zero at first. */
struct nbrhood_pairs_t {
    size_t receives, sends, room;
    nbrhood_pair_t *list;      /* receives, then sends, without this rank's own block */
    ompi_request_t **requests; /* of a blocking call */
    nbrhood_pair_t from, to;   /* its own block; the count of one without bytes is 0 */
    uint64_t bytes;            /* sent to other ranks */
    int distant;               /* messages to and from other nodes */
};

/* The ranks of a graph of pairs. */
typedef struct nbrhood_graph_ranks_t {
    nbrhood_rank_list_t to, from;
} nbrhood_graph_ranks_t;

/* Finds the messages of a call; fails for want of memory. skip: ranks that another request serves,
 * or NULL. */
int nbrhood_pairs_find(const mca_coll_nbrhood_module_t *module, const nbrhood_side_t *send,
                       const nbrhood_side_t *receive, const nbrhood_graph_ranks_t *skip,
                       nbrhood_pairs_t *pairs);
/* Finds them, and adds their pairs to those of earlier calls, for a survey. */
int nbrhood_pairs_note(const mca_coll_nbrhood_module_t *module, const nbrhood_side_t *send,
                       const nbrhood_side_t *receive, nbrhood_pairs_t *pairs,
                       nbrhood_pair_switch *core);
/* Frees the messages; NULL is allowed. */
void nbrhood_pairs_free(nbrhood_pairs_t *pairs);
/* A blocking call: posts its messages, or returns an error after those that could be posted; and
 * waits for the first `posted` of them. Both return the first error, `error` if there was one. */
int nbrhood_pairs_post(const mca_coll_nbrhood_module_t *module, int tag, nbrhood_pairs_t *pairs,
                       size_t *posted);
int nbrhood_pairs_wait(const mca_coll_nbrhood_module_t *module, int collective,
                       const nbrhood_pairs_t *pairs, size_t posted, int error);
/* Copies this rank's own block. */
int nbrhood_pairs_copy(const nbrhood_pairs_t *pairs);
/* For the performance variable: a call that messages between pairs, or a graph, serve. */
void nbrhood_pairs_count_call(void);
/* Starts a call that does not block, with the tag of the request; fails for want of memory. It
 * ends after request->part, if that is set. */
int nbrhood_pairs_begin(nbrhood_request_t *request, const nbrhood_pairs_t *pairs);
/* Starts persistent requests, whose messages are request->pairs. */
int nbrhood_pairs_start(size_t count, ompi_request_t **requests);

#endif
