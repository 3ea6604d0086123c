/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The PML as the core's transport, and the way back of completions.
 *
 * Without threads each message carries a completion callback, and nothing is ever polled. Under
 * MPI_THREAD_MULTIPLE a callback cannot be attached to a started request without a race, so there
 * the progress function polls the messages in flight; it is registered only while there are any.
 */
#include "coll_nbrhood_transport.h"
#include "coll_nbrhood_direct.h"
#include "coll_nbrhood_mirror.h"
#include "coll_nbrhood_record.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_waiting.h"

#include "ompi/errhandler/errcode.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/runtime/opal_progress.h"

static int on_complete(ompi_request_t *pml_request)
{
    nbrhood_token *token = nbrhood_take_callback_data(pml_request);
    const int error = pml_request->req_status.MPI_ERROR;
    const size_t bytes = pml_request->req_status._ucount;
    pml_request->req_free(&pml_request);
    if (token->distant) {
        nbrhood_waiting_distant(-1);
    }
    nbrhood_completed(token, error, bytes);
    return 1; /* the request is gone */
}

static nbrhood_request_t *owner(void *context)
{
    return (nbrhood_request_t *) context;
}

static const char *name_of(const nbrhood_request_t *request)
{
    return nbrhood_collective_name(nbrhood_called(request->module, request->collective));
}

/* Whether the rank may wait without polling the network in each turn, because its relays are on
 * this node. */
static bool waits_on_node(const nbrhood_request_t *request)
{
    return request->module->spans_nodes && !request->direct;
}

/* Follows a message that the PML has accepted. */
static int watch(nbrhood_request_t *request, ompi_request_t *pml_request, int peer,
                 nbrhood_token *token)
{
    token->request = pml_request;
    if (!request->polled) {
        token->distant = !nbrhood_on_node(request->module, peer);
        if (token->distant) {
            nbrhood_waiting_distant(1);
        }
        /* Calls on_complete now if the message is complete already. */
        ompi_request_set_callback(pml_request, on_complete, token);
        return OMPI_SUCCESS;
    }
    if (request->flying_count == request->flying_room) {
        const size_t room = 2 * request->flying_room + 16;
        nbrhood_token **flying = realloc(request->flying, room * sizeof *flying);
        if (NULL == flying) {
            ompi_request_wait_completion(pml_request);
            pml_request->req_free(&pml_request);
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        request->flying = flying;
        request->flying_room = room;
    }
    request->flying[request->flying_count++] = token;
    return OMPI_SUCCESS;
}

static void count(nbrhood_request_t *request, int peer, size_t bytes)
{
    nbrhood_record_t *record = request->module->record;
    if (NBRHOOD_ALL_ALLGATHER == request->collective) {
        return;
    }
    const int place = nbrhood_in_region(request->module, peer) ? 0 : 1;
    ++record->messages[place];
    record->bytes[place] += bytes;
    ++nbrhood_totals.messages[place];
    nbrhood_totals.bytes[place] += bytes;
}

static int send_bytes(void *context, const void *from, size_t bytes, int peer, int tag,
                      nbrhood_token *token)
{
    nbrhood_request_t *request = owner(context);
    ompi_request_t *pml_request = NULL;
    count(request, peer, bytes);
    const int rc = MCA_PML_CALL(isend((void *) from, bytes, MPI_BYTE, peer, tag,
                                      MCA_PML_BASE_SEND_STANDARD, request->comm, &pml_request));
    return OMPI_SUCCESS == rc ? watch(request, pml_request, peer, token) : rc;
}

static int receive_bytes(void *context, void *to, size_t capacity, int peer, int tag,
                         nbrhood_token *token)
{
    nbrhood_request_t *request = owner(context);
    ompi_request_t *pml_request = NULL;
    const int rc =
        MCA_PML_CALL(irecv(to, capacity, MPI_BYTE, peer, tag, request->comm, &pml_request));
    return OMPI_SUCCESS == rc ? watch(request, pml_request, peer, token) : rc;
}

static int send_block(void *context, const nbrhood_block *block, int peer, int tag,
                      nbrhood_token *token)
{
    nbrhood_request_t *request = owner(context);
    ompi_request_t *pml_request = NULL;
    count(request, peer, block->bytes);
    const int rc =
        MCA_PML_CALL(isend(block->address, block->count, (ompi_datatype_t *) block->type, peer, tag,
                           MCA_PML_BASE_SEND_STANDARD, request->comm, &pml_request));
    return OMPI_SUCCESS == rc ? watch(request, pml_request, peer, token) : rc;
}

static int receive_block(void *context, const nbrhood_block *block, int peer, int tag,
                         nbrhood_token *token)
{
    nbrhood_request_t *request = owner(context);
    ompi_request_t *pml_request = NULL;
    const int rc = MCA_PML_CALL(irecv(block->address, block->count, (ompi_datatype_t *) block->type,
                                      peer, tag, request->comm, &pml_request));
    return OMPI_SUCCESS == rc ? watch(request, pml_request, peer, token) : rc;
}

static int copy_block(void *context, const nbrhood_block *from, const nbrhood_block *to)
{
    (void) context;
    if (0 == from->bytes) {
        return OMPI_SUCCESS;
    }
    return ompi_datatype_sndrcv(from->address, (nbrhood_count_t) from->count,
                                (ompi_datatype_t *) from->type, to->address,
                                (nbrhood_count_t) to->count, (ompi_datatype_t *) to->type);
}

static void cancel(void *context, nbrhood_token *token)
{
    (void) context;
    if (NULL != token->request) {
        ompi_request_cancel((ompi_request_t *) token->request);
    }
}

static int mismatch(void *context, int peer, const char *fault, const char *got,
                    const char *expected)
{
    const nbrhood_request_t *request = owner(context);
    opal_show_help("help-mpi-coll-nbrhood.txt", "mismatch", true, name_of(request),
                   ompi_comm_rank(request->comm), peer, fault, expected, got);
    return MPI_ERR_OTHER;
}

static int truncated(void *context, int source, int peer, size_t sent, size_t expected)
{
    const nbrhood_request_t *request = owner(context);
    char relay[64] = "";
    if (source == ompi_comm_rank(request->comm)) { /* this rank's own two sizes differ */
        opal_show_help("help-mpi-coll-nbrhood.txt",
                       NBRHOOD_ALL_ALLGATHER == request->collective ? "two sizes of an allgather"
                                                                    : "two sizes",
                       true, name_of(request), source, (unsigned long) sent,
                       (unsigned long) expected);
        return MPI_ERR_TRUNCATE;
    }
    if (peer != source) {
        snprintf(relay, sizeof relay, "\n(which rank %d only relayed)", peer);
    }
    opal_show_help("help-mpi-coll-nbrhood.txt", "sizes differ", true, name_of(request),
                   ompi_comm_rank(request->comm), (unsigned long) sent, source, relay,
                   (unsigned long) expected);
    return MPI_ERR_TRUNCATE;
}

/* An error code from another rank may be any number, so it is checked against MPI's codes. */
static int failed_before(void *context, int peer, int error, int at, int with, bool only_relayed)
{
    const nbrhood_request_t *request = owner(context);
    const bool known = error > MPI_SUCCESS && error < MPI_ERR_LASTCODE;
    const char *reason = known ? ompi_mpi_errnum_get_string(error) : "an error inside Open MPI";
    char where[MPI_MAX_ERROR_STRING + 128] = "That rank, or one upstream of it, reports the cause.";
    if (0 != error && with == at) {
        snprintf(where, sizeof where, "It occurred on rank %d:\n  %s", at, reason);
    } else if (0 != error) {
        snprintf(where, sizeof where, "It occurred on rank %d, in what rank %d sent:\n  %s", at,
                 with, reason);
    }
    opal_show_help("help-mpi-coll-nbrhood.txt", "failed before", true, name_of(request),
                   ompi_comm_rank(request->comm), peer, where,
                   only_relayed ? "None of that data was for this rank, which only relays it."
                                : "Data for this rank is missing.");
    return known || error < 0 ? error : MPI_ERR_OTHER;
}

static int out_of_memory(void *context)
{
    (void) context;
    return MPI_ERR_NO_MEM;
}

static void abandon(void *context)
{
    const nbrhood_request_t *request = owner(context);
    opal_show_help("help-mpi-coll-nbrhood.txt", "no memory", true, name_of(request),
                   ompi_comm_rank(request->comm));
    ompi_mpi_abort(request->comm, MPI_ERR_NO_MEM);
}

/* Completes a nonblocking request, after copying received data to the device; the lock is not
 * held. */
static void complete(nbrhood_request_t *request)
{
    if (NULL != request->mirror && OMPI_SUCCESS == request->error) {
        request->error = nbrhood_mirror_hand_out(request->mirror);
        request->super.super.req_status.MPI_ERROR = request->error;
    }
    ompi_request_complete(&request->super.super, true);
}

static void finished(void *context, int error)
{
    nbrhood_request_t *request = owner(context);
    request->error = error;
    request->super.super.req_status.MPI_ERROR = error;
    request->finished = true;
    if (!request->polled) {
        if (waits_on_node(request)) {
            nbrhood_waiting_end();
        }
        complete(request);
    }
}

void nbrhood_look_at_posted(nbrhood_request_t *request)
{
    while (0 < request->posted_count) {
        ompi_request_t *message = request->posted[request->posted_count - 1];
        if (!REQUEST_COMPLETE(message)) {
            return; /* all others are needed, too, so they need not be tested yet */
        }
        opal_atomic_rmb();
        if (OMPI_SUCCESS == request->error) {
            request->error = message->req_status.MPI_ERROR;
        }
        message->req_free(&message);
        --request->posted_count;
    }
    if (NULL != request->part) {
        if (!REQUEST_COMPLETE(request->part)) {
            return;
        }
        opal_atomic_rmb();
        if (OMPI_SUCCESS == request->error) {
            request->error = request->part->req_status.MPI_ERROR;
        }
    }
    finished(request, request->error);
}

const nbrhood_transport nbrhood_pml_transport = {
    .send_bytes = send_bytes,
    .receive_bytes = receive_bytes,
    .send_block = send_block,
    .receive_block = receive_block,
    .copy_block = copy_block,
    .pack = nbrhood_block_pack,
    .unpack = nbrhood_block_unpack,
    .flatten = nbrhood_block_flatten,
    .cancel = cancel,
    .mismatch = mismatch,
    .truncated = truncated,
    .failed_before = failed_before,
    .out_of_memory = out_of_memory,
    .abandon = abandon,
    .finished = finished,
};

/* ---- MPI_THREAD_MULTIPLE ---- */

/* Passes the completed messages of one request to its plan; the lock is held. */
static void look_through(nbrhood_request_t *request)
{
    for (size_t i = 0; i < request->flying_count;) {
        nbrhood_token *token = request->flying[i];
        ompi_request_t *pml_request = (ompi_request_t *) token->request;
        if (!REQUEST_COMPLETE(pml_request)) {
            ++i;
            continue;
        }
        opal_atomic_rmb();
        const int error = pml_request->req_status.MPI_ERROR;
        const size_t bytes = pml_request->req_status._ucount;
        request->flying[i] = request->flying[--request->flying_count];
        pml_request->req_free(&pml_request);
        nbrhood_completed(token, error, bytes);
    }
}

static int progress(void)
{
    opal_list_t done;
    opal_list_item_t *item, *next;
    int events = 0;

    if (0 != opal_mutex_trylock(&nbrhood_state.lock)) {
        return 0; /* another thread is here, or this one in an outer call */
    }
    OBJ_CONSTRUCT(&done, opal_list_t);
    for (item = opal_list_get_first(&nbrhood_state.active);
         item != opal_list_get_end(&nbrhood_state.active); item = next) {
        next = opal_list_get_next(item);
        nbrhood_request_t *request = nbrhood_request_of(item);
        if (request->bypasses_plan) {
            nbrhood_look_at_posted(request);
        } else {
            look_through(request);
        }
        if (request->finished) {
            opal_list_remove_item(&nbrhood_state.active, item);
            opal_list_append(&done, item);
        }
    }
    if (opal_list_is_empty(&nbrhood_state.active) && nbrhood_state.polling) {
        nbrhood_state.polling = false;
        opal_progress_unregister(progress);
    }
    opal_mutex_unlock(&nbrhood_state.lock);

    /* The owner may free a request as soon as it is complete. */
    while (NULL != (item = opal_list_remove_first(&done))) {
        complete(nbrhood_request_of(item));
        ++events;
    }
    OBJ_DESTRUCT(&done);
    return events;
}

/* Arguments to start a plan. */
typedef struct start_t {
    int tag;
    uint32_t sequence;
} start_t;

/* Starts the plan and counts the call. */
static void start_plan(nbrhood_request_t *request, void *context)
{
    const start_t *with = context;
    if (NBRHOOD_ALL_ALLGATHER == request->collective) {
        ++nbrhood_totals.allgathers;
    } else {
        ++request->module->record->calls[request->collective];
        request->module->record->direct_calls[request->collective] += request->direct ? 1 : 0;
        nbrhood_totals.calls += 0 == request->module->stands_for ? 1 : 0;
        nbrhood_totals.calls_on_device += request->on_device ? 1 : 0;
    }
    nbrhood_plan_start(request->plan, with->tag, with->sequence);
    /* Buffers grow with the largest call so far. Sampling the 1st, 2nd, 4th, 8th ... start shows
     * that soon, and costs nothing in the others. */
    const uint32_t start = ++request->starts;
    if (0 == (start & (start - 1))) {
        nbrhood_measure_plan(request, nbrhood_plan_memory(request->plan));
    }
}

void nbrhood_launch(nbrhood_request_t *request, nbrhood_starter_t start, void *context)
{
    request->finished = false;
    request->error = OMPI_SUCCESS;
    request->polled = opal_using_threads();
    if (!request->polled) {
        if (waits_on_node(request)) {
            nbrhood_waiting_begin();
        }
        start(request, context);
        return;
    }
    opal_mutex_lock(&nbrhood_state.lock);
    start(request, context);
    const bool done = request->finished;
    if (!done) {
        opal_list_append(&nbrhood_state.active, &request->active_item);
        if (!nbrhood_state.polling) {
            nbrhood_state.polling = true;
            nbrhood_register_progress(progress, request->comm);
        }
    }
    opal_mutex_unlock(&nbrhood_state.lock);
    if (done) {
        complete(request);
    }
}

void nbrhood_start(nbrhood_request_t *request, int tag, uint32_t sequence)
{
    start_t with = {tag, sequence};
    nbrhood_launch(request, start_plan, &with);
}
