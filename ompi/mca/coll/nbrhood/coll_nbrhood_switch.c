/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The choice of the topology that serves a call: the one with one message per edge, or one that was
 * built while the program runs.
 *
 * The core agrees with the other ranks on the switch point (class Switch). Until it is known, calls
 * of this rank beyond its own proposal wait: a blocking call waits inside, other requests wait in a
 * list, from which progress starts them.
 */
#include "coll_nbrhood_blocks.h"
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_on_device.h"
#include "coll_nbrhood_record.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_topology.h"
#include "coll_nbrhood_transport.h"
#include "coll_nbrhood_waiting.h"
#include "core/capi/nbrhood_tags.h"

/* ---- Callbacks of the core ---- */

static bool facts(void *context, nbrhood_own_facts *own, nbrhood_settings *settings)
{
    nbrhood_switch_t *sw = context;
    mca_coll_nbrhood_module_t *module = sw->module;
    sw->since = nbrhood_now();
    *own = (nbrhood_own_facts){.place = nbrhood_find_place(module),
                               .ranks = ompi_comm_size(module->comm),
                               .keeps_patterns = nbrhood_records()};
    own->local = nbrhood_node_ranks(module, &own->local_count);
    nbrhood_find_settings(module, module->shared, settings);
    settings->timestamp = nbrhood_timestamp();
    return NULL != own->local;
}

static uint32_t inits(void *context)
{
    return ((const nbrhood_switch_t *) context)->module->persistent_inits;
}

static void built(void *context, nbrhood_topology *topology, const nbrhood_call_counts *first,
                  bool leads)
{
    nbrhood_switch_t *sw = context;
    nbrhood_tell_built(sw->module, sw->collective, topology, first, nbrhood_now() - sw->since,
                       leads);
    if (NULL == first) {
        nbrhood_topology_destroy(topology);
        return;
    }
    sw->patterns[sw->pattern_count++] = topology;
    nbrhood_record_built(sw, topology);
}

static void decided(void *context, const nbrhood_trial_result *result)
{
    const nbrhood_switch_t *sw = context;
    nbrhood_tell_trial_result(sw->module, sw->collective, sw->patterns[sw->pattern_count - 1],
                              result);
}

static void changed(void *context)
{
    const nbrhood_switch_t *sw = context;
    nbrhood_verbose_changed(sw->module->record, sw->collective);
}

static int locality(void *context, int rank)
{
    return nbrhood_locality(((const nbrhood_switch_t *) context)->module, rank);
}

/* ---- What carries its messages needs ---- */

static bool arrived(nbrhood_background_t *of, int rank, int channel, const int32_t *words,
                    size_t count)
{
    return nbrhood_switch_arrived(((nbrhood_switch_t *) of)->core, rank, channel, words, count);
}

static bool take_turn(nbrhood_background_t *of, bool *done)
{
    nbrhood_switch *core = ((nbrhood_switch_t *) of)->core;
    *done = nbrhood_switch_wants_turn(core);
    return !*done || nbrhood_switch_take_turn(core);
}

static bool runs(const nbrhood_background_t *of)
{
    return nbrhood_switch_runs(((const nbrhood_switch_t *) of)->core);
}

static void release(nbrhood_background_t *of, opal_list_t *to_start)
{
    nbrhood_switch_t *sw = (nbrhood_switch_t *) of;
    opal_list_item_t *item;
    while (UINT32_MAX == sw->view.limit && NULL != (item = opal_list_remove_first(&sw->held))) {
        opal_list_append(to_start, item);
    }
}

static const nbrhood_work_t work = {arrived, take_turn, runs, release};

bool nbrhood_switch_open(nbrhood_switch_t *sw, mca_coll_nbrhood_module_t *module, int collective)
{
    nbrhood_background_open(&sw->background, module->comm, nbrhood_called(module, collective),
                            0 == module->stands_for
                                ? collective
                                : nbrhood_build_tags(module->stands_for, module->graph_number),
                            &work);
    OBJ_CONSTRUCT(&sw->held, opal_list_t);
    sw->module = module;
    sw->collective = collective;
    if (!nbrhood_may_build(module->topology, collective)) {
        return true;
    }
    const nbrhood_switch_host host = {
        sw,      locality, nbrhood_build_send, nbrhood_build_expect, facts, inits, built,
        decided, changed};
    /* There are no questions about sizes if the user names the size. */
    const nbrhood_switch_terms terms = {
        .build_after = (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_BUILD_AFTER),
        .trial_calls = (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_TRIAL_CALLS),
        .watch_calls = 0 == module->shared->block_bytes
                           ? (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_WATCH_CALLS)
                           : 0,
        .reuse = 0 != module->shared->reuse};
    sw->core = nbrhood_switch_create(module->topology, collective, terms, &host, &sw->view);
    return NULL != sw->core;
}

void nbrhood_switch_close(nbrhood_switch_t *sw)
{
    nbrhood_switch_destroy(sw->core);
    for (int i = 0; i < sw->pattern_count; ++i) {
        nbrhood_topology_destroy(sw->patterns[i]);
    }
    OBJ_DESTRUCT(&sw->held);
    nbrhood_background_close(&sw->background);
}

/* ---- The topology of a call ---- */

static nbrhood_topology *numbered(const nbrhood_switch_t *sw, int pattern)
{
    return NBRHOOD_DIRECT_MESSAGES == pattern ? sw->module->topology : sw->patterns[pattern];
}

static size_t bytes_of(const nbrhood_block *blocks, size_t count)
{
    return 0 < count ? blocks[0].bytes : 0;
}

static const nbrhood_switch_t *switch_of(const nbrhood_request_t *request)
{
    return &request->module->calls[request->collective]->change;
}

static nbrhood_topology *serving(const nbrhood_request_t *request)
{
    const nbrhood_switch_t *sw = switch_of(request);
    return numbered(sw,
                    request->super.super.req_persistent
                        ? nbrhood_switch_serving_start(sw->core, request->number, request->sequence)
                        : nbrhood_switch_serving_call(sw->core, request->number));
}

/* Moves a request, whose blocks are bound and which is not in flight, to a plan of the topology
 * that serves it now. The lock is held. */
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
    request->direct = nbrhood_is_direct(topology, collective, interval);
}

/* ---- Calls ---- */

/* Lets progress run an activity that the core may have begun with a call or start. The lock is
 * held. */
static void go_on(nbrhood_switch_t *sw, bool told)
{
    if (!told) {
        nbrhood_build_abandon(&sw->background, "there is no memory");
    }
    if (nbrhood_switch_runs(sw->core)) {
        nbrhood_build_run(&sw->background);
    }
}

/* Whether the process can begin a build; the lock is not held, because this calls MPI. */
static bool can_build(const mca_coll_nbrhood_module_t *module)
{
    return nbrhood_wait_in_finalize()
           && (0 != module->stands_for || nbrhood_let_duplicates_inherit(module));
}

static nbrhood_call_facts sent_by(const nbrhood_switch_t *sw, const nbrhood_call_t *call)
{
    const size_t blocks = nbrhood_send_blocks(sw->module->topology, call->collective);
    return (nbrhood_call_facts){.blocks = blocks, .bytes = nbrhood_bytes_of(&call->send, blocks)};
}

static void tell_init(nbrhood_switch_t *sw, const nbrhood_call_t *call)
{
    if (!nbrhood_switch_init_wants_build(sw->core, sw->calls)) {
        return;
    }
    nbrhood_call_facts init_facts = sent_by(sw, call);
    init_facts.may_build = can_build(sw->module);
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    init_facts.calls = sw->calls;
    init_facts.now = nbrhood_now();
    go_on(sw, nbrhood_switch_begin_init(sw->core, &init_facts));
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
}

static void tell_call(nbrhood_switch_t *sw, nbrhood_call_t *call)
{
    nbrhood_call_facts call_facts = sent_by(sw, call);
    call_facts.may_build =
        nbrhood_switch_call_wants_build(sw->core, sw->calls) && can_build(sw->module);
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    call->number = call_facts.calls = sw->calls++;
    call_facts.alone = 0 == sw->pending;
    call_facts.now = nbrhood_now();
    go_on(sw, nbrhood_switch_begin_call(sw->core, &call_facts));
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
}

/* A call with its number. */
typedef struct counted_t {
    const nbrhood_switch_t *sw;
    uint32_t number;
} counted_t;

static bool goes_at_once(const void *context)
{
    const counted_t *counted = context;
    return counted->number < counted->sw->view.limit;
}

void nbrhood_count_call(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, int variant)
{
    nbrhood_switch_t *sw = &module->calls[call->collective]->change;
    if (NBRHOOD_PERSISTENT == variant) {
        nbrhood_build_release();
        tell_init(sw, call);
        call->topology =
            numbered(sw, nbrhood_switch_serving_start(sw->core, module->persistent_inits, 0));
    } else if (sw->calls < sw->view.quiet_until && !opal_using_threads()) {
        call->number = sw->calls++;
        call->topology = numbered(sw, sw->view.serves);
    } else {
        nbrhood_build_release();
        tell_call(sw, call);
        if (NBRHOOD_BLOCKING == variant) {
            nbrhood_wait_for_agreement(module, call->collective, goes_at_once,
                                       &(counted_t){sw, call->number});
        }
        call->topology = numbered(sw, nbrhood_switch_serving_call(sw->core, call->number));
    }
}

/* Needs no lock: a later decision concerns only calls that are counted later. */
bool nbrhood_goes_at_once(const mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call)
{
    const nbrhood_switch_t *sw = &module->calls[call->collective]->change;
    return NULL == sw->core || call->number < sw->view.limit;
}

static bool is_held(const nbrhood_request_t *request)
{
    const nbrhood_switch_t *sw = switch_of(request);
    return request->super.super.req_persistent
               ? nbrhood_switch_holds_start(sw->core, request->number, request->sequence)
               : request->number >= sw->view.limit;
}

/* Gives a request that will wait, or move to another plan, a mirror of its blocks on the device.
 * The other plan may need host memory, and progress, which may start the request later, cannot make
 * a mirror. Called with the lock, which it releases meanwhile. */
static int leave_device(nbrhood_request_t *request)
{
    int rc = OMPI_SUCCESS;
    if (request->on_device && (is_held(request) || serving(request) != request->topology)) {
        OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
        rc = nbrhood_request_leave_device(request);
        OPAL_THREAD_LOCK(&nbrhood_state.lock);
    }
    return rc;
}

static void tell_start(nbrhood_switch_t *sw, nbrhood_request_t *request, bool may_build)
{
    const nbrhood_block *sent = nbrhood_plan_send_blocks(request->plan);
    nbrhood_call_facts start_facts = {
        .blocks = nbrhood_send_blocks(request->topology, request->collective),
        .calls = sw->calls,
        .may_build = may_build,
        .now = nbrhood_now()};
    for (size_t i = 0; i < start_facts.blocks; ++i) {
        start_facts.bytes += (int64_t) sent[i].bytes;
    }
    go_on(sw,
          nbrhood_switch_begin_start(sw->core, request->number, request->sequence, &start_facts));
}

int nbrhood_hold(nbrhood_request_t *request, bool *held)
{
    nbrhood_switch_t *sw = &request->module->calls[request->collective]->change;
    *held = false;
    if (NULL == sw->core || request->is_final) {
        return OMPI_SUCCESS;
    }
    const bool persistent = request->super.super.req_persistent;
    if (!persistent && request->number < sw->view.quiet_until) {
        return OMPI_SUCCESS; /* its plan serves it already */
    }
    const bool may_build = persistent
                           && nbrhood_switch_start_wants_build(sw->core, request->sequence)
                           && can_build(request->module);
    nbrhood_build_release();
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (persistent) {
        tell_start(sw, request, may_build);
    }
    const int rc = leave_device(request);
    if (OMPI_SUCCESS == rc && is_held(request)) {
        opal_list_append(&sw->held, &request->active_item);
        *held = true;
    } else if (OMPI_SUCCESS == rc) {
        move(request);
        request->is_final = persistent && nbrhood_switch_is_final(sw->core, request->sequence);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return rc;
}

/* ---- Held calls ---- */

void nbrhood_switch_start(nbrhood_request_t *request)
{
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    move(request);
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    nbrhood_start(request, request->tag, request->sequence++);
}
