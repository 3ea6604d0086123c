/* Which topology serves a call: the one that sends one message per edge, or one that was built
 * while the program runs.
 *
 * From which call on that is another one is settled in stages (coll_nbrhood_stages.c). Calls that a
 * rank makes while such a number is being settled, beyond those that it has announced, wait: a
 * blocking call in itself, others in a list, from which progress starts them.
 */
#include "coll_nbrhood_blocks.h"
#include "coll_nbrhood_build.h"
#include "coll_nbrhood_on_device.h"

#include "opal/runtime/opal_progress.h"

/* The last calls before a question about the size of blocks, of which it is. */
enum { LAST_CALLS = 8 };

/* ---- What trials measure ---- */

/* Of the direct calls, or starts, before `next`, which begins the build, the last ones are the
 * first block of the trial. since: which of them this is. */
static bool in_block_before(nbrhood_switch_t *sw, uint32_t number, uint32_t next, uint32_t *since)
{
    const uint32_t block = nbrhood_trial_block_calls();
    *since = number + block - next;
    if (sw->begun || number > next || *since > block || next < block || 0 == block) {
        return false;
    }
    nbrhood_stage_measure(sw);
    return true;
}

static void watch_call(nbrhood_switch_t *sw, uint32_t number)
{
    const uint32_t first = sw->rounds[sw->round].calls;
    uint32_t since;
    if (in_block_before(sw, number, sw->next.calls, &since)) {
        nbrhood_trial_note_call(sw->trial, since, 0 == sw->pending);
    }
    if (sw->trying && number >= sw->first.calls && number >= first) {
        nbrhood_trial_note_call(sw->trial, number - first, 0 == sw->pending);
        nbrhood_stage_verdict(sw, number - first);
    }
}

static void watch_start(nbrhood_switch_t *sw, const nbrhood_request_t *request)
{
    const uint32_t first = sw->rounds[sw->round].starts;
    uint32_t since;
    if (in_block_before(sw, request->sequence, sw->next.starts, &since)) {
        nbrhood_trial_note_start(sw->trial, request->number, since);
    }
    if (sw->trying && nbrhood_is_first(sw) && request->number < sw->first.requests
        && request->sequence >= sw->first.starts && request->sequence >= first) {
        nbrhood_trial_note_start(sw->trial, request->number, request->sequence - first);
        nbrhood_stage_verdict(sw, request->sequence - first);
    }
}

/* ---- What serves ---- */

/* Whether a call, or a start, is one of those that a round of the trial lets go direct. That its
 * number alone says, whatever else this rank knows. */
static bool in_direct_block(uint32_t number, uint32_t first)
{
    return number >= first
           && nbrhood_trial_is_direct((number - first) / nbrhood_trial_block_calls());
}

static bool is_direct_call(const nbrhood_switch_t *sw, uint32_t number)
{
    bool direct = number >= sw->back.calls;
    for (int round = 0; !direct && round <= sw->round; ++round) {
        direct = in_direct_block(number, sw->rounds[round].calls);
    }
    return direct;
}

static bool is_direct_start(const nbrhood_switch_t *sw, uint32_t start)
{
    bool direct = start < sw->first.starts;
    for (int round = 0; !direct && round < NBRHOOD_TRIAL_ROUNDS; ++round) {
        direct = in_direct_block(start, sw->rounds[round].starts);
    }
    return direct;
}

static nbrhood_topology *serving_call(const mca_coll_nbrhood_module_t *module,
                                      const nbrhood_switch_t *sw, uint32_t number)
{
    nbrhood_topology *built = sw->built;
    if (number < sw->first.calls) {
        built = sw->earlier;
    } else if (is_direct_call(sw, number)) {
        built = NULL;
    }
    return NULL != built ? built : module->topology;
}

/* Requests that were made after those that the trial looks at take no part in it; those that were
 * while a pattern was tried in doubt go direct. What is built later is not for any of them: a
 * request's blocks keep their size. */
static nbrhood_topology *serving_start(const mca_coll_nbrhood_module_t *module,
                                       const nbrhood_switch_t *sw, uint32_t request, uint32_t start)
{
    bool direct;
    if (request >= sw->back.requests || start >= sw->back.starts) {
        direct = true;
    } else if (request >= sw->whole_requests) {
        direct = false;
    } else if (request >= sw->first.requests) {
        direct = true;
    } else {
        direct = is_direct_start(sw, start);
    }
    return direct ? module->topology : sw->all[0];
}

static size_t bytes_of(const nbrhood_block *blocks, size_t count)
{
    return 0 < count ? blocks[0].bytes : 0;
}

static nbrhood_topology *serving(const nbrhood_request_t *request)
{
    const mca_coll_nbrhood_module_t *module = request->module;
    const nbrhood_switch_t *sw = &module->calls[request->collective]->change;
    return request->super.super.req_persistent
               ? serving_start(module, sw, request->number, request->sequence)
               : serving_call(module, sw, request->number);
}

/* Gives a request whose blocks are bound, and which is not in flight, a plan of what serves it now,
 * where that is another. The lock is held. */
static void move(nbrhood_request_t *request)
{
    const int collective = request->collective;
    const bool persistent = request->super.super.req_persistent;
    const int variant = persistent ? NBRHOOD_PERSISTENT : NBRHOOD_NONBLOCKING;
    nbrhood_topology *topology = serving(request);
    if (topology == request->topology) {
        return;
    }
    const int interval = nbrhood_interval(
        topology, collective,
        bytes_of(nbrhood_plan_send_blocks(request->plan),
                 nbrhood_send_blocks(topology, collective)),
        bytes_of(nbrhood_plan_receive_blocks(request->plan), nbrhood_receive_blocks(topology)));
    nbrhood_plan *plan = nbrhood_plan_create(topology, collective, interval, variant,
                                             &nbrhood_pml_transport, request);
    if (NULL == plan) {
        nbrhood_pml_transport.abandon(request);
    }
    nbrhood_plan_copy_blocks(plan, request->plan);
    if (NULL != request->origin) {
        nbrhood_plan_keep_layout(plan);
    }
    if (persistent && !nbrhood_plan_find_shared(plan, request->indices)) {
        nbrhood_pml_transport.abandon(request);
    }
    nbrhood_measure_plan(request, 0);
    nbrhood_plan_destroy(request->plan);
    request->plan = plan;
    request->topology = topology;
    request->interval = interval;
    request->direct = nbrhood_is_direct(topology, collective, interval, variant);
}

void nbrhood_switch_start(nbrhood_request_t *request)
{
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    move(request);
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    nbrhood_start(request, request->tag, request->sequence++);
}

/* ---- Calls ---- */

static bool is_reached(const nbrhood_call_counts *bound, const nbrhood_request_t *request)
{
    return request->super.super.req_persistent
               ? request->number >= bound->requests || request->sequence >= bound->starts
               : request->number >= bound->calls;
}

/* Whether a call or start has come to the number that begins a build, and one can. All ranks of the
 * component come to that number. The lock is not held: MPI is called. */
static bool is_due(mca_coll_nbrhood_module_t *module, const nbrhood_switch_t *sw, bool reached)
{
    return reached && (sw->begun || (nbrhood_wait_in_finalize() && nbrhood_heritage_leave(module)));
}

/* Begins the build that is due, with a call or start that sends so much; once the one before it has
 * ended, where that is still on its way. */
static void begin_build(mca_coll_nbrhood_module_t *module, nbrhood_switch_t *sw, int collective,
                        size_t blocks, int64_t bytes)
{
    if (!sw->begun) {
        nbrhood_stage_build(module, sw, collective, (int64_t) blocks, bytes);
    } else {
        sw->blocks = (int64_t) blocks;
        sw->bytes = bytes;
    }
}

/* Of the last calls before the question, what this rank sent; then the question. */
static void look_at_size(const mca_coll_nbrhood_module_t *module, nbrhood_switch_t *sw,
                         const nbrhood_call_t *call)
{
    if (call->number < sw->ask_at) {
        const size_t blocks = nbrhood_send_blocks(module->topology, call->collective);
        sw->blocks += (int64_t) blocks;
        sw->bytes += nbrhood_bytes_of(&call->send, blocks);
    }
    nbrhood_stage_question(sw);
}

void nbrhood_count_call(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, int variant)
{
    nbrhood_switch_t *sw = &module->calls[call->collective]->change;
    nbrhood_build_let_go();
    if (NBRHOOD_PERSISTENT == variant) {
        call->topology = serving_start(module, sw, module->persistent_inits, 0);
        return;
    }
    const bool due = is_due(module, sw, sw->calls >= sw->next.calls);
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    call->number = sw->calls++;
    watch_call(sw, call->number);
    if (due) {
        const size_t blocks = nbrhood_send_blocks(module->topology, call->collective);
        begin_build(module, sw, call->collective, blocks, nbrhood_bytes_of(&call->send, blocks));
    }
    if (sw->watching && nbrhood_sum(call->number, LAST_CALLS) >= sw->ask_at) {
        look_at_size(module, sw, call);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    while (NBRHOOD_BLOCKING == variant && call->number >= sw->limit.calls) {
        opal_progress();
        opal_atomic_rmb();
    }
    call->topology = serving_call(module, sw, call->number);
}

/* Needs no lock: what is settled later is for calls that are counted later. */
bool nbrhood_goes_at_once(const mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call)
{
    const nbrhood_switch_t *sw = &module->calls[call->collective]->change;
    return !sw->possible || call->number < sw->limit.calls;
}

/* Lets the blocks of a request that is to wait, or to move, leave the device: what it moves to may
 * need host memory, and whoever starts it later may be progress. The lock is held, but not all the
 * time. */
static int leave_device(nbrhood_request_t *request, const nbrhood_switch_t *sw)
{
    int rc = OMPI_SUCCESS;
    if (request->on_device
        && (is_reached(&sw->limit, request) || serving(request) != request->topology)) {
        OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
        rc = nbrhood_request_leave_device(request);
        OPAL_THREAD_LOCK(&nbrhood_state.lock);
    }
    return rc;
}

int nbrhood_hold(nbrhood_request_t *request, bool *held)
{
    mca_coll_nbrhood_module_t *module = request->module;
    nbrhood_switch_t *sw = &module->calls[request->collective]->change;
    *held = false;
    if (!sw->possible) {
        return OMPI_SUCCESS;
    }
    const bool persistent = request->super.super.req_persistent;
    const bool due = persistent && is_due(module, sw, request->sequence >= sw->next.starts);
    nbrhood_build_let_go();
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (persistent && request->sequence >= sw->starts) {
        sw->starts = request->sequence + 1;
    }
    if (persistent) {
        watch_start(sw, request);
    }
    if (due) {
        const nbrhood_block *sent = nbrhood_plan_send_blocks(request->plan);
        const size_t blocks = nbrhood_send_blocks(request->topology, request->collective);
        int64_t bytes = 0;
        for (size_t i = 0; i < blocks; ++i) {
            bytes += (int64_t) sent[i].bytes;
        }
        begin_build(module, sw, request->collective, blocks, bytes);
    }
    const int rc = leave_device(request, sw);
    if (OMPI_SUCCESS == rc && is_reached(&sw->limit, request)) {
        opal_list_append(&sw->held, &request->active_item);
        *held = true;
    } else if (OMPI_SUCCESS == rc) {
        move(request);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return rc;
}
