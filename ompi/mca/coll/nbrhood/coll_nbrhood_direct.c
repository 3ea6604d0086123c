/* Blocking calls that are one message for each edge: no plan, no request, nothing to bind. All is
 * posted, then waited for, as Open MPI's own functions do it, which such calls must not be slower
 * than.
 */
#include "coll_nbrhood_blocks.h"

#include "ompi/mca/pml/pml.h"

/* What a communicator keeps for these calls of one collective and interval of sizes. */
struct nbrhood_direct_calls_t {
    const nbrhood_topology *topology;
    nbrhood_direct *messages; /* NULL: calls are not of this kind */
    unsigned char *places;    /* by send: 1 where it leaves the region */
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
    if (nbrhood_is_direct(call->topology, call->collective, call->interval, NBRHOOD_BLOCKING)) {
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
    *calls = (nbrhood_direct_calls_t){call->topology, messages, places};
    for (size_t i = 0; i + receives < count; ++i) {
        const int peer = messages->messages[receives + i].peer;
        places[i] = nbrhood_in_region(module, peer) ? 0 : 1;
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

static void count_call(const mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                       const size_t messages[2], const size_t bytes[2])
{
    nbrhood_record_t *record = module->record;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    ++record->calls[call->collective];
    ++record->direct_calls[call->collective];
    ++nbrhood_totals.calls;
    nbrhood_totals.calls_on_device += call->on_device ? 1 : 0;
    for (int place = 0; place < 2; ++place) {
        record->messages[place] += messages[place];
        record->bytes[place] += bytes[place];
        nbrhood_totals.messages[place] += messages[place];
        nbrhood_totals.bytes[place] += bytes[place];
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

static void note_error(int rc, int *error)
{
    if (OMPI_SUCCESS == *error) {
        *error = rc;
    }
}

/* Of a call whose messages are all posted: those up to `last` are not freed. */
typedef struct waiting_t {
    const mca_coll_nbrhood_module_t *module;
    int collective;
    const nbrhood_direct_calls_t *calls;
    ompi_request_t *const *last;
} waiting_t;

static void tell_stalled(const void *context, double seconds)
{
    const waiting_t *waiting = context;
    const nbrhood_direct_calls_t *calls = waiting->calls;
    const nbrhood_direct *all = calls->messages;
    char ranks[2][128] = {"", ""};
    for (size_t i = 0; &calls->requests[i] <= waiting->last; ++i) {
        if (!REQUEST_COMPLETE(calls->requests[i])) {
            nbrhood_list_rank(ranks[i < all->receives ? 0 : 1], sizeof ranks[0],
                              all->messages[i].peer);
        }
    }
    nbrhood_tell_stalled(waiting->module, waiting->collective, seconds, ranks[0], ranks[1]);
}

int nbrhood_run_direct(mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                       nbrhood_direct_calls_t *calls)
{
    const int tag = nbrhood_tag_blocking(call->collective);
    const nbrhood_direct *all = calls->messages;
    const nbrhood_direct_message *message = all->messages;
    ompi_request_t **request = calls->requests;
    nbrhood_type_facts_t facts = {NULL, 0, 0};
    size_t messages[2] = {0, 0}, bytes[2] = {0, 0};
    void *address;
    size_t count;
    int error = OMPI_SUCCESS;
    for (size_t i = 0; i < all->receives; ++i, ++message) {
        nbrhood_find_block(&call->receive, message->block, &facts, &address, &count);
        const int rc = MCA_PML_CALL(
            irecv(address, count, facts.type, message->peer, tag, module->comm, request));
        if (OMPI_SUCCESS == rc) {
            ++request;
        } else {
            note_error(rc, &error);
        }
    }
    for (size_t i = 0; i < all->sends; ++i, ++message) {
        nbrhood_find_block(&call->send, message->block, &facts, &address, &count);
        ++messages[calls->places[i]];
        bytes[calls->places[i]] += count * facts.size;
        const int rc = MCA_PML_CALL(isend(address, count, facts.type, message->peer, tag,
                                          MCA_PML_BASE_SEND_STANDARD, module->comm, request));
        if (OMPI_SUCCESS == rc) {
            ++request;
        } else {
            note_error(rc, &error);
        }
    }
    for (size_t i = 0; i < all->copies; ++i, ++message) {
        note_error(copy(call, message), &error);
    }
    waiting_t waiting = {module, call->collective, calls, NULL};
    while (request-- != calls->requests) {
        waiting.last = request;
        nbrhood_wait(*request, OMPI_SUCCESS == error ? tell_stalled : NULL, &waiting);
        note_error((*request)->req_status.MPI_ERROR, &error);
        (*request)->req_free(request);
    }
    count_call(module, call, messages, bytes);
    return error;
}
