/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The fifteen entry points: five collectives, each blocking, nonblocking and persistent, as one
 * table. Each either gathers its arguments into a call and runs it, or passes them to the displaced
 * module.
 */
#include "coll_nbrhood_request.h"
#include "coll_nbrhood_topology.h"

static size_t block_bytes(const nbrhood_side_t *side)
{
    size_t size;
    ompi_datatype_type_size(side->type, &size);
    return (size_t) side->count * size;
}

enum { DISPLACED, SERVED }; /* or an error, which is negative */

/* Whether a call is served here, and by which interval of sizes; otherwise the displaced module
 * serves it. */
static inline int serves(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, int variant)
{
    if (NULL == module->calls[call->collective]) {
        if (NULL == module->shared) {
            return DISPLACED;
        }
        const int rc = nbrhood_prepare(module, call->collective);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    call->topology = module->topology;
    if (NULL != module->calls[call->collective]->change.core) {
        nbrhood_count_call(module, call, variant);
    }
    if (1 < nbrhood_intervals(call->topology, call->collective)) {
        call->interval = nbrhood_interval(call->topology, call->collective,
                                          block_bytes(&call->send), block_bytes(&call->receive));
    }
    return nbrhood_serves(call->topology, call->collective) ? SERVED : DISPLACED;
}

/* Member by member: one initialiser would clear the whole call first, which takes as long as
 * sending a small message. */
static inline void fill(nbrhood_call_t *call, int collective, nbrhood_side_t send,
                        nbrhood_side_t receive, nbrhood_info_t info)
{
    call->collective = collective;
    call->interval = 0;
    call->number = 0;
    call->send = send;
    call->receive = receive;
    call->info = info;
    call->mirror = NULL;
    call->on_device = false;
}

/* A row of the table: name, parameters, their names as arguments, and the two sides of the call. */
#define ENTRY_POINTS(name, COLLECTIVE, PARAMETERS, ARGUMENTS, SEND, RECEIVE)                       \
    static int name(PARAMETERS, struct ompi_communicator_t *comm, nbrhood_base_module_t *base)     \
    {                                                                                              \
        mca_coll_nbrhood_module_t *module = (mca_coll_nbrhood_module_t *) base;                    \
        nbrhood_call_t call;                                                                       \
        fill(&call, COLLECTIVE, (nbrhood_side_t) SEND, (nbrhood_side_t) RECEIVE, NULL);            \
        const int served = serves(module, &call, NBRHOOD_BLOCKING);                                \
        if (DISPLACED == served) {                                                                 \
            return module->displaced.coll_##name(ARGUMENTS, comm,                                  \
                                                 module->displaced.coll_##name##_module);          \
        }                                                                                          \
        return served < 0 ? served : nbrhood_run(module, &call);                                   \
    }                                                                                              \
    static int i##name(PARAMETERS, struct ompi_communicator_t *comm, ompi_request_t **request,     \
                       nbrhood_base_module_t *base)                                                \
    {                                                                                              \
        mca_coll_nbrhood_module_t *module = (mca_coll_nbrhood_module_t *) base;                    \
        nbrhood_call_t call;                                                                       \
        fill(&call, COLLECTIVE, (nbrhood_side_t) SEND, (nbrhood_side_t) RECEIVE, NULL);            \
        const int served = serves(module, &call, NBRHOOD_NONBLOCKING);                             \
        if (DISPLACED == served) {                                                                 \
            return module->displaced.coll_i##name(ARGUMENTS, comm, request,                        \
                                                  module->displaced.coll_i##name##_module);        \
        }                                                                                          \
        return served < 0 ? served : nbrhood_begin(module, &call, request);                        \
    }                                                                                              \
    static int name##_init(PARAMETERS, struct ompi_communicator_t *comm, nbrhood_info_t info,      \
                           ompi_request_t **request, nbrhood_base_module_t *base)                  \
    {                                                                                              \
        mca_coll_nbrhood_module_t *module = (mca_coll_nbrhood_module_t *) base;                    \
        nbrhood_call_t call;                                                                       \
        fill(&call, COLLECTIVE, (nbrhood_side_t) SEND, (nbrhood_side_t) RECEIVE, info);            \
        const int served = serves(module, &call, NBRHOOD_PERSISTENT);                              \
        if (DISPLACED != served) {                                                                 \
            const int rc = served < 0 ? served : nbrhood_init(module, &call, request);             \
            if (OMPI_ERR_NOT_AVAILABLE != rc) {                                                    \
                return rc;                                                                         \
            }                                                                                      \
        }                                                                                          \
        return module->displaced.coll_##name##_init(ARGUMENTS, comm, info, request,                \
                                                    module->displaced.coll_##name##_init_module);  \
    }

/* Lets a list with commas pass as one macro argument. */
#define LIST(...) __VA_ARGS__

ENTRY_POINTS(neighbor_allgather, NBRHOOD_ALLGATHER,
             LIST(const void *sbuf, nbrhood_count_t scount, struct ompi_datatype_t *stype,
                  void *rbuf, nbrhood_count_t rcount, struct ompi_datatype_t *rtype),
             LIST(sbuf, scount, stype, rbuf, rcount, rtype),
             LIST({.buffer = sbuf, .count = scount, .type = stype}),
             LIST({.buffer = rbuf, .count = rcount, .type = rtype}))

ENTRY_POINTS(neighbor_allgatherv, NBRHOOD_ALLGATHERV,
             LIST(const void *sbuf, nbrhood_count_t scount, struct ompi_datatype_t *stype,
                  void *rbuf, nbrhood_counts_t rcounts, nbrhood_displacements_t rdisps,
                  struct ompi_datatype_t *rtype),
             LIST(sbuf, scount, stype, rbuf, rcounts, rdisps, rtype),
             LIST({.buffer = sbuf, .count = scount, .type = stype}),
             LIST({.buffer = rbuf, .counts = rcounts, .displacements = rdisps, .type = rtype}))

ENTRY_POINTS(neighbor_alltoall, NBRHOOD_ALLTOALL,
             LIST(const void *sbuf, nbrhood_count_t scount, struct ompi_datatype_t *stype,
                  void *rbuf, nbrhood_count_t rcount, struct ompi_datatype_t *rtype),
             LIST(sbuf, scount, stype, rbuf, rcount, rtype),
             LIST({.buffer = sbuf, .count = scount, .type = stype}),
             LIST({.buffer = rbuf, .count = rcount, .type = rtype}))

ENTRY_POINTS(neighbor_alltoallv, NBRHOOD_ALLTOALLV,
             LIST(const void *sbuf, nbrhood_counts_t scounts, nbrhood_displacements_t sdisps,
                  struct ompi_datatype_t *stype, void *rbuf, nbrhood_counts_t rcounts,
                  nbrhood_displacements_t rdisps, struct ompi_datatype_t *rtype),
             LIST(sbuf, scounts, sdisps, stype, rbuf, rcounts, rdisps, rtype),
             LIST({.buffer = sbuf, .counts = scounts, .displacements = sdisps, .type = stype}),
             LIST({.buffer = rbuf, .counts = rcounts, .displacements = rdisps, .type = rtype}))

ENTRY_POINTS(
    neighbor_alltoallw, NBRHOOD_ALLTOALLW,
    LIST(const void *sbuf, nbrhood_counts_t scounts, nbrhood_byte_displacements_t sdisps,
         nbrhood_types_t stypes, void *rbuf, nbrhood_counts_t rcounts,
         nbrhood_byte_displacements_t rdisps, nbrhood_types_t rtypes),
    LIST(sbuf, scounts, sdisps, stypes, rbuf, rcounts, rdisps, rtypes),
    LIST({.buffer = sbuf, .counts = scounts, .byte_displacements = sdisps, .types = stypes}),
    LIST({.buffer = rbuf, .counts = rcounts, .byte_displacements = rdisps, .types = rtypes}))

void mca_coll_nbrhood_set_functions(mca_coll_base_module_t *module)
{
#define SET(name)                                                                                  \
    module->coll_##name = name;                                                                    \
    module->coll_i##name = i##name;                                                                \
    module->coll_##name##_init = name##_init;
    SET(neighbor_allgather)
    SET(neighbor_allgatherv)
    SET(neighbor_alltoall)
    SET(neighbor_alltoallv)
    SET(neighbor_alltoallw)
}
