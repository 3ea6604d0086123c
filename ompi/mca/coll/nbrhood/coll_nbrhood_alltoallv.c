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

static nbrhood_request_t *new_request(nbrhood_alltoallvs_t *own)
{
    nbrhood_request_t *request = OBJ_NEW(nbrhood_request_t);
    if (NULL != request) {
        request->module = own->module;
        request->comm = own->module->comm;
        request->collective = own->background.collective;
        request->home = &own->idle;
    }
    return request;
}

int nbrhood_alltoallv_begin_pairs(nbrhood_alltoallvs_t *own, ompi_request_t *part,
                                  ompi_request_t **request)
{
    ompi_communicator_t *comm = own->module->comm;
    nbrhood_request_t *made = nbrhood_request_take(&own->idle);
    if (NULL == made) {
        made = new_request(own);
    }
    if (NULL == made) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    nbrhood_request_open(made);
    made->tag = nbrhood_tag_alltoallv();
    made->part = part;
    OBJ_RETAIN(comm); /* the application may free it while the operation is in flight */
    const int rc = nbrhood_pairs_begin(made, own->pairs);
    if (OMPI_SUCCESS != rc) {
        made->part = NULL;
        OMPI_REQUEST_FINI(&made->super.super);
        OBJ_RELEASE(made);
        OBJ_RELEASE(comm);
        return rc;
    }
    *request = &made->super.super;
    return OMPI_SUCCESS;
}

static int begin_pairs(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                       const nbrhood_side_t *receive, ompi_request_t **request)
{
    const int rc = nbrhood_pairs_find(own->module, send, receive, NULL, own->pairs);
    return OMPI_SUCCESS == rc ? nbrhood_alltoallv_begin_pairs(own, NULL, request) : rc;
}

/* Keeps the messages of a persistent request, and the datatypes of its blocks. */
static int keep(nbrhood_request_t *request, int tag, const nbrhood_side_t *send,
                const nbrhood_side_t *receive)
{
    nbrhood_pairs_t *pairs = request->pairs = calloc(1, sizeof *request->pairs);
    int rc = NULL != pairs ? nbrhood_pairs_find(request->module, send, receive, NULL, pairs)
                           : OMPI_ERR_OUT_OF_RESOURCE;
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    size_t count = 0;
    ompi_datatype_t **types = malloc((pairs->receives + pairs->sends + 2) * sizeof *types);
    if (NULL == types) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (size_t i = 0; i < pairs->receives + pairs->sends; ++i) {
        types[count++] = pairs->list[i].type;
    }
    if (0 != pairs->to.count) {
        types[count++] = pairs->to.type;
    }
    if (0 != pairs->from.count) {
        types[count++] = pairs->from.type;
    }
    rc = nbrhood_request_keep(request, tag, types, count);
    free(types);
    request->super.super.req_start = nbrhood_pairs_start;
    return rc;
}

static int init_pairs(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                      const nbrhood_side_t *receive, ompi_request_t **request)
{
    const uint32_t number =
        (uint32_t) OPAL_THREAD_ADD_FETCH32((int32_t *) &own->module->alltoallv_inits, 1) - 1;
    const int tag = nbrhood_tag_alltoallv_init(number);
    if (0 == tag) {
        return OMPI_ERR_NOT_AVAILABLE; /* on all ranks */
    }
    nbrhood_request_t *made = new_request(own);
    if (NULL == made) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const int rc = keep(made, tag, send, receive);
    if (OMPI_SUCCESS != rc) {
        OBJ_RELEASE(made);
        return rc;
    }
    *request = &made->super.super;
    return OMPI_SUCCESS;
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
            const int rc = served < 0                                                              \
                               ? served                                                            \
                               : init_pairs(module->alltoallvs[which], &send, &receive, request);  \
            if (OMPI_ERR_NOT_AVAILABLE != rc) {                                                    \
                return rc;                                                                         \
            }                                                                                      \
        }                                                                                          \
        return module->displaced.coll_##name##_init(NAME##_ARGUMENTS, comm, info, request,         \
                                                    module->displaced.coll_##name##_init_module);  \
    }

ENTRY_POINTS(alltoallv, ALLTOALLV, 0)
ENTRY_POINTS(alltoallw, ALLTOALLW, 1)
