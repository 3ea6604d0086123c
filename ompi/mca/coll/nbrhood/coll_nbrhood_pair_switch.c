/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Finds out what serves the alltoallvs of a communicator (class PairSwitch). The displaced module
 * serves calls until the ranks know whether messages between pairs pay. Each rank notes the
 * pairs of its first calls. Then a call begins the survey of all ranks, which runs in the
 * background. If they do not, the displaced module goes on. If they do, then from a call on
 * which the ranks agree only pairs with bytes exchange messages, or the neighbourhood collective
 * of these pairs serves. Later surveys look whether that still fits. A rank that reaches its
 * proposal waits for the agreed number inside the call. All ranks have begun the survey by then
 * and need only make progress. An init begins the first survey if no call has, and waits for its
 * end. /
 */
#include "coll_nbrhood_alltoallv.h"
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_waiting.h"

#include "opal/util/output.h"

/* ---- Surveys as activities in the background ---- */

static void tell(const nbrhood_alltoallvs_t *own)
{
    static const char *const names[] = {"default", "direct", "direct"};
    const nbrhood_pairs_view *view = &own->view;
    const uint64_t ranks = (uint64_t) ompi_comm_size(own->module->comm);
    char since[64] = "";
    if (!nbrhood_is_reporting_rank()) {
        return;
    }
    if (NBRHOOD_SERVED_DISPLACED != view->serves) {
        snprintf(since, sizeof since, ", from call %lu on%s", (unsigned long) view->first + 1,
                 NBRHOOD_SERVED_BY_GRAPH == view->serves ? ", as a graph" : "");
    }
    opal_output_verbose(
        1, nbrhood_state.output,
        "nbrhood: communicator %u (%d ranks): %s: %s%s (%lu of %lu pairs, %lu bytes each in the "
        "mean, at most %lu of one rank)",
        (unsigned) nbrhood_communicator_number(own->module->comm), (int) ranks,
        nbrhood_collective_name(own->background.collective), names[view->serves], since,
        (unsigned long) view->pairs, (unsigned long) (ranks * (ranks - 1)),
        (unsigned long) (0 != view->messages ? view->bytes / view->messages : 0),
        (unsigned long) view->largest);
}

static bool arrived(nbrhood_background_t *of, int rank, int channel, const int32_t *words,
                    size_t count)
{
    const nbrhood_alltoallvs_t *own = (nbrhood_alltoallvs_t *) of;
    (void) channel;
    const bool could = nbrhood_pair_switch_arrived(own->core, rank, words, count);
    if (could && !nbrhood_pair_switch_runs(own->core) && own->view.changed) {
        tell(own);
    }
    return could;
}

static bool take_turn(nbrhood_background_t *of, bool *done)
{
    (void) of;
    *done = false;
    return true;
}

static bool runs(const nbrhood_background_t *of)
{
    return nbrhood_pair_switch_runs(((const nbrhood_alltoallvs_t *) of)->core);
}

static void release(nbrhood_background_t *of, opal_list_t *to_start)
{
    (void) of;
    (void) to_start;
}

static const nbrhood_work_t work = {arrived, take_turn, runs, release};

static uint32_t calls_of(void *context)
{
    return ((const nbrhood_alltoallvs_t *) context)->calls;
}

/* ---- Creation and end ---- */

void nbrhood_alltoallvs_free(nbrhood_alltoallvs_t *own)
{
    if (NULL == own) {
        return;
    }
    nbrhood_requests_free(&own->idle);
    nbrhood_pairs_free(own->pairs);
    nbrhood_graph_free(own->graph);
    nbrhood_pair_switch_destroy(own->core);
    nbrhood_background_close(&own->background);
    free(own);
}

static bool is_auto(void)
{
    return NBRHOOD_ALLTOALLV_AUTO == nbrhood_number(NBRHOOD_PARAMETER_ALLTOALLV_ALGORITHM);
}

static nbrhood_alltoallvs_t *make(mca_coll_nbrhood_module_t *module, int collective)
{
    nbrhood_alltoallvs_t *own = calloc(1, sizeof *own);
    if (NULL == own) {
        return NULL;
    }
    nbrhood_background_open(&own->background, module->comm, collective, collective, &work);
    own->module = module;
    own->pairs = calloc(1, sizeof *own->pairs);
    bool made = NULL != own->pairs;
    if (is_auto()) {
        const nbrhood_pairs_host host = {own, nbrhood_build_send, nbrhood_build_expect, calls_of};
        const nbrhood_pairs_terms terms = {
            .percent = (unsigned) nbrhood_number(NBRHOOD_PARAMETER_ALLTOALLV_DENSITY),
            .bytes = nbrhood_state.values[NBRHOOD_PARAMETER_ALLTOALLV_BYTES].bytes,
            .window = (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_ALLTOALLV_SURVEY),
            .watch = (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_WATCH_CALLS)};
        own->core = nbrhood_pair_switch_create(
            ompi_comm_rank(module->comm), ompi_comm_size(module->comm), &terms, &host, &own->view);
        made = made && NULL != own->core;
    }
    if (!made) {
        nbrhood_alltoallvs_free(own);
        return NULL;
    }
    return own;
}

/* Which ranks are on this node. */
static int find_near(mca_coll_nbrhood_module_t *module)
{
    int rc = OMPI_SUCCESS;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (NULL == module->local.ranks) {
        rc = nbrhood_find_local_ranks(module);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return rc;
}

/* Leaves all calls to the displaced module, now or with a later call, when the messages of the
 * survey are complete. */
static void leave(mca_coll_nbrhood_module_t *module, int which)
{
    if (NBRHOOD_RESTS == module->alltoallvs[which]->background.state) {
        module->alltoallvs_displaced[which] = true;
        nbrhood_alltoallvs_free(module->alltoallvs[which]);
        module->alltoallvs[which] = NULL;
    }
}

/* Before the first call. Without a survey the rank has to ask now. */
static int prepare(mca_coll_nbrhood_module_t *module, int which)
{
    if (!is_auto()) {
        if (!nbrhood_everywhere_without_topology(module->comm->c_local_group)) {
            module->alltoallvs_displaced[which] = true;
            return OMPI_SUCCESS;
        }
        const int rc = find_near(module);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    module->alltoallvs[which] = make(module, NBRHOOD_ALL_ALLTOALLV + which);
    return NULL != module->alltoallvs[which] ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

/* ---- Calls for which the ranks have not decided, or are to look again ---- */

/* Only now the rank asks whether all have the component: that takes longer than some calls.
 * *everywhere: whether they have. */
static int begin_survey(nbrhood_alltoallvs_t *own, bool *everywhere)
{
    *everywhere =
        own->view.decided || nbrhood_everywhere_without_topology(own->module->comm->c_local_group);
    if (!*everywhere) {
        return OMPI_SUCCESS;
    }
    if (!nbrhood_wait_in_finalize() || OMPI_SUCCESS != find_near(own->module)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (!nbrhood_pair_switch_begin(own->core, nbrhood_parameters_number())) {
        nbrhood_build_abandon(&own->background, "there is no memory");
    }
    nbrhood_build_run(&own->background);
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return OMPI_SUCCESS;
}

/* Notes the pairs of a call or init if a survey needs them, and begins the survey that begins with
 * it. */
static int look(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                const nbrhood_side_t *receive, int variant, uint32_t number, bool *everywhere)
{
    const bool persistent = NBRHOOD_PERSISTENT == variant;
    const bool first = persistent && !own->view.decided && !nbrhood_pair_switch_runs(own->core);
    int rc = OMPI_SUCCESS;
    *everywhere = true;
    if (first || (!persistent && nbrhood_pair_switch_notes(own->core, number))) {
        rc = nbrhood_pairs_note(own->module, send, receive, own->pairs, own->core);
    }
    if (OMPI_SUCCESS == rc
        && (first || (!persistent && nbrhood_pair_switch_begins(own->core, number)))) {
        rc = begin_survey(own, everywhere);
    }
    return rc;
}

static uint32_t next_number(nbrhood_alltoallvs_t *own, int variant)
{
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    const uint32_t number = own->calls;
    /* The greatest number is that of no call. */
    own->calls += NBRHOOD_PERSISTENT == variant || UINT32_MAX - 1 == number ? 0 : 1;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return number;
}

/* A call or init with its number. */
typedef struct counted_t {
    const nbrhood_pairs_view *view;
    bool persistent;
    uint32_t number;
} counted_t;

static bool may_begin(const void *context)
{
    const counted_t *counted = context;
    return counted->number < counted->view->limit
           && (!counted->persistent || counted->view->decided);
}

/* Waits for the decision if the call or init must not begin without it. */
static int decide(nbrhood_alltoallvs_t *own, int variant, uint32_t number)
{
    const bool persistent = NBRHOOD_PERSISTENT == variant;
    nbrhood_wait_for_agreement(own->module, own->background.collective, may_begin,
                               &(counted_t){&own->view, persistent, number});
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    const int served = persistent ? nbrhood_pair_switch_serving_init(own->core, number)
                                  : nbrhood_pair_switch_serving(own->core, number);
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return persistent && NBRHOOD_SERVED_BY_GRAPH == served ? NBRHOOD_SERVED_BY_PAIRS : served;
}

int nbrhood_alltoallv_serving(mca_coll_nbrhood_module_t *module, int which,
                              const nbrhood_side_t *send, const nbrhood_side_t *receive,
                              int variant)
{
    if (MPI_IN_PLACE == send->buffer) {
        return NBRHOOD_SERVED_DISPLACED; /* on all ranks */
    }
    if (NULL == module->alltoallvs[which]) {
        const int rc = prepare(module, which);
        if (OMPI_SUCCESS != rc || module->alltoallvs_displaced[which]) {
            return rc;
        }
    }
    nbrhood_alltoallvs_t *own = module->alltoallvs[which];
    const uint32_t number = next_number(own, variant);
    bool everywhere = true;
    int served;
    nbrhood_build_release();
    if (NULL == own->core) {
        return NBRHOOD_SERVED_BY_PAIRS;
    }
    if (NBRHOOD_PERSISTENT != variant && number >= own->view.first && number < own->view.quiet_until
        && !opal_using_threads()) {
        served = own->view.serves;
    } else {
        const int rc = look(own, send, receive, variant, number, &everywhere);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        served = everywhere ? decide(own, variant, number) : NBRHOOD_SERVED_DISPLACED;
    }
    if (!everywhere
        || (own->view.decided && NBRHOOD_SERVED_DISPLACED == own->view.serves
            && UINT32_MAX == own->view.quiet_until)) {
        leave(module, which);
    }
    return served;
}
