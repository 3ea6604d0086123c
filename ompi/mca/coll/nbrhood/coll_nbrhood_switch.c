/* Which topology serves a call: the one that sends one message per edge, or one that was built
 * while the program runs.
 *
 * All ranks of a connected component learn from which call on the pattern serves; a trial may find
 * that direct messages are faster after all, and then they learn from which call on these serve
 * again. Calls that a rank makes while such a number is being settled, beyond those that it has
 * announced, wait: a blocking call in itself, others in a list, from which progress starts them.
 */
#include "coll_nbrhood_blocks.h"
#include "coll_nbrhood_build.h"
#include "coll_nbrhood_on_device.h"

#include <stdlib.h>

#include "opal/runtime/opal_progress.h"

/* How many more calls a rank may begin while it is settled from where on something else serves: as
 * many as it made since that began, and these. */
enum { SPARE_CALLS = 4 };

/* Where no pattern gains with the blocks that calls have, ranks build again after this many times
 * as many calls. */
enum { ASK_AGAIN = 4 };

/* The last calls before a question about the size of blocks, of which it is. */
enum { LAST_CALLS = 8 };

static const nbrhood_call_counts no_number = {UINT32_MAX, UINT32_MAX, UINT32_MAX};

/* ---- Trials ---- */

/* Whether nothing is settled yet: what comes next is for persistent requests and duplicates, too.
 */
static bool is_first(const nbrhood_switch_t *sw)
{
    return UINT32_MAX == sw->bequeaths;
}

static uint32_t trial_calls(void)
{
    return (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_TRIAL_CALLS);
}

/* A call, or a start, with a number from `first` on: the one behind the trial begins the verdict.
 * The lock is held. */
static void watch(nbrhood_switch_t *sw, uint32_t since)
{
    nbrhood_trial_t *trial = sw->trial;
    if (since < NBRHOOD_TRIAL_BLOCKS * trial_calls()) {
        return;
    }
    sw->trying = false;
    sw->concludes_trial = true;
    sw->before.calls = sw->calls;
    sw->before.starts = sw->starts;
    sw->since = nbrhood_now();
    nbrhood_task_try(sw->task, nbrhood_trial_calls(trial), nbrhood_trial_starts(trial),
                     NBRHOOD_TRIAL_BLOCKS * trial_calls());
    free(trial);
    sw->trial = NULL;
}

static void watch_call(nbrhood_switch_t *sw, uint32_t number)
{
    if (sw->trying && number >= sw->first.calls) {
        const uint32_t since = number - sw->first.calls;
        nbrhood_trial_note_call(sw->trial, since);
        watch(sw, since);
    }
}

static void watch_start(nbrhood_switch_t *sw, const nbrhood_request_t *request)
{
    if (!sw->trying || !is_first(sw) || request->number >= sw->first.requests
        || request->sequence < sw->first.starts) {
        return;
    }
    const uint32_t since = request->sequence - sw->first.starts;
    nbrhood_trial_note_start(sw->trial, request->number, since);
    watch(sw, since);
}

/* ---- What serves ---- */

static bool in_direct_block(uint32_t since)
{
    return 0 != trial_calls() && nbrhood_trial_is_direct(since / trial_calls());
}

static nbrhood_topology *serving_call(const mca_coll_nbrhood_module_t *module,
                                      const nbrhood_switch_t *sw, uint32_t number)
{
    nbrhood_topology *built = sw->built;
    if (number < sw->first.calls) {
        built = sw->earlier;
    } else if (number >= sw->back.calls || in_direct_block(number - sw->first.calls)) {
        built = NULL;
    }
    return NULL != built ? built : module->topology;
}

/* What serves calls for good, as far as that is settled; NULL: direct messages. */
static nbrhood_topology *settled_on(const nbrhood_switch_t *sw)
{
    return UINT32_MAX != sw->first.calls && UINT32_MAX == sw->back.calls ? sw->built : NULL;
}

/* Requests that were made after those that the trial looks at take no part in it, and what is built
 * later is not for them: a request's blocks keep their size. */
static nbrhood_topology *serving_start(const mca_coll_nbrhood_module_t *module,
                                       const nbrhood_switch_t *sw, uint32_t request, uint32_t start)
{
    bool direct;
    if (request >= sw->back.requests || start >= sw->back.starts) {
        direct = true;
    } else if (request >= sw->first.requests) {
        direct = false;
    } else {
        direct = start < sw->first.starts || in_direct_block(start - sw->first.starts);
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

/* ---- When something else serves ---- */

void nbrhood_switch_open(nbrhood_switch_t *sw, const nbrhood_topology *topology, int collective)
{
    OBJ_CONSTRUCT(&sw->held, opal_list_t);
    sw->possible = nbrhood_may_build(topology, collective);
    sw->next.calls = sw->next.starts = (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_BUILD_AFTER);
    sw->limit = sw->first = sw->back = no_number;
    sw->bequeaths = UINT32_MAX;
    sw->window = (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_WATCH_CALLS);
}

void nbrhood_switch_close(nbrhood_switch_t *sw)
{
    OBJ_DESTRUCT(&sw->held);
    nbrhood_task_free(sw->task);
    free(sw->trial);
    for (int i = 0; i < sw->builds; ++i) {
        nbrhood_topology_destroy(sw->all[i]);
    }
}

static uint32_t ahead(uint32_t number, uint32_t since)
{
    return number + (number - since) + SPARE_CALLS;
}

nbrhood_call_counts nbrhood_switch_freeze(nbrhood_switch_t *sw,
                                          const mca_coll_nbrhood_module_t *module)
{
    sw->limit.calls = ahead(sw->calls, sw->before.calls);
    if (!is_first(sw)) {
        return sw->limit; /* persistent requests stay with what they have */
    }
    sw->limit.starts = ahead(sw->starts, sw->before.starts);
    /* None is spared: an init does not wait, and what is made from here on then has the pattern
     * from its first start. */
    sw->limit.requests = module->persistent_inits;
    return sw->limit;
}

/* A build, with what this rank sends in the call or start that begins it. The lock is held. */
static void begin(mca_coll_nbrhood_module_t *module, nbrhood_switch_t *sw, int collective,
                  int64_t blocks, int64_t bytes)
{
    sw->begun = true;
    sw->concludes_trial = false;
    sw->before.calls = sw->calls;
    sw->before.starts = sw->starts;
    sw->since = nbrhood_now();
    sw->task = nbrhood_task_begin(module, collective, blocks, bytes);
}

/* The first pattern serves for good, or direct messages do, from call `number` on: one agreed on,
 * above those that ranks had begun when they took part in that. Duplicates that are made after that
 * call inherit. */
static void settle(nbrhood_switch_t *sw, uint32_t number)
{
    if (is_first(sw)) {
        sw->bequeaths = number + 1;
        sw->bequest = settled_on(sw);
    }
}

static uint32_t later(uint32_t number)
{
    return number <= UINT32_MAX / ASK_AGAIN ? ASK_AGAIN * number : UINT32_MAX;
}

static uint32_t sum(uint32_t a, uint32_t b)
{
    return a <= UINT32_MAX - b ? a + b : UINT32_MAX;
}

/* What was decided serves from call `number` on. Whether blocks keep the size for which it was is
 * asked from there on, unless the user says what size they have. */
static void begin_watching(nbrhood_task_t *task, nbrhood_switch_t *sw, uint32_t number)
{
    task->goes_on =
        0 != sw->window && NBRHOOD_BUILDS > sw->builds && 0 == task->module->shared->block_bytes;
    if (task->goes_on && !nbrhood_build_prepare_watch(task->build)) {
        nbrhood_task_abandon(task, "there is no memory");
    }
    sw->watching = task->goes_on;
    sw->ask_at = sum(number, sw->window);
    sw->blocks = sw->bytes = 0;
}

/* A pattern serves from now on, or, where it is NULL, direct messages. Of persistent requests only
 * the first decides. */
static void serve(nbrhood_switch_t *sw, const nbrhood_call_counts *first,
                  nbrhood_topology *topology)
{
    sw->earlier = settled_on(sw);
    if (is_first(sw)) {
        sw->first = *first;
    }
    sw->first.calls = first->calls;
    sw->back.calls = UINT32_MAX;
    sw->built = topology;
    if (NULL != topology) {
        sw->all[sw->builds++] = topology;
    }
}

static void begin_trial(nbrhood_task_t *task, nbrhood_switch_t *sw)
{
    if (!nbrhood_build_prepare_trial(task->build)) {
        nbrhood_task_abandon(task, "there is no memory");
    }
    task->goes_on = sw->trying = true;
    sw->trial = nbrhood_trial_make(NBRHOOD_TRIAL_BLOCKS * trial_calls());
}

/* Where no pattern gains: the one that serves, for blocks of another size, is given up; where there
 * is none, ranks may build again later. */
static void give_up(nbrhood_task_t *task, nbrhood_switch_t *sw)
{
    nbrhood_call_counts from;
    if (!nbrhood_build_not_before(task->build, &from)) {
        return; /* what serves now goes on */
    }
    if (is_first(sw)) {
        sw->next.calls = later(from.calls);
        sw->next.starts = later(from.starts);
        sw->vain_bytes = nbrhood_build_vain_bytes(task->build);
        sw->begun = false;
    } else {
        serve(sw, &from, NULL);
        begin_watching(task, sw, from.calls);
    }
}

static void conclude_build(nbrhood_task_t *task, nbrhood_switch_t *sw)
{
    nbrhood_topology *topology = nbrhood_build_take(task->build);
    nbrhood_call_counts first;
    if (NULL == topology) {
        nbrhood_task_abandon(task, "there is no memory for the pattern");
    }
    const bool leads = nbrhood_build_leads(task->build);
    const bool serves = nbrhood_build_first(task->build, &first);
    if (serves) {
        serve(sw, &first, topology);
    }
    nbrhood_tell_built(task->module, task->collective, topology, serves ? &sw->first : NULL,
                       nbrhood_now() - sw->since, leads);
    if (!serves) {
        nbrhood_topology_destroy(topology);
        give_up(task, sw);
        return;
    }
    if (0 == trial_calls()) {
        settle(sw, sw->first.calls);
        begin_watching(task, sw, sw->first.calls);
    } else {
        begin_trial(task, sw);
    }
}

static void conclude_trial(nbrhood_task_t *task, nbrhood_switch_t *sw)
{
    nbrhood_call_counts settled;
    const nbrhood_verdict verdict = nbrhood_build_verdict(task->build, &settled);
    if (!verdict.keep && is_first(sw)) {
        sw->back = settled;
    } else if (!verdict.keep) {
        sw->back.calls = settled.calls;
    }
    settle(sw, settled.calls);
    nbrhood_tell_verdict(task->module, task->collective, &verdict);
    begin_watching(task, sw, settled.calls);
}

/* Where blocks have another size now, ranks build anew, and ask half as often from then on. */
static void conclude_question(nbrhood_task_t *task, nbrhood_switch_t *sw)
{
    sw->asking = false;
    if (nbrhood_build_changed(task->build)) {
        task->goes_on = sw->watching = false;
        sw->window = sum(sw->window, sw->window);
        nbrhood_verbose_changed(task->module->record, task->collective);
        begin(task->module, sw, task->collective, sw->blocks, sw->bytes);
    } else {
        sw->ask_at = sum(sw->ask_at, sw->window);
    }
    sw->blocks = sw->bytes = 0;
}

/* Asks, with the call that is to ask or, where this rank made it before the last answer came, with
 * that. All ranks make it. */
static void ask(nbrhood_switch_t *sw)
{
    if (sw->watching && !sw->asking && sw->calls > sw->ask_at) {
        sw->asking = true;
        nbrhood_task_watch(sw->task, sw->blocks, sw->bytes);
    }
}

void nbrhood_switch_conclude(nbrhood_task_t *task, opal_list_t *to_start)
{
    nbrhood_switch_t *sw = nbrhood_switch_of(task);
    opal_list_item_t *item;
    const uint32_t tried = NBRHOOD_TRIAL_BLOCKS * trial_calls();
    if (sw->asking) {
        conclude_question(task, sw);
    } else if (sw->concludes_trial) {
        conclude_trial(task, sw);
    } else {
        conclude_build(task, sw);
    }
    sw->limit = no_number;
    while (NULL != (item = opal_list_remove_first(&sw->held))) {
        opal_list_append(to_start, item);
    }
    /* Nonblocking calls that waited may be all that the trial wants, or the question. */
    if (sw->trying && sw->calls > sum(sw->first.calls, tried)) {
        watch(sw, tried);
    }
    ask(sw);
}

/* ---- Duplicates ---- */

nbrhood_settled_t nbrhood_settled_share(const nbrhood_settled_t *settled)
{
    return (nbrhood_settled_t){settled->settled, nbrhood_topology_share(settled->built)};
}

/* What the calls so far say of a duplicate; *settled: what it inherits. */
static int look_at_heir(nbrhood_switch_t *sw, nbrhood_settled_t *settled)
{
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    const int heir = nbrhood_heir_after(sw->calls, sw->limit.calls, sw->bequeaths);
    if (NBRHOOD_HEIR_INHERITS == heir) {
        settled->settled = true;
        settled->built = nbrhood_topology_share(sw->bequest);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return heir;
}

nbrhood_settled_t nbrhood_switch_settled(nbrhood_switch_t *sw)
{
    nbrhood_settled_t settled = {false, NULL};
    /* Others may know already; all take part. */
    while (NBRHOOD_HEIR_NOT_KNOWN == look_at_heir(sw, &settled)) {
        opal_progress();
    }
    return settled;
}

void nbrhood_switch_inherit(nbrhood_switch_t *sw, const nbrhood_settled_t *settled)
{
    sw->begun = true;
    sw->bequeaths = 0;
    sw->bequest = nbrhood_topology_share(settled->built);
    if (NULL != sw->bequest) {
        sw->built = sw->all[sw->builds++] = sw->bequest;
        sw->first = (nbrhood_call_counts){0, 0, 0};
        sw->calls = NBRHOOD_TRIAL_BLOCKS * trial_calls(); /* numbers behind a trial */
    }
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

/* Whether a build begins, with the call or start that has come to its number. All ranks of the
 * component come to that number. The lock is not held: MPI is called. */
static bool is_due(mca_coll_nbrhood_module_t *module, const nbrhood_switch_t *sw, bool reached)
{
    return reached && !sw->begun && nbrhood_wait_in_finalize() && nbrhood_heritage_leave(module);
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
    ask(sw);
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
    if (due) {
        const size_t blocks = nbrhood_send_blocks(module->topology, call->collective);
        begin(module, sw, call->collective, (int64_t) blocks,
              nbrhood_bytes_of(&call->send, blocks));
    }
    watch_call(sw, call->number);
    if (sw->watching && sum(call->number, LAST_CALLS) >= sw->ask_at) {
        look_at_size(module, sw, call);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    while (NBRHOOD_BLOCKING == variant && call->number >= sw->limit.calls) {
        opal_progress();
        opal_atomic_rmb();
    }
    call->topology = serving_call(module, sw, call->number);
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
    if (due) {
        const nbrhood_block *sent = nbrhood_plan_send_blocks(request->plan);
        const size_t blocks = nbrhood_send_blocks(request->topology, request->collective);
        int64_t bytes = 0;
        for (size_t i = 0; i < blocks; ++i) {
            bytes += (int64_t) sent[i].bytes;
        }
        begin(module, sw, request->collective, (int64_t) blocks, bytes);
    }
    if (persistent) {
        watch_start(sw, request);
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
