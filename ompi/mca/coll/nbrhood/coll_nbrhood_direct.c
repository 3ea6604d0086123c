/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Calls that are one message for each edge: no plan, nothing to bind. They post all messages, then
 * wait, as Open MPI's own functions do, because such calls must not be slower. Persistent requests
 * have plans, and so have nonblocking calls that are held.
 */
#include "coll_nbrhood_direct.h"
#include "coll_nbrhood_blocks.h"
#include "coll_nbrhood_record.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_transport.h"
#include "coll_nbrhood_waiting.h"
#include "core/capi/nbrhood_tags.h"

#include "ompi/mca/pml/pml.h"

/* State of a communicator for these calls of one collective and interval of sizes. */
struct nbrhood_direct_calls_t {
    const nbrhood_topology *topology;
    nbrhood_direct *messages; /* NULL: calls need a plan */
    unsigned char *places;    /* by send: 1 if it leaves the region */
    int distant;              /* messages to and from other nodes */
    ompi_request_t *requests[];
};

void nbrhood_direct_calls_free(nbrhood_direct_calls_t *calls)
{
    if (NULL != calls) {
        nbrhood_direct_destroy(calls->messages);
        free(calls->places);
        free(calls);
    }
}

static nbrhood_direct_calls_t *make(const mca_coll_nbrhood_module_t *module,
                                    const nbrhood_call_t *call)
{
    nbrhood_direct *messages = NULL;
    size_t count = 0, receives = 0;
    if (nbrhood_is_direct(call->topology, call->collective, call->interval)) {
        messages = nbrhood_direct_create(call->topology, call->collective, call->interval);
        if (NULL == messages) {
            return NULL;
        }
        receives = messages->receives;
        count = receives + messages->sends;
    }
    nbrhood_direct_calls_t *calls = malloc(sizeof *calls + count * sizeof calls->requests[0]);
    unsigned char *places = malloc(NULL != messages ? messages->sends + 1 : 1);
    if (NULL == calls || NULL == places) {
        free(places);
        free(calls);
        nbrhood_direct_destroy(messages);
        return NULL;
    }
    *calls = (nbrhood_direct_calls_t){call->topology, messages, places, 0};
    for (size_t i = 0; i < count; ++i) {
        const int peer = messages->messages[i].peer;
        calls->distant += nbrhood_on_node(module, peer) ? 0 : 1;
        if (i >= receives) {
            places[i - receives] = nbrhood_in_region(module, peer) ? 0 : 1;
        }
    }
    return calls;
}

int nbrhood_find_direct(mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                        nbrhood_direct_calls_t **direct)
{
    nbrhood_direct_calls_t **calls = &module->calls[call->collective]->direct[call->interval];
    if (NULL == *calls || (*calls)->topology != call->topology) {
        nbrhood_direct_calls_free(*calls);
        *calls = make(module, call);
        if (NULL == *calls) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    *direct = NULL != (*calls)->messages ? *calls : NULL;
    return OMPI_SUCCESS;
}

/* Messages of a call, and the bytes in them: local, non-local. */
typedef struct sent_t {
    size_t messages[2], bytes[2];
} sent_t;

static void count_call(const mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                       const sent_t *sent)
{
    nbrhood_record_t *record = module->record;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    ++record->calls[call->collective];
    ++record->direct_calls[call->collective];
    nbrhood_totals.calls += 0 == module->stands_for ? 1 : 0;
    nbrhood_totals.calls_on_device += call->on_device ? 1 : 0;
    for (int place = 0; place < 2; ++place) {
        record->messages[place] += sent->messages[place];
        record->bytes[place] += sent->bytes[place];
        nbrhood_totals.messages[place] += sent->messages[place];
        nbrhood_totals.bytes[place] += sent->bytes[place];
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
}

static int copy(const nbrhood_call_t *call, const nbrhood_direct_message *message)
{
    nbrhood_type_facts_t from_facts = {NULL, 0, 0}, to_facts = {NULL, 0, 0};
    void *from, *to;
    size_t from_count, to_count;
    nbrhood_find_block(&call->send, message->block, &from_facts, &from, &from_count);
    nbrhood_find_block(&call->receive, message->slot, &to_facts, &to, &to_count);
    if (0 == from_count * from_facts.size) {
        return OMPI_SUCCESS;
    }
    return ompi_datatype_sndrcv(from, (nbrhood_count_t) from_count, from_facts.type, to,
                                (nbrhood_count_t) to_count, to_facts.type);
}

void nbrhood_note_error(int rc, int *error)
{
    if (OMPI_SUCCESS == *error) {
        *error = rc;
    }
}

/* Posts all messages and makes all copies; counts local and non-local sends. */
static void post(const mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                 const nbrhood_direct_calls_t *calls, int tag, sent_t *sent, nbrhood_keep_t keep,
                 void *context, int *error)
{
    const nbrhood_direct *all = calls->messages;
    const nbrhood_direct_message *message = all->messages;
    ompi_request_t *request;
    nbrhood_type_facts_t facts = {NULL, 0, 0};
    void *address;
    size_t count;
    for (size_t i = 0; i < all->receives; ++i, ++message) {
        nbrhood_find_block(&call->receive, message->block, &facts, &address, &count);
        const int rc = MCA_PML_CALL(
            irecv(address, count, facts.type, message->peer, tag, module->comm, &request));
        if (OMPI_SUCCESS == rc) {
            keep(context, request);
        } else {
            nbrhood_note_error(rc, error);
        }
    }
    for (size_t i = 0; i < all->sends; ++i, ++message) {
        nbrhood_find_block(&call->send, message->block, &facts, &address, &count);
        ++sent->messages[calls->places[i]];
        sent->bytes[calls->places[i]] += count * facts.size;
        const int rc = MCA_PML_CALL(isend(address, count, facts.type, message->peer, tag,
                                          MCA_PML_BASE_SEND_STANDARD, module->comm, &request));
        if (OMPI_SUCCESS == rc) {
            keep(context, request);
        } else {
            nbrhood_note_error(rc, error);
        }
    }
    for (size_t i = 0; i < all->copies; ++i, ++message) {
        nbrhood_note_error(copy(call, message), error);
    }
}

/* ---- Blocking calls ---- */

void nbrhood_keep_in_order(void *context, ompi_request_t *message)
{
    ompi_request_t ***next = (ompi_request_t ***) context;
    *(*next)++ = message;
}

/* A call that waits for message `last`; the ones after it are freed. */
typedef struct waiting_t {
    const nbrhood_posted_t *posted;
    size_t last;
} waiting_t;

static void tell_stalled(const void *context, double seconds)
{
    const waiting_t *waiting = context;
    const nbrhood_posted_t *posted = waiting->posted;
    char ranks[2][128] = {"", ""};
    for (size_t i = 0; i <= waiting->last; ++i) {
        if (!REQUEST_COMPLETE(posted->requests[i])) {
            nbrhood_list_rank(ranks[i < posted->receives ? 0 : 1], sizeof ranks[0],
                              posted->peer(posted->messages, i));
        }
    }
    nbrhood_tell_stalled(posted->module, posted->collective, seconds, ranks[0], ranks[1]);
}

int nbrhood_wait_for_posted(const nbrhood_posted_t *posted, int error)
{
    waiting_t waiting = {posted, posted->count};
    while (waiting.last-- != 0) {
        ompi_request_t **request = &posted->requests[waiting.last];
        nbrhood_wait(*request, OMPI_SUCCESS == error ? tell_stalled : NULL, &waiting);
        nbrhood_note_error((*request)->req_status.MPI_ERROR, &error);
        (*request)->req_free(request);
    }
    return error;
}

static int peer_of(const void *messages, size_t i)
{
    return ((const nbrhood_direct_message *) messages)[i].peer;
}

int nbrhood_run_direct(mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                       nbrhood_direct_calls_t *calls)
{
    ompi_request_t **next = calls->requests;
    sent_t sent = {{0, 0}, {0, 0}};
    int error = OMPI_SUCCESS;
    post(module, call, calls, nbrhood_tag_blocking(nbrhood_called(module, call->collective)), &sent,
         nbrhood_keep_in_order, &next, &error);
    const nbrhood_posted_t posted = {module,
                                     call->collective,
                                     calls->requests,
                                     (size_t) (next - calls->requests),
                                     calls->messages->receives,
                                     peer_of,
                                     calls->messages->messages};
    error = nbrhood_wait_for_posted(&posted, error);
    count_call(module, call, &sent);
    return error;
}

/* ---- Nonblocking calls ---- */

/* Without threads: the last message completes the call. */
static void leave(nbrhood_request_t *request)
{
    if (0 == --request->posted_count) {
        nbrhood_waiting_distant(-request->distant);
        nbrhood_pml_transport.finished(request, request->error);
    }
}

static int on_complete(ompi_request_t *message)
{
    nbrhood_request_t *request = nbrhood_take_callback_data(message);
    nbrhood_note_error(message->req_status.MPI_ERROR, &request->error);
    message->req_free(&message);
    leave(request);
    return 1; /* the message's request is gone */
}

static void keep_watch(void *context, ompi_request_t *message)
{
    nbrhood_request_t *request = context;
    ++request->posted_count;
    /* Calls on_complete now if the message is complete already. */
    ompi_request_set_callback(message, on_complete, request);
}

static void keep_in_flight(void *context, ompi_request_t *message)
{
    nbrhood_request_t *request = context;
    request->posted[request->posted_count++] = message;
}

bool nbrhood_direct_room(nbrhood_request_t *request, const nbrhood_direct_calls_t *calls)
{
    const size_t count = calls->messages->receives + calls->messages->sends;
    if (NULL == request->posted && opal_using_threads()) {
        request->posted = malloc((count + 1) * sizeof *request->posted);
        return NULL != request->posted;
    }
    return true;
}

/* Keeps the part for the end of the request, because a request of the component is not complete yet
 * in its callback. */
static int on_part_complete(ompi_request_t *part)
{
    nbrhood_request_t *request = nbrhood_take_callback_data(part);
    nbrhood_note_error(part->req_status.MPI_ERROR, &request->error);
    leave(request);
    return 0;
}

static void start_posting(nbrhood_request_t *request, void *context)
{
    const nbrhood_posting_t *posting = context;
    if (request->polled) {
        request->posted_count = 0;
        posting->post(request, posting->context, keep_in_flight, request, &request->error);
        nbrhood_look_at_posted(request);
    } else {
        request->posted_count = 1; /* one more than in flight until all are posted */
        request->distant = posting->distant;
        nbrhood_waiting_distant(request->distant);
        posting->post(request, posting->context, keep_watch, request, &request->error);
        if (NULL != request->part) {
            ++request->posted_count;
            ompi_request_set_callback(request->part, on_part_complete, request);
        }
        leave(request);
    }
}

void nbrhood_start_posting(nbrhood_request_t *request, const nbrhood_posting_t *posting)
{
    nbrhood_launch(request, start_posting, (void *) posting);
}

/* Arguments to start a nonblocking call. */
typedef struct start_t {
    const nbrhood_call_t *call;
    const nbrhood_direct_calls_t *calls;
    sent_t sent;
} start_t;

static void post_call(const nbrhood_request_t *request, void *context, nbrhood_keep_t keep,
                      void *kept, int *error)
{
    start_t *with = context;
    post(request->module, with->call, with->calls, request->tag, &with->sent, keep, kept, error);
}

void nbrhood_start_direct(nbrhood_request_t *request, const nbrhood_call_t *call,
                          const nbrhood_direct_calls_t *calls)
{
    start_t with = {call, calls, {{0, 0}, {0, 0}}};
    const nbrhood_posting_t posting = {post_call, &with, calls->distant};
    nbrhood_start_posting(request, &posting);
    count_call(request->module, call, &with.sent);
}
