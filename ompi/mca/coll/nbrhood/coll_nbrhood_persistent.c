/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Persistent calls: requests that keep their plan from the init on. */
#include "coll_nbrhood_device.h"
#include "coll_nbrhood_mirror.h"
#include "coll_nbrhood_on_device.h"
#include "coll_nbrhood_transport.h"
#include "core/capi/nbrhood_tags.h"
#include "library/nbrhood_indices.h"

static int start_persistent(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; ++i) {
        nbrhood_request_t *request = (nbrhood_request_t *) requests[i];
        if (OMPI_REQUEST_ACTIVE == request->super.super.req_state
            || !REQUEST_COMPLETE(&request->super.super)) {
            return MPI_ERR_REQUEST;
        }
        /* A buffer may have been freed, and allocated again at the same address in the other
         * memory. */
        int rc = NULL != request->origin ? nbrhood_request_look(request) : OMPI_SUCCESS;
        if (OMPI_SUCCESS == rc && NULL != request->mirror) {
            rc = nbrhood_mirror_take_in(request->mirror);
        }
        bool held = false;
        if (OMPI_SUCCESS == rc) {
            request->super.super.req_state = OMPI_REQUEST_ACTIVE;
            request->super.super.req_complete = REQUEST_PENDING;
            rc = NBRHOOD_ALL_ALLGATHER != request->collective ? nbrhood_hold(request, &held)
                                                              : OMPI_SUCCESS;
            if (OMPI_SUCCESS != rc) {
                request->super.super.req_state = OMPI_REQUEST_INACTIVE;
                request->super.super.req_complete = REQUEST_COMPLETED;
            }
        }
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        if (!held) {
            nbrhood_start(request, request->tag, request->sequence++);
        }
    }
    return OMPI_SUCCESS;
}

static void make_persistent(nbrhood_request_t *request, int tag)
{
    OMPI_REQUEST_INIT(&request->super.super, true);
    request->super.super.req_mpi_object.comm = request->comm;
    request->super.super.req_start = start_persistent;
    request->tag = tag;
    OBJ_RETAIN(request->comm);
}

int nbrhood_request_keep(nbrhood_request_t *request, int tag, ompi_datatype_t *const *types,
                         size_t count)
{
    const int rc = nbrhood_request_retain(request, types, count);
    if (OMPI_SUCCESS == rc) {
        make_persistent(request, tag);
    }
    return rc;
}

/* The indices from nbrhood_neighbor_alltoallv_init, or NULL. */
static const int64_t *indices_of(const nbrhood_call_t *call)
{
    char text[NBRHOOD_INFO_LENGTH];
    void *address = NULL;
    if (NBRHOOD_ALLTOALLV != call->collective || NULL == call->info
        || !nbrhood_info_get(&call->info->super, NBRHOOD_INDICES_KEY, text, sizeof text)
        || 1 != sscanf(text, "%p", &address) || NULL == address) {
        return NULL;
    }
    const nbrhood_indices_t *indices = address;
    return NBRHOOD_INDICES_MARK == indices->mark ? indices->send : NULL;
}

/* Keeps the indices if a pattern may be built later, or blocks may move to other memory. */
static int keep_indices(nbrhood_request_t *request, const int64_t *indices)
{
    const mca_coll_nbrhood_module_t *module = request->module;
    const nbrhood_block *blocks = nbrhood_plan_send_blocks(request->plan);
    const size_t sends = nbrhood_send_blocks(module->topology, request->collective);
    size_t count = 0;
    if (NULL == indices
        || (NULL == module->calls[request->collective]->change.core && NULL == nbrhood_device)) {
        return OMPI_SUCCESS;
    }
    for (size_t i = 0; i < sends; ++i) {
        count += blocks[i].count;
    }
    request->indices = malloc((count + 1) * sizeof *indices);
    if (NULL == request->indices) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memcpy(request->indices, indices, count * sizeof *indices);
    return OMPI_SUCCESS;
}

/* Finds where the blocks are, and the bytes that they share. */
static int prepare_persistent(nbrhood_request_t *request, const int64_t *indices)
{
    int rc = keep_indices(request, indices);
    if (OMPI_SUCCESS != rc || NULL == nbrhood_device) {
        return OMPI_SUCCESS == rc && !nbrhood_plan_find_shared(request->plan, indices)
                   ? OMPI_ERR_OUT_OF_RESOURCE
                   : rc;
    }
    rc = nbrhood_request_keep_origin(request);
    return OMPI_SUCCESS == rc ? nbrhood_request_look(request) : rc;
}

int nbrhood_init(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, ompi_request_t **request)
{
    const uint32_t number =
        (uint32_t) OPAL_THREAD_ADD_FETCH32((int32_t *) &module->persistent_inits, 1) - 1;
    const int tag = nbrhood_tag_persistent(number);
    if (0 == tag) {
        /* The displaced module takes over on all ranks, even on ranks without edges, since all
         * ranks must draw its tags. */
        return OMPI_ERR_NOT_AVAILABLE;
    }
    if (!nbrhood_has_edges(module->topology)) {
        return ompi_request_persistent_noop_create(request);
    }
    nbrhood_request_t *own = nbrhood_request_make(module, call, NBRHOOD_PERSISTENT);
    if (NULL == own) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    nbrhood_bind(own, call);
    int rc = prepare_persistent(own, indices_of(call));
    own->number = number;
    if (OMPI_SUCCESS == rc) { /* Open MPI retains no types of inactive requests */
        rc = nbrhood_request_retain_bound(own);
    }
    if (OMPI_SUCCESS != rc) {
        OBJ_RELEASE(own);
        return rc;
    }
    make_persistent(own, tag);
    *request = &own->super.super;
    return OMPI_SUCCESS;
}
