/* The stages in which ranks settle what serves a collective: a build beside the program, the trial
 * of what was built, the question whether blocks still have the size for which that was decided.
 *
 * All ranks of a connected component learn from which call on a pattern serves, or direct messages
 * do again. coll_nbrhood_switch.c counts the calls that begin each stage, and serves them.
 */
#include "coll_nbrhood_build.h"

#include <stdlib.h>

#include "opal/runtime/opal_progress.h"

/* How many more calls a rank may begin while it is settled from where on something else serves: a
 * quarter of those it made since that began, but no more than MOST_AHEAD, and SPARE_CALLS. Numbers
 * go up and down a tree once, a part of what a build does; and who receives nothing, and so waits
 * for nobody, may have begun hundreds by then. */
enum { PART_AHEAD = 4, MOST_AHEAD = 16, SPARE_CALLS = 4 };

/* Where no pattern gains with the blocks that calls have, ranks build again after this many times
 * as many calls: a build in doubt and its trial take as long as some 20 calls, which are to be a
 * fortieth of those made by then. All know the number without asking. */
enum { ASK_AGAIN = 8 };

static const nbrhood_call_counts no_number = {UINT32_MAX, UINT32_MAX, UINT32_MAX};

void nbrhood_switch_open(nbrhood_switch_t *sw, const nbrhood_topology *topology, int collective)
{
    OBJ_CONSTRUCT(&sw->held, opal_list_t);
    sw->possible = nbrhood_may_build(topology, collective);
    sw->next.calls = sw->next.starts = (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_BUILD_AFTER);
    sw->limit = sw->first = sw->back = no_number;
    for (int round = 0; round < NBRHOOD_TRIAL_ROUNDS; ++round) {
        sw->rounds[round] = no_number;
    }
    sw->bequeaths = sw->whole_requests = UINT32_MAX;
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
    const uint32_t part = (number - since) / PART_AHEAD;
    return number + (part < MOST_AHEAD ? part : MOST_AHEAD) + SPARE_CALLS;
}

nbrhood_call_counts nbrhood_switch_freeze(nbrhood_switch_t *sw,
                                          const mca_coll_nbrhood_module_t *module)
{
    sw->limit.calls = ahead(sw->calls, sw->before.calls);
    if (!nbrhood_is_first(sw)) {
        return sw->limit; /* persistent requests stay with what they have */
    }
    sw->limit.starts = ahead(sw->starts, sw->before.starts);
    /* None is spared: an init does not wait, and what is made from here on then has the pattern
     * from its first start. */
    sw->limit.requests = module->persistent_inits;
    return sw->limit;
}

static uint32_t later(uint32_t number)
{
    return number <= UINT32_MAX / ASK_AGAIN ? ASK_AGAIN * number : UINT32_MAX;
}

void nbrhood_stage_build(mca_coll_nbrhood_module_t *module, nbrhood_switch_t *sw, int collective,
                         int64_t blocks, int64_t bytes)
{
    sw->begun = true;
    sw->next.calls = later(sw->next.calls);
    sw->next.starts = later(sw->next.starts);
    sw->concludes_trial = false;
    sw->before.calls = sw->calls;
    sw->before.starts = sw->starts;
    sw->since = nbrhood_now();
    sw->task = nbrhood_task_begin(module, collective, blocks, bytes);
}

void nbrhood_stage_measure(nbrhood_switch_t *sw)
{
    if (NULL == sw->trial) {
        sw->trial = nbrhood_trial_make(NBRHOOD_TRIAL_BLOCKS * nbrhood_trial_block_calls());
    }
}

static void forget_measured(nbrhood_switch_t *sw)
{
    free(sw->trial);
    sw->trial = NULL;
}

void nbrhood_stage_verdict(nbrhood_switch_t *sw, uint32_t since)
{
    const nbrhood_trial_t *trial = sw->trial;
    if (since < NBRHOOD_TRIAL_BLOCKS * nbrhood_trial_block_calls()) {
        return;
    }
    sw->trying = false;
    sw->concludes_trial = true;
    sw->before.calls = sw->calls;
    sw->before.starts = sw->starts;
    sw->since = nbrhood_now();
    nbrhood_task_try(sw->task, nbrhood_trial_calls(trial), nbrhood_trial_starts(trial),
                     NBRHOOD_TRIAL_BLOCKS * nbrhood_trial_block_calls());
    forget_measured(sw);
}

/* What serves calls for good, as far as that is settled; NULL: direct messages. */
static nbrhood_topology *settled_on(const nbrhood_switch_t *sw)
{
    return UINT32_MAX != sw->first.calls && UINT32_MAX == sw->back.calls ? sw->built : NULL;
}

/* The first pattern serves for good, or direct messages do, from call `number` on: one agreed on,
 * above those that ranks had begun when they took part in that. Duplicates that are made after that
 * call inherit. */
static void settle(nbrhood_switch_t *sw, uint32_t number)
{
    if (nbrhood_is_first(sw)) {
        sw->bequeaths = number + 1;
        sw->bequest = settled_on(sw);
    }
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
    sw->interval = sw->window;
    sw->ask_at = nbrhood_sum(number, sw->interval);
    sw->blocks = sw->bytes = 0;
}

/* A pattern serves from now on, or, where it is NULL, direct messages. Of persistent requests only
 * the first decides. */
static void serve(nbrhood_switch_t *sw, const nbrhood_call_counts *first,
                  nbrhood_topology *topology, bool in_doubt)
{
    sw->earlier = settled_on(sw);
    if (nbrhood_is_first(sw)) {
        sw->first = *first;
        sw->whole_requests = in_doubt ? UINT32_MAX : first->requests;
    }
    sw->first.calls = first->calls;
    sw->back.calls = UINT32_MAX;
    sw->built = topology;
    if (NULL != topology) {
        sw->all[sw->builds++] = topology;
    }
}

/* The next calls and starts from these numbers on are those that are measured. Of persistent
 * requests only the first pattern is tried, and whatever was tried with a start stays known: other
 * requests may come to that start later. */
static void begin_round(nbrhood_switch_t *sw, const nbrhood_call_counts *from)
{
    if (nbrhood_is_first(sw)) {
        sw->rounds[sw->round] = *from;
    }
    sw->rounds[sw->round].calls = from->calls;
    sw->trying = true;
    nbrhood_stage_measure(sw);
}

/* Of the first round of a first pattern the first block is that of the last direct calls before the
 * build, so that the pattern serves as soon as it is there. The round is numbered as if they came
 * just before its first call. Returns their number. */
static uint32_t take_in_block_before(uint32_t *from)
{
    const uint32_t block = nbrhood_trial_block_calls();
    const uint32_t before = *from >= block ? block : 0;
    *from -= before;
    return before;
}

static void begin_first_round(nbrhood_switch_t *sw)
{
    nbrhood_call_counts from = sw->first;
    if (nbrhood_is_first(sw)) {
        const uint32_t calls = take_in_block_before(&from.calls);
        nbrhood_stage_measure(sw);
        nbrhood_trial_go_on(sw->trial, calls, take_in_block_before(&from.starts));
    }
    begin_round(sw, &from);
}

static void begin_trial(nbrhood_task_t *task, nbrhood_switch_t *sw)
{
    if (!nbrhood_build_prepare_trial(task->build)) {
        nbrhood_task_abandon(task, "there is no memory");
    }
    task->goes_on = true;
    for (int round = 0; round < NBRHOOD_TRIAL_ROUNDS; ++round) {
        sw->rounds[round].calls = UINT32_MAX;
    }
    sw->round = 0;
    begin_first_round(sw);
}

/* Where no pattern gains with the first blocks ranks build again later; at once where this one has
 * come to that number before it heard of the end of this build. */
static void give_up_first(nbrhood_task_t *task, nbrhood_switch_t *sw)
{
    forget_measured(sw);
    if (!nbrhood_build_may_gain_later(task->build)) {
        sw->next = no_number;
        return;
    }
    sw->vain = nbrhood_build_vain(task->build);
    sw->begun = false;
    if (sw->calls > sw->next.calls || sw->starts > sw->next.starts) {
        nbrhood_stage_build(task->module, sw, task->collective, sw->blocks, sw->bytes);
    }
}

/* Where none gains with blocks of another size, the one that serves is given up. */
static void give_up(nbrhood_task_t *task, nbrhood_switch_t *sw)
{
    nbrhood_call_counts from;
    if (nbrhood_build_first_direct(task->build, &from)) {
        serve(sw, &from, NULL, false);
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
        serve(sw, &first, topology, nbrhood_build_in_doubt(task->build));
    }
    nbrhood_tell_built(task->module, task->collective, topology, serves ? &sw->first : NULL,
                       nbrhood_now() - sw->since, leads);
    if (!serves) {
        nbrhood_topology_destroy(topology);
        if (nbrhood_is_first(sw)) {
            give_up_first(task, sw);
        } else {
            give_up(task, sw);
        }
        return;
    }
    nbrhood_record_built(task->module, task->build, topology);
    sw->next = no_number;
    if (0 == nbrhood_trial_block_calls()) {
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
    if (!verdict.decided) {
        ++sw->round;
        begin_round(sw, &settled);
        return;
    }
    if (!verdict.keep && nbrhood_is_first(sw)) {
        sw->back = settled;
    } else if (!verdict.keep) {
        sw->back.calls = settled.calls;
    } else if (nbrhood_is_first(sw) && UINT32_MAX == sw->whole_requests) {
        sw->whole_requests = settled.requests;
    }
    settle(sw, settled.calls);
    nbrhood_tell_verdict(task->module, task->collective, &verdict);
    begin_watching(task, sw, settled.calls);
}

/* Of the intervals between questions, which double as long as blocks keep their size: most do
 * forever, and a question takes as long as a message or two. */
enum { LONGEST_INTERVAL = 16 };

/* Where blocks have another size now, ranks build anew, and ask half as often from then on. */
static void conclude_question(nbrhood_task_t *task, nbrhood_switch_t *sw)
{
    sw->asking = false;
    if (nbrhood_build_changed(task->build)) {
        task->goes_on = sw->watching = false;
        sw->window = nbrhood_sum(sw->window, sw->window);
        nbrhood_verbose_changed(task->module->record, task->collective);
        nbrhood_stage_build(task->module, sw, task->collective, sw->blocks, sw->bytes);
    } else {
        if (sw->interval / LONGEST_INTERVAL < sw->window) {
            sw->interval = nbrhood_sum(sw->interval, sw->interval);
        }
        sw->ask_at = nbrhood_sum(sw->ask_at, sw->interval);
    }
    sw->blocks = sw->bytes = 0;
}

void nbrhood_stage_question(nbrhood_switch_t *sw)
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
    const uint32_t tried = NBRHOOD_TRIAL_BLOCKS * nbrhood_trial_block_calls();
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
    if (sw->trying && sw->calls > nbrhood_sum(sw->rounds[sw->round].calls, tried)) {
        nbrhood_stage_verdict(sw, tried);
    }
    nbrhood_stage_question(sw);
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
    sw->next = no_number;
    sw->bequest = nbrhood_topology_share(settled->built);
    if (NULL != sw->bequest) {
        sw->built = sw->all[sw->builds++] = sw->bequest;
        sw->first = (nbrhood_call_counts){0, 0, 0};
        sw->whole_requests = 0;
    }
}
