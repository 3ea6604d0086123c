/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The requests of alltoallvs and alltoallws whose messages are between pairs of ranks: nonblocking
 * and persistent calls.
 */
#include "coll_nbrhood_alltoallv.h"
#include "core/capi/nbrhood_tags.h"

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

int nbrhood_alltoallv_init_pairs(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
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
