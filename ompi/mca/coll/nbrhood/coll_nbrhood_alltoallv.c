/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The entry points of MPI_Alltoallv and MPI_Alltoallw, with their nonblocking and persistent
 * variants, and the calls that messages between pairs with bytes serve. The module takes these
 * slots only on communicators that span nodes; their creation costs nothing more.
 */
#include "coll_nbrhood_alltoallv.h"
#include "core/capi/nbrhood_tags.h"

/* ---- Calls that messages between the pairs serve ---- */

static int run_pairs(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                     const nbrhood_side_t *receive)
{
    size_t posted = 0;
    int rc = nbrhood_pairs_find(own->module, send, receive, NULL, own->pairs);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = nbrhood_pairs_post(own->module, nbrhood_tag_alltoallv(), own->pairs, &posted);
    return nbrhood_pairs_wait(own->module, own->background.collective, own->pairs, posted, rc);
}

static int begin_pairs(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                       const nbrhood_side_t *receive, ompi_request_t **request)
{
    const int rc = nbrhood_pairs_find(own->module, send, receive, NULL, own->pairs);
    return OMPI_SUCCESS == rc ? nbrhood_alltoallv_begin_pairs(own, NULL, request) : rc;
}

/* ---- What serves a call ---- */

static int run(nbrhood_alltoallvs_t *own, int served, const nbrhood_side_t *send,
               const nbrhood_side_t *receive)
{
    if (served < 0) {
        return served;
    }
    nbrhood_pairs_count_call();
    return NBRHOOD_SERVED_BY_GRAPH == served ? nbrhood_graph_run(own, send, receive)
                                             : run_pairs(own, send, receive);
}

static int begin(nbrhood_alltoallvs_t *own, int served, const nbrhood_side_t *send,
                 const nbrhood_side_t *receive, ompi_request_t **request)
{
    if (served < 0) {
        return served;
    }
    nbrhood_pairs_count_call();
    return NBRHOOD_SERVED_BY_GRAPH == served ? nbrhood_graph_begin(own, send, receive, request)
                                             : begin_pairs(own, send, receive, request);
}

/* ---- The entry points ---- */

#define ALLTOALLV_ARGUMENTS sbuf, scounts, sdisps, stype, rbuf, rcounts, rdisps, rtype
#define ALLTOALLW_ARGUMENTS sbuf, scounts, sdisps, stypes, rbuf, rcounts, rdisps, rtypes
#define ALLTOALLV_SIDE(s)                                                                          \
    {                                                                                              \
        .buffer = s##buf, .counts = s##counts, .displacements = s##disps, .type = s##type          \
    }
/* Displacements are in bytes. */
#define ALLTOALLW_SIDE(s)                                                                          \
    {                                                                                              \
        .buffer = s##buf, .counts = s##counts, .displacements = s##disps, .in_bytes = true,        \
        .types = s##types                                                                          \
    }

/* The module of a call, its sides, and what serves it. */
#define CALL(which, SIDE, variant)                                                                 \
    mca_coll_nbrhood_module_t *module = (mca_coll_nbrhood_module_t *) base;                        \
    nbrhood_side_t send = {.buffer = NULL}, receive = {.buffer = NULL};                            \
    int served = NBRHOOD_SERVED_DISPLACED;                                                         \
    if (!module->alltoallvs_displaced[which]) {                                                    \
        send = (nbrhood_side_t) SIDE(s);                                                           \
        receive = (nbrhood_side_t) SIDE(r);                                                        \
        served = nbrhood_alltoallv_serving(module, which, &send, &receive, variant);               \
    }

#define ENTRY_POINTS(name, NAME, which)                                                            \
    int nbrhood_##name##_call(NBRHOOD_##NAME##_PARAMETERS, struct ompi_communicator_t *comm,       \
                              nbrhood_base_module_t *base)                                         \
    {                                                                                              \
        CALL(which, NAME##_SIDE, NBRHOOD_BLOCKING)                                                 \
        if (NBRHOOD_SERVED_DISPLACED == served) {                                                  \
            return module->displaced.coll_##name(NAME##_ARGUMENTS, comm,                           \
                                                 module->displaced.coll_##name##_module);          \
        }                                                                                          \
        return run(module->alltoallvs[which], served, &send, &receive);                            \
    }                                                                                              \
    int nbrhood_i##name##_call(NBRHOOD_##NAME##_PARAMETERS, struct ompi_communicator_t *comm,      \
                               ompi_request_t **request, nbrhood_base_module_t *base)              \
    {                                                                                              \
        CALL(which, NAME##_SIDE, NBRHOOD_NONBLOCKING)                                              \
        if (NBRHOOD_SERVED_DISPLACED == served) {                                                  \
            return module->displaced.coll_i##name(NAME##_ARGUMENTS, comm, request,                 \
                                                  module->displaced.coll_i##name##_module);        \
        }                                                                                          \
        return begin(module->alltoallvs[which], served, &send, &receive, request);                 \
    }                                                                                              \
    int nbrhood_##name##_init_call(NBRHOOD_##NAME##_PARAMETERS, struct ompi_communicator_t *comm,  \
                                   nbrhood_info_t info, ompi_request_t **request,                  \
                                   nbrhood_base_module_t *base)                                    \
    {                                                                                              \
        CALL(which, NAME##_SIDE, NBRHOOD_PERSISTENT)                                               \
        if (NBRHOOD_SERVED_DISPLACED != served) {                                                  \
            const int rc = served < 0 ? served                                                     \
                                      : nbrhood_alltoallv_init_pairs(module->alltoallvs[which],    \
                                                                     &send, &receive, request);    \
            if (OMPI_ERR_NOT_AVAILABLE != rc) {                                                    \
                return rc;                                                                         \
            }                                                                                      \
        }                                                                                          \
        return module->displaced.coll_##name##_init(NAME##_ARGUMENTS, comm, info, request,         \
                                                    module->displaced.coll_##name##_init_module);  \
    }

ENTRY_POINTS(alltoallv, ALLTOALLV, 0)
ENTRY_POINTS(alltoallw, ALLTOALLW, 1)
