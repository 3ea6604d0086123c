/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Calls and their requests. */
#ifndef COLL_NBRHOOD_REQUEST_H
#define COLL_NBRHOOD_REQUEST_H

#include "coll_nbrhood_switch.h"

#include "core/capi/nbrhood_plan.h"

#include "ompi/request/request.h"

typedef struct nbrhood_direct_calls_t nbrhood_direct_calls_t; /* coll_nbrhood_direct.c */

/* The calls of one collective on a communicator. */
typedef struct nbrhood_calls_t {
    nbrhood_switch_t change;
    /* All arrays are by interval of sizes. */
    uint32_t blocking_calls; /* that used a plan */
    nbrhood_direct_calls_t *direct[NBRHOOD_INTERVALS];
    struct nbrhood_request_t *blocking[NBRHOOD_INTERVALS];
    struct nbrhood_request_t *idle[NBRHOOD_INTERVALS]; /* for nonblocking calls */
} nbrhood_calls_t;

/* The arguments of a call of any of the fifteen entry points. */
typedef struct nbrhood_side_t {
    const void *buffer;
    nbrhood_count_t count; /* if counts is absent */
    nbrhood_counts_t counts;
    nbrhood_displacements_t displacements; /* in extents; absent: blocks are consecutive */
    bool in_bytes;                         /* displacements are in bytes */
    nbrhood_byte_displacements_t byte_displacements;
    ompi_datatype_t *type; /* if types is NULL */
    nbrhood_types_t types;
    /* The entries of the arrays that describe the blocks, one for each block; NULL: the first ones.
     * Does not apply to byte_displacements. */
    const int *entries;
} nbrhood_side_t;

typedef struct nbrhood_pairs_t nbrhood_pairs_t;   /* coll_nbrhood_pairs.c */
typedef struct nbrhood_mirror_t nbrhood_mirror_t; /* coll_nbrhood_mirror.c */
typedef struct nbrhood_origin_t nbrhood_origin_t; /* coll_nbrhood_on_device.c */

typedef struct nbrhood_call_t {
    int collective;
    nbrhood_topology *topology; /* with `interval`: the programs that serve the call */
    int interval;
    uint32_t number; /* of a nonpersistent call, if a pattern may be built */
    nbrhood_side_t send, receive;
    nbrhood_info_t info;      /* of an init */
    nbrhood_mirror_t *mirror; /* NULL: the buffers are the program's */
    bool on_device;           /* the PML gets addresses on a device */
} nbrhood_call_t;

/* A request: a plan and MPI's request around it. Blocking calls use one internally. */
typedef struct nbrhood_request_t {
    ompi_coll_base_nbc_request_t super;
    opal_list_item_t active_item; /* in nbrhood_state.active, under MPI_THREAD_MULTIPLE */
    mca_coll_nbrhood_module_t *module;
    ompi_communicator_t *comm;  /* retained from start (persistent: init) to free */
    nbrhood_plan *plan;         /* NULL if no call has needed it yet */
    nbrhood_topology *topology; /* of the plan */
    bool direct;                /* the plan is one message for each edge */
    bool bypasses_plan;         /* the current call does not use the plan */
    int collective;             /* a neighbourhood collective, or one of all ranks */
    int interval;
    struct nbrhood_request_t **home; /* its list when it is idle */
    struct nbrhood_request_t *next_idle;
    uint32_t number;      /* of the communicator's persistent requests, or of the call */
    nbrhood_call_t bound; /* the call to whose arguments the plan is bound */
    bool bound_simply;    /* equal arguments would give the same blocks */
    int tag;              /* persistent: the tag of all its starts */
    uint32_t sequence;    /* of the next start, with this tag; persistent: number of starts */
    uint32_t starts;      /* of the plan, in all calls that used it */
    bool is_final;        /* persistent: its algorithm never changes again */
    size_t plan_bytes;    /* of the plan's buffers, when last measured */
    int error;
    bool finished;
    /* Progress polls the messages of this start, because there are threads. In Open MPI 5.0 a
     * session can turn threads on while an operation that is not polled is in flight. */
    bool polled;
    nbrhood_mirror_t *mirror; /* of buffers on a device, until completion or free */
    bool on_device;           /* some of the plan's blocks are on a device */
    nbrhood_origin_t *origin; /* persistent, with a device: the program's blocks */
    ompi_datatype_t **types;  /* retained until free */
    size_t types_count;
    int64_t *indices; /* of the init call, for later plans; NULL: none */
    /* Under MPI_THREAD_MULTIPLE: messages in flight. */
    nbrhood_token **flying;
    size_t flying_count, flying_room;
    /* The same for calls without a plan. If there are no threads, only the number of messages is
     * kept, plus one until all are posted. */
    ompi_request_t **posted;
    size_t posted_count;
    int distant;            /* those to and from other nodes */
    nbrhood_pairs_t *pairs; /* persistent, of an alltoallv or alltoallw: its messages */
    /* A request of its own for a part of the call; freed with this one. */
    ompi_request_t *part;
} nbrhood_request_t;
OBJ_CLASS_DECLARATION(nbrhood_request_t);

static inline nbrhood_request_t *nbrhood_request_of(opal_list_item_t *active_item)
{
    return (nbrhood_request_t *) ((char *) active_item - offsetof(nbrhood_request_t, active_item));
}

/* coll_nbrhood_request.c: blocking and nonblocking calls. */
int nbrhood_run(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call);
int nbrhood_begin(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call,
                  ompi_request_t **request);

/* Makes the module's state for the calls of a collective; NULL if there is no memory. */
nbrhood_calls_t *nbrhood_calls_make(mca_coll_nbrhood_module_t *module, int collective);
void nbrhood_calls_free(nbrhood_calls_t *calls);

/* For requests of any kind: takes an idle request from a list, NULL if there is none; frees the
 * requests of a list. */
nbrhood_request_t *nbrhood_request_take(nbrhood_request_t **idle);
void nbrhood_requests_free(nbrhood_request_t **idle);
/* Makes a request with a plan for calls of a variant; NULL if there is no memory. */
nbrhood_request_t *nbrhood_request_make(mca_coll_nbrhood_module_t *module,
                                        const nbrhood_call_t *call, int variant);
/* Prepares a request for a nonpersistent call. */
void nbrhood_request_open(nbrhood_request_t *request);

/* Retains datatypes until the request is freed: of a list, or of the blocks to which its plan is
 * bound. */
int nbrhood_request_retain(nbrhood_request_t *request, ompi_datatype_t *const *types, size_t count);
int nbrhood_request_retain_bound(nbrhood_request_t *request);

/* coll_nbrhood_persistent.c: persistent calls. */
int nbrhood_init(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, ompi_request_t **request);
/* Makes a request persistent: all its starts have this tag; retains the communicator and the
 * types. */
int nbrhood_request_keep(nbrhood_request_t *request, int tag, ompi_datatype_t *const *types,
                         size_t count);

#endif
