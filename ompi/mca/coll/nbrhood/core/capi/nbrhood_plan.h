/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Plans: the calls of a collective, and their messages. */
#ifndef NBRHOOD_PLAN_H
#define NBRHOOD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nbrhood_topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Variants of the calls of a collective. */
enum { NBRHOOD_BLOCKING, NBRHOOD_NONBLOCKING, NBRHOOD_PERSISTENT };

typedef struct nbrhood_block {
    void *address;
    size_t count;
    const void *type;
    size_t bytes;
    char *data; /* NULL unless contiguous */
} nbrhood_block;

/* A message of a call that is one message of a whole block for each edge, and needs no plan. */
typedef struct nbrhood_direct_message {
    int peer;       /* of a copy: this rank */
    uint32_t block; /* of the send buffer; of a receive: the slot */
    uint32_t slot;  /* of a copy: the destination */
} nbrhood_direct_message;
typedef struct nbrhood_direct {
    size_t receives, sends, copies;
    nbrhood_direct_message *messages; /* receives, sends and copies, each in posting order */
} nbrhood_direct;
/* Whether calls with blocks of that interval need no plan. */
bool nbrhood_is_direct(const nbrhood_topology *topology, int collective, int interval);
/* How calls with blocks of that interval handle the bytes of blocks, apart from sending them from
 * one buffer and receiving them into another: a sum of these values, or 0. */
enum {
    NBRHOOD_TOUCHES = 1, /* bytes are copied to memory of the plan and from it */
    NBRHOOD_CUTS = 2,    /* the same for bytes of noncontiguous blocks */
    NBRHOOD_COPIES = 4   /* bytes are copied from the send buffer to a slot */
};
int nbrhood_handling(const nbrhood_topology *topology, int collective, int interval);
/* The messages of calls that nbrhood_is_direct names, or NULL when there is no memory. */
nbrhood_direct *nbrhood_direct_create(const nbrhood_topology *topology, int collective,
                                      int interval);
void nbrhood_direct_destroy(nbrhood_direct *direct);

typedef struct nbrhood_plan nbrhood_plan;

/* A message given to the transport; `request` is the transport's. */
typedef struct nbrhood_token {
    void *plan;
    uint32_t index;
    uint32_t kind;
    bool distant; /* for the glue's own use, as the next field */
    void *request;
} nbrhood_token;

/* See class Transport. `context` is the one given to nbrhood_plan_create. */
typedef struct nbrhood_transport {
    int (*send_bytes)(void *context, const void *from, size_t bytes, int peer, int tag,
                      nbrhood_token *token);
    int (*receive_bytes)(void *context, void *to, size_t capacity, int peer, int tag,
                         nbrhood_token *token);
    int (*send_block)(void *context, const nbrhood_block *block, int peer, int tag,
                      nbrhood_token *token);
    int (*receive_block)(void *context, const nbrhood_block *block, int peer, int tag,
                         nbrhood_token *token);
    int (*copy_block)(void *context, const nbrhood_block *from, const nbrhood_block *to);
    int (*pack)(void *context, const nbrhood_block *from, void *to);
    int (*unpack)(void *context, const void *from, size_t bytes, const nbrhood_block *to);
    /* Calls take(sink, at, bytes) for each segment of a block in order. False if the block has
     * more than `most` segments; then some may have been taken. */
    bool (*flatten)(void *context, const nbrhood_block *block, size_t most,
                    bool (*take)(void *sink, void *at, size_t bytes), void *sink);
    void (*cancel)(void *context, nbrhood_token *token);
    int (*mismatch)(void *context, int peer, const char *fault, const char *got,
                    const char *expected);
    int (*truncated)(void *context, int source, int peer, size_t sent, size_t expected);
    /* error 0: the error is unknown, and so are the two ranks */
    int (*failed_before)(void *context, int peer, int error, int at, int with, bool only_relayed);
    int (*out_of_memory)(void *context);
    /* Aborts the program: there is no memory to continue an operation in progress. */
    void (*abandon)(void *context);
    void (*finished)(void *context, int error);
} nbrhood_transport;

/* Makes a plan for calls that a pattern serves (nbrhood_serves). A plan for NBRHOOD_BLOCKING
 * performs all blocking calls of the interval, since it remembers which blocks were large. NULL
 * if there is no memory. The topology need not outlive the plan. */
nbrhood_plan *nbrhood_plan_create(const nbrhood_topology *topology, int collective, int interval,
                                  int variant, const nbrhood_transport *transport, void *context);
void nbrhood_plan_destroy(nbrhood_plan *plan);
/* The arrays of blocks to fill before starting. */
nbrhood_block *nbrhood_plan_send_blocks(nbrhood_plan *plan);
nbrhood_block *nbrhood_plan_receive_blocks(nbrhood_plan *plan);
/* To be called if blocks have changed since they were first filled. For a persistent request's
 * plan this needs nbrhood_plan_keep_layout before the first start. */
void nbrhood_plan_rebind(nbrhood_plan *plan);
void nbrhood_plan_keep_layout(nbrhood_plan *plan);
/* Gives a new plan the blocks of another one of the same collective. */
void nbrhood_plan_copy_blocks(nbrhood_plan *plan, const nbrhood_plan *from);
/* To be called instead if the buffers only moved, by these distances; changes the arrays, too. */
void nbrhood_plan_move(nbrhood_plan *plan, ptrdiff_t send, ptrdiff_t receive);
/* For persistent requests, once the blocks are filled: finds bytes that the send blocks share;
 * see Plan::find_shared. indices: NULL, or one for each element of the send blocks; not kept.
 * False if there is no memory. */
bool nbrhood_plan_find_shared(nbrhood_plan *plan, const int64_t *indices);
/* Starts the operation; see Plan::start. Ends with transport->finished, perhaps during this call.
 */
void nbrhood_plan_start(nbrhood_plan *plan, int tag_base, uint32_t sequence);
/* A message is complete. */
void nbrhood_completed(nbrhood_token *token, int error, size_t bytes);
size_t nbrhood_plan_memory(const nbrhood_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
