/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Requests: blocking and nonblocking calls, and the end of all requests. */
#include "coll_nbrhood_device.h"
#include "coll_nbrhood_direct.h"
#include "coll_nbrhood_mirror.h"
#include "coll_nbrhood_on_device.h"
#include "coll_nbrhood_pairs.h"
#include "coll_nbrhood_record.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_transport.h"
#include "coll_nbrhood_waiting.h"
#include "core/capi/nbrhood_tags.h"

nbrhood_calls_t *nbrhood_calls_make(mca_coll_nbrhood_module_t *module, int collective)
{
    nbrhood_calls_t *calls = calloc(1, sizeof *calls);
    if (NULL != calls && !nbrhood_switch_open(&calls->change, module, collective)) {
        free(calls);
        return NULL;
    }
    return calls;
}

static nbrhood_request_t *pop(nbrhood_request_t **idle)
{
    nbrhood_request_t *request = *idle;
    if (NULL != request) {
        *idle = request->next_idle;
    }
    return request;
}

nbrhood_request_t *nbrhood_request_take(nbrhood_request_t **idle)
{
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    nbrhood_request_t *request = pop(idle);
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return request;
}

void nbrhood_requests_free(nbrhood_request_t **idle)
{
    nbrhood_request_t *request;
    while (NULL != (request = pop(idle))) {
        OBJ_RELEASE(request);
    }
}

void nbrhood_calls_free(nbrhood_calls_t *calls)
{
    if (NULL == calls) {
        return;
    }
    for (int i = 0; i < NBRHOOD_INTERVALS; ++i) {
        nbrhood_requests_free(&calls->idle[i]);
        nbrhood_direct_calls_free(calls->direct[i]);
        if (NULL != calls->blocking[i]) {
            OBJ_RELEASE(calls->blocking[i]);
        }
    }
    nbrhood_switch_close(&calls->change);
    free(calls);
}

static nbrhood_request_t *make(mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call)
{
    nbrhood_request_t *request = OBJ_NEW(nbrhood_request_t);
    if (NULL == request) {
        return NULL;
    }
    request->module = module;
    request->comm = module->comm;
    request->topology = call->topology;
    request->collective = call->collective;
    request->interval = call->interval;
    request->home = &module->calls[call->collective]->idle[call->interval];
    request->direct = nbrhood_is_direct(call->topology, call->collective, call->interval);
    return request;
}

/* Makes the request's plan if it has none. */
static bool plan(nbrhood_request_t *request, int variant)
{
    if (NULL == request->plan) {
        request->plan =
            nbrhood_plan_create(request->topology, request->collective, request->interval, variant,
                                &nbrhood_pml_transport, request);
    }
    return NULL != request->plan;
}

nbrhood_request_t *nbrhood_request_make(mca_coll_nbrhood_module_t *module,
                                        const nbrhood_call_t *call, int variant)
{
    nbrhood_request_t *request = make(module, call);
    if (NULL != request && !plan(request, variant)) {
        OBJ_RELEASE(request);
    }
    return request;
}

void nbrhood_request_open(nbrhood_request_t *request)
{
    OMPI_REQUEST_INIT(&request->super.super, false);
    request->super.super.req_state = OMPI_REQUEST_ACTIVE;
    request->super.super.req_mpi_object.comm = request->comm;
}

/* The one request for all blocking calls of a collective in an interval of sizes. One suffices,
 * because these calls come one after the other. */
static nbrhood_request_t *blocking_request(mca_coll_nbrhood_module_t *module,
                                           const nbrhood_call_t *call)
{
    nbrhood_request_t **request = &module->calls[call->collective]->blocking[call->interval];
    if (NULL != *request && (*request)->topology != call->topology) {
        OBJ_RELEASE(*request); /* also sets it to NULL */
    }
    if (NULL == *request) {
        *request = nbrhood_request_make(module, call, NBRHOOD_BLOCKING);
    }
    if (NULL != *request) {
        nbrhood_request_open(*request);
        nbrhood_bind(*request, call);
    }
    return *request;
}

/* A request for a nonblocking call, new or an idle one. direct: the state of calls without a
 * plan, or NULL. */
static nbrhood_request_t *take(mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                               const nbrhood_direct_calls_t *direct)
{
    nbrhood_request_t **idle = &module->calls[call->collective]->idle[call->interval];
    nbrhood_request_t *request;
    bool outdated;
    do {
        request = nbrhood_request_take(idle);
        outdated = NULL != request && request->topology != call->topology;
        if (outdated) {
            OBJ_RELEASE(request);
        }
    } while (outdated);
    if (NULL == request) {
        request = make(module, call);
    }
    if (NULL == request) {
        return NULL;
    }
    if (!(NULL != direct ? nbrhood_direct_room(request, direct)
                         : plan(request, NBRHOOD_NONBLOCKING))) {
        OBJ_RELEASE(request);
        return NULL;
    }
    request->bypasses_plan = NULL != direct;
    nbrhood_request_open(request);
    if (NULL == direct) {
        nbrhood_bind(request, call);
    }
    return request;
}

/* ---- The datatypes of a request ---- */

static void retain_type(nbrhood_request_t *request, ompi_datatype_t *type)
{
    /* Consecutive blocks mostly have one type, which needs only one reference. */
    const bool again = request->types_count > 0 && request->types[request->types_count - 1] == type;
    if (!ompi_datatype_is_predefined(type) && !again) {
        OBJ_RETAIN(type);
        request->types[request->types_count++] = type;
    }
}

/* Makes room for the types of so many blocks. */
static bool type_room(nbrhood_request_t *request, size_t count)
{
    ompi_datatype_t **types = realloc(request->types, (count + 1) * sizeof *types);
    if (NULL != types) {
        request->types = types;
    }
    return NULL != types;
}

int nbrhood_request_retain(nbrhood_request_t *request, ompi_datatype_t *const *types, size_t count)
{
    if (!type_room(request, count)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (size_t i = 0; i < count; ++i) {
        retain_type(request, types[i]);
    }
    return OMPI_SUCCESS;
}

int nbrhood_request_retain_bound(nbrhood_request_t *request)
{
    const nbrhood_topology *topology = request->module->topology;
    const nbrhood_block *blocks[2] = {nbrhood_plan_send_blocks(request->plan),
                                      nbrhood_plan_receive_blocks(request->plan)};
    const size_t counts[2] = {nbrhood_send_blocks(topology, request->collective),
                              nbrhood_receive_blocks(topology)};
    if (!type_room(request, counts[0] + counts[1])) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int side = 0; side < 2; ++side) {
        for (size_t i = 0; i < counts[side]; ++i) {
            retain_type(request, (ompi_datatype_t *) blocks[side][i].type);
        }
    }
    return OMPI_SUCCESS;
}

/* Open MPI retains the types of a nonblocking call. But Open MPI 4.1 retains those of an
 * MPI_Ialltoallw on a communicator with a topology as if it were MPI_Ineighbor_alltoallw: some are
 * left out. */
static int retain_if_left_out(nbrhood_request_t *request)
{
    const bool left_out = NBRHOOD_ALLTOALLW == request->collective && !request->bypasses_plan
                          && 0 != request->module->stands_for;
    return left_out ? nbrhood_request_retain_bound(request) : OMPI_SUCCESS;
}

static void release_types(nbrhood_request_t *request)
{
    for (size_t i = 0; i < request->types_count; ++i) {
        OBJ_RELEASE(request->types[i]);
    }
    request->types_count = 0;
}

/* ---- Calls ---- */

/* Counts nonblocking calls that are in flight. */
static void count_pending(const nbrhood_request_t *request, int32_t change)
{
    if (request->collective < NBRHOOD_COLLECTIVES) {
        (void) OPAL_THREAD_ADD_FETCH32(&request->module->calls[request->collective]->change.pending,
                                       change);
    }
}

static void give_back(nbrhood_request_t *request)
{
    count_pending(request, -1);
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    request->next_idle = *request->home;
    *request->home = request;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
}

/* Ends a request that the application has, or would have got. */
static void end(nbrhood_request_t *request)
{
    ompi_communicator_t *comm = request->comm;
    const bool persistent = request->super.super.req_persistent;
    if (NULL != request->part) {
        request->part->req_free(&request->part);
        request->part = NULL;
    }
    OMPI_REQUEST_FINI(&request->super.super);
    if (persistent) {
        OBJ_RELEASE(request);
    } else {
        nbrhood_mirror_free(request->mirror);
        request->mirror = NULL;
        release_types(request);
        give_back(request);
    }
    OBJ_RELEASE(comm);
}

/* Only relays know which ranks are missing. */
static void tell_stalled(const void *context, double seconds)
{
    const nbrhood_request_t *request = context;
    nbrhood_tell_stalled(request->module, request->collective, seconds, "(not known)",
                         "(not known)");
}

static int run(mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call)
{
    nbrhood_direct_calls_t *direct = NULL;
    const int rc = nbrhood_find_direct(module, call, &direct);
    if (OMPI_SUCCESS != rc || NULL != direct) {
        return NULL != direct ? nbrhood_run_direct(module, call, direct) : rc;
    }
    nbrhood_request_t *request = blocking_request(module, call);
    if (NULL == request) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    nbrhood_start(request, nbrhood_tag_blocking(nbrhood_called(module, call->collective)),
                  module->calls[call->collective]->blocking_calls++);
    nbrhood_wait(&request->super.super, tell_stalled, request);
    return request->error;
}

static int enter(const mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, int variant)
{
    return NULL == nbrhood_device ? OMPI_SUCCESS : nbrhood_enter_call(module, call, variant);
}

int nbrhood_run(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call)
{
    if (!nbrhood_has_edges(module->topology)) {
        return OMPI_SUCCESS;
    }
    int rc = enter(module, call, NBRHOOD_BLOCKING);
    if (OMPI_SUCCESS == rc) {
        rc = run(module, call);
        return NULL == call->mirror ? rc : nbrhood_mirror_end(call->mirror, rc);
    }
    return rc;
}

int nbrhood_begin(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, ompi_request_t **request)
{
    /* Ranks without edges count, too: they may have some in a later graph of pairs, which goes on
     * counting (coll_nbrhood_pair_graph.c). */
    const uint32_t number =
        (uint32_t) OPAL_THREAD_ADD_FETCH32((int32_t *) &module->nonblocking_calls, 1) - 1;
    if (!nbrhood_has_edges(module->topology)) {
        *request = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    nbrhood_direct_calls_t *direct = NULL;
    int rc = enter(module, call, NBRHOOD_NONBLOCKING);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (NULL == call->mirror && nbrhood_goes_at_once(module, call)) {
        rc = nbrhood_find_direct(module, call, &direct);
    }
    nbrhood_request_t *own = OMPI_SUCCESS == rc ? take(module, call, direct) : NULL;
    if (NULL == own) {
        nbrhood_mirror_free(call->mirror);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    count_pending(own, 1);
    own->mirror = call->mirror;
    /* The application may free the communicator while the operation is in flight. */
    OBJ_RETAIN(module->comm);
    own->tag = nbrhood_tag_nonblocking(module->stands_for, number);
    own->sequence = number;
    own->number = call->number;
    bool held = false;
    rc = retain_if_left_out(own);
    if (OMPI_SUCCESS == rc && NULL == direct) {
        rc = nbrhood_hold(own, &held);
    }
    if (OMPI_SUCCESS != rc) {
        end(own);
        return rc;
    }
    if (NULL != direct) {
        nbrhood_start_direct(own, call, direct);
    } else if (!held) {
        nbrhood_start(own, own->tag, own->sequence);
    }
    *request = &own->super.super;
    return OMPI_SUCCESS;
}

/* ---- The end of a request; always called by the application's thread, never from progress,
 * since releasing the last reference to a communicator frees the PML's structures ---- */

static int free_request(ompi_request_t **request)
{
    nbrhood_request_t *own = (nbrhood_request_t *) *request;
    if (!REQUEST_COMPLETE(&own->super.super)) {
        return MPI_ERR_REQUEST;
    }
    end(own);
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int cancel_request(ompi_request_t *request, int flag)
{
    (void) request;
    (void) flag;
    return MPI_ERR_REQUEST;
}

static void construct(nbrhood_request_t *request)
{
    memset((char *) request + sizeof request->super, 0, sizeof *request - sizeof request->super);
    OBJ_CONSTRUCT(&request->active_item, opal_list_item_t);
    request->super.super.req_type = OMPI_REQUEST_COLL;
    request->super.super.req_status._cancelled = 0;
    /* Set even before the first end, because Open MPI 5.0 reads the error of a request before
     * its state. */
    request->super.super.req_status.MPI_ERROR = MPI_SUCCESS;
    request->super.super.req_status.MPI_SOURCE = MPI_ANY_SOURCE;
    request->super.super.req_status.MPI_TAG = MPI_ANY_TAG;
    request->super.super.req_status._ucount = 0;
    request->super.super.req_free = free_request;
    request->super.super.req_cancel = cancel_request;
}

static void destruct(nbrhood_request_t *request)
{
    if (NULL != request->plan) {
        nbrhood_record_t *record = request->module->record; /* NULL without a topology */
        const size_t bytes = nbrhood_plan_memory(request->plan);
        if (NULL != record && bytes > record->plan_bytes) {
            record->plan_bytes = bytes;
        }
        OPAL_THREAD_LOCK(&nbrhood_state.lock);
        nbrhood_measure_plan(request, bytes);
        nbrhood_measure_plan(request, 0);
        OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
        nbrhood_plan_destroy(request->plan);
    }
    release_types(request);
    free(request->types);
    nbrhood_mirror_free(request->mirror);
    nbrhood_origin_free(request->origin);
    free(request->indices);
    free(request->flying);
    free(request->posted);
    nbrhood_pairs_free(request->pairs);
    OBJ_DESTRUCT(&request->active_item);
}

OBJ_CLASS_INSTANCE(nbrhood_request_t, ompi_coll_base_nbc_request_t, construct, destruct);
