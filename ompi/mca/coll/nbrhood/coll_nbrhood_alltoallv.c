/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* MPI_Alltoallv and MPI_Alltoallw with their nonblocking and persistent variants. The module takes
 * these slots only on communicators that span nodes; their creation costs nothing more. The
 * displaced module serves calls until the ranks know whether few pairs exchange bytes. Each rank
 * notes the pairs of its first calls. Then a call begins the survey of all ranks (class
 * PairSurvey), which runs in the background. If the pairs are many, the displaced module serves all
 * calls, and the state is freed. If they are few, the ranks agree on a call; from this call on,
 * only pairs with bytes exchange messages (coll_nbrhood_pairs.c). A rank that reaches its proposal
 * waits for the agreed number inside the call. All ranks have begun the survey by then and need
 * only make progress. An init begins the survey if no call has, and waits for its end.
 */
#include "coll_nbrhood_alltoallv.h"
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_pairs.h"
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_state.h"
#include "core/capi/nbrhood_pairs.h"
#include "core/capi/nbrhood_tags.h"

#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"

/* The state of one of the two collectives. */
typedef struct nbrhood_alltoallvs_t {
    nbrhood_background_t background; /* the survey's messages */
    mca_coll_nbrhood_module_t *module;
    nbrhood_pair_survey *survey; /* NULL: none was needed, or it has ended */
    nbrhood_pairs_view view;
    bool surveys;   /* the survey has begun */
    uint32_t calls; /* blocking and nonblocking ones that were begun */
    nbrhood_pairs_t *pairs;
    nbrhood_request_t *idle; /* of nonblocking calls */
} nbrhood_alltoallvs_t;

/* ---- The survey as an activity in the background ---- */

static bool arrived(nbrhood_background_t *of, int rank, int channel, const int32_t *words,
                    size_t count)
{
    (void) channel;
    return nbrhood_pair_survey_arrived(((nbrhood_alltoallvs_t *) of)->survey, rank, words, count);
}

static bool take_turn(nbrhood_background_t *of, bool *done)
{
    (void) of;
    *done = false;
    return true;
}

static bool runs(const nbrhood_background_t *of)
{
    return nbrhood_pair_survey_runs(((const nbrhood_alltoallvs_t *) of)->survey);
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
    nbrhood_pair_survey_destroy(own->survey);
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
    nbrhood_background_open(&own->background, module->comm, collective, &work);
    own->module = module;
    own->pairs = calloc(1, sizeof *own->pairs);
    bool made = NULL != own->pairs;
    if (is_auto()) {
        const nbrhood_pairs_host host = {own, nbrhood_build_send, nbrhood_build_expect, calls_of};
        own->survey = nbrhood_pair_survey_create(
            ompi_comm_rank(module->comm), ompi_comm_size(module->comm),
            (unsigned) nbrhood_number(NBRHOOD_PARAMETER_ALLTOALLV_DENSITY),
            nbrhood_state.values[NBRHOOD_PARAMETER_ALLTOALLV_BYTES].bytes, &host, &own->view);
        made = made && NULL != own->survey;
    } else {
        own->view = (nbrhood_pairs_view){.decided = true, .sparse = true, .limit = UINT32_MAX};
    }
    if (!made) {
        nbrhood_alltoallvs_free(own);
        return NULL;
    }
    return own;
}

static void tell(const nbrhood_alltoallvs_t *own)
{
    const nbrhood_pairs_view *view = &own->view;
    const uint64_t ranks = (uint64_t) ompi_comm_size(own->module->comm);
    char since[64] = "";
    if (!nbrhood_is_reporting_rank()) {
        return;
    }
    if (view->sparse) {
        snprintf(since, sizeof since, ", from call %lu on", (unsigned long) view->first + 1);
    }
    opal_output_verbose(
        1, nbrhood_state.output,
        "nbrhood: communicator %u (%d ranks): %s: %s%s (%lu of %lu pairs, %lu bytes each in the "
        "mean, at most %lu of one rank)",
        (unsigned) nbrhood_communicator_number(own->module->comm), (int) ranks,
        nbrhood_collective_name(own->background.collective), view->sparse ? "direct" : "default",
        since, (unsigned long) view->pairs, (unsigned long) (ranks * (ranks - 1)),
        (unsigned long) (0 != view->messages ? view->bytes / view->messages : 0),
        (unsigned long) view->largest);
}

/* Frees the survey if it has ended and all its messages are complete. */
static void end_survey(nbrhood_alltoallvs_t *own)
{
    nbrhood_build_release();
    if (NBRHOOD_RESTS == own->background.state) {
        tell(own);
        nbrhood_pair_survey_destroy(own->survey);
        own->survey = NULL;
    }
}

/* ---- The survey ---- */

static int note(nbrhood_alltoallvs_t *own)
{
    const nbrhood_pairs_t *pairs = own->pairs;
    const size_t count = pairs->receives + pairs->sends;
    int *ranks = malloc((count + 1) * sizeof *ranks);
    for (size_t i = 0; NULL != ranks && i < count; ++i) {
        ranks[i] = pairs->list[i].rank;
    }
    const bool noted =
        NULL != ranks
        && nbrhood_pair_survey_note(own->survey, ranks + pairs->receives, pairs->sends, ranks,
                                    pairs->receives, pairs->bytes);
    free(ranks);
    return noted ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
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

/* Only now the rank asks whether all have the component: that takes longer than some calls. */
static int begin_survey(nbrhood_alltoallvs_t *own)
{
    own->surveys = true;
    if (!nbrhood_everywhere_without_topology(own->module->comm->c_local_group)) {
        nbrhood_pair_survey_destroy(own->survey);
        own->survey = NULL;
        own->view.decided = true;
        return OMPI_SUCCESS;
    }
    if (!nbrhood_wait_in_finalize() || OMPI_SUCCESS != find_near(own->module)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (!nbrhood_pair_survey_begin(own->survey, nbrhood_parameters_number())) {
        nbrhood_build_abandon(&own->background, "there is no memory");
    }
    nbrhood_build_run(&own->background);
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return OMPI_SUCCESS;
}

/* Before the first call. Without a survey the rank has to ask now. */
static int prepare(mca_coll_nbrhood_module_t *module, int which, nbrhood_alltoallvs_t **own)
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
    *own = module->alltoallvs[which] = make(module, NBRHOOD_ALL_ALLTOALLV + which);
    return NULL != *own ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

/* Handles a call before the ranks have decided: notes its pairs, begins the survey if it is due,
 * and waits for the decision if the call must not begin without it. */
static int survey(nbrhood_alltoallvs_t *own, int variant, uint32_t number)
{
    int rc = OMPI_SUCCESS;
    const bool persistent = NBRHOOD_PERSISTENT == variant;
    if (!own->surveys) {
        rc = note(own);
        if (OMPI_SUCCESS == rc
            && (persistent
                || own->calls >= (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_ALLTOALLV_SURVEY))) {
            rc = begin_survey(own);
        }
    }
    while (OMPI_SUCCESS == rc && (persistent ? !own->view.decided : number >= own->view.limit)) {
        opal_progress();
        opal_atomic_rmb();
    }
    if (own->view.decided && NULL != own->survey) {
        end_survey(own);
    }
    return rc;
}

enum { DISPLACED, SERVED }; /* or an error, which is negative */

/* Counts a call, and returns whether messages between pairs serve it. */
static int count_call(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                      const nbrhood_side_t *receive, int variant)
{
    const bool persistent = NBRHOOD_PERSISTENT == variant;
    int rc = OMPI_SUCCESS;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    const uint32_t number = own->calls;
    own->calls += persistent || UINT32_MAX == number ? 0 : 1;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    if (NULL != own->survey) {
        rc = own->surveys ? OMPI_SUCCESS
                          : nbrhood_pairs_find(own->module, send, receive, own->pairs);
        if (OMPI_SUCCESS == rc) {
            rc = survey(own, variant, number);
        }
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    return own->view.decided && own->view.sparse && (persistent || number >= own->view.first)
               ? SERVED
               : DISPLACED;
}

static int serves(mca_coll_nbrhood_module_t *module, int which, const nbrhood_side_t *send,
                  const nbrhood_side_t *receive, int variant)
{
    nbrhood_alltoallvs_t *own = module->alltoallvs[which];
    int rc = OMPI_SUCCESS;
    if (MPI_IN_PLACE == send->buffer) {
        return DISPLACED; /* on all ranks */
    }
    if (NULL == own) {
        rc = prepare(module, which, &own);
        if (NULL == own) {
            return OMPI_SUCCESS == rc ? DISPLACED : rc;
        }
    }
    const int served = count_call(own, send, receive, variant);
    if (DISPLACED == served && NULL == own->survey && !own->view.sparse) {
        module->alltoallvs_displaced[which] = true;
        module->alltoallvs[which] = NULL;
        nbrhood_alltoallvs_free(own);
    }
    return served;
}

/* ---- Calls that messages between the pairs serve ---- */

static int run(mca_coll_nbrhood_module_t *module, int which, const nbrhood_side_t *send,
               const nbrhood_side_t *receive)
{
    nbrhood_pairs_t *pairs = module->alltoallvs[which]->pairs;
    const int rc = nbrhood_pairs_find(module, send, receive, pairs);
    return OMPI_SUCCESS == rc ? nbrhood_pairs_run(module, NBRHOOD_ALL_ALLTOALLV + which,
                                                  nbrhood_tag_alltoallv(), pairs)
                              : rc;
}

static nbrhood_request_t *new_request(mca_coll_nbrhood_module_t *module, int which)
{
    nbrhood_request_t *request = OBJ_NEW(nbrhood_request_t);
    if (NULL != request) {
        request->module = module;
        request->comm = module->comm;
        request->collective = NBRHOOD_ALL_ALLTOALLV + which;
        request->home = &module->alltoallvs[which]->idle;
    }
    return request;
}

static int begin(mca_coll_nbrhood_module_t *module, int which, const nbrhood_side_t *send,
                 const nbrhood_side_t *receive, ompi_request_t **request)
{
    nbrhood_alltoallvs_t *own = module->alltoallvs[which];
    int rc = nbrhood_pairs_find(module, send, receive, own->pairs);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    nbrhood_request_t *made = nbrhood_request_take(&own->idle);
    if (NULL == made) {
        made = new_request(module, which);
    }
    if (NULL == made) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    nbrhood_request_open(made);
    made->tag = nbrhood_tag_alltoallv();
    OBJ_RETAIN(module->comm); /* the application may free it while the operation is in flight */
    rc = nbrhood_pairs_begin(made, own->pairs);
    if (OMPI_SUCCESS != rc) {
        OMPI_REQUEST_FINI(&made->super.super);
        OBJ_RELEASE(made);
        OBJ_RELEASE(module->comm);
        return rc;
    }
    *request = &made->super.super;
    return OMPI_SUCCESS;
}

/* Keeps the messages of a persistent request, and the datatypes of its blocks. */
static int keep(nbrhood_request_t *request, int tag, const nbrhood_side_t *send,
                const nbrhood_side_t *receive)
{
    nbrhood_pairs_t *pairs = request->pairs = calloc(1, sizeof *request->pairs);
    int rc = NULL != pairs ? nbrhood_pairs_find(request->module, send, receive, pairs)
                           : OMPI_ERR_OUT_OF_RESOURCE;
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    size_t count = 0;
    ompi_datatype_t **types = malloc((pairs->receives + pairs->sends + 2) * sizeof *types);
    if (NULL == types) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (size_t i = 0; i < pairs->receives + pairs->sends; ++i) {
        types[count++] = pairs->list[i].type;
    }
    if (0 != pairs->to.count) {
        types[count++] = pairs->to.type;
    }
    if (0 != pairs->from.count) {
        types[count++] = pairs->from.type;
    }
    rc = nbrhood_request_keep(request, tag, types, count);
    free(types);
    request->super.super.req_start = nbrhood_pairs_start;
    return rc;
}

static int init(mca_coll_nbrhood_module_t *module, int which, const nbrhood_side_t *send,
                const nbrhood_side_t *receive, ompi_request_t **request)
{
    const uint32_t number =
        (uint32_t) OPAL_THREAD_ADD_FETCH32((int32_t *) &module->alltoallv_inits, 1) - 1;
    const int tag = nbrhood_tag_alltoallv_init(number);
    if (0 == tag) {
        return OMPI_ERR_NOT_AVAILABLE; /* on all ranks */
    }
    nbrhood_request_t *made = new_request(module, which);
    if (NULL == made) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const int rc = keep(made, tag, send, receive);
    if (OMPI_SUCCESS != rc) {
        OBJ_RELEASE(made);
        return rc;
    }
    *request = &made->super.super;
    return OMPI_SUCCESS;
}

/* ---- The entry points ---- */

#define ALLTOALLV_ARGUMENTS sbuf, scounts, sdisps, stype, rbuf, rcounts, rdisps, rtype
#define ALLTOALLW_ARGUMENTS sbuf, scounts, sdisps, stypes, rbuf, rcounts, rdisps, rtypes
#define ALLTOALLV_SIDE(s)                                                                          \
    {                                                                                              \
        .buffer = s##buf, .counts = s##counts, .displacements = s##disps, .type = s##type          \
    }
/* Displacements are in bytes. */
#define ALLTOALLW_SIDE(s)                                                                          \
    {                                                                                              \
        .buffer = s##buf, .counts = s##counts, .displacements = s##disps, .in_bytes = true,        \
        .types = s##types                                                                          \
    }

/* The module of a call, its sides, and what serves it. */
#define CALL(which, SIDE, variant)                                                                 \
    mca_coll_nbrhood_module_t *module = (mca_coll_nbrhood_module_t *) base;                        \
    nbrhood_side_t send = {.buffer = NULL}, receive = {.buffer = NULL};                            \
    int served = DISPLACED;                                                                        \
    if (!module->alltoallvs_displaced[which]) {                                                    \
        send = (nbrhood_side_t) SIDE(s);                                                           \
        receive = (nbrhood_side_t) SIDE(r);                                                        \
        served = serves(module, which, &send, &receive, variant);                                  \
    }

#define ENTRY_POINTS(name, NAME, which)                                                            \
    int nbrhood_##name##_call(NBRHOOD_##NAME##_PARAMETERS, struct ompi_communicator_t *comm,       \
                              nbrhood_base_module_t *base)                                         \
    {                                                                                              \
        CALL(which, NAME##_SIDE, NBRHOOD_BLOCKING)                                                 \
        if (DISPLACED == served) {                                                                 \
            return module->displaced.coll_##name(NAME##_ARGUMENTS, comm,                           \
                                                 module->displaced.coll_##name##_module);          \
        }                                                                                          \
        return served < 0 ? served : run(module, which, &send, &receive);                          \
    }                                                                                              \
    int nbrhood_i##name##_call(NBRHOOD_##NAME##_PARAMETERS, struct ompi_communicator_t *comm,      \
                               ompi_request_t **request, nbrhood_base_module_t *base)              \
    {                                                                                              \
        CALL(which, NAME##_SIDE, NBRHOOD_NONBLOCKING)                                              \
        if (DISPLACED == served) {                                                                 \
            return module->displaced.coll_i##name(NAME##_ARGUMENTS, comm, request,                 \
                                                  module->displaced.coll_i##name##_module);        \
        }                                                                                          \
        return served < 0 ? served : begin(module, which, &send, &receive, request);               \
    }                                                                                              \
    int nbrhood_##name##_init_call(NBRHOOD_##NAME##_PARAMETERS, struct ompi_communicator_t *comm,  \
                                   nbrhood_info_t info, ompi_request_t **request,                  \
                                   nbrhood_base_module_t *base)                                    \
    {                                                                                              \
        CALL(which, NAME##_SIDE, NBRHOOD_PERSISTENT)                                               \
        if (DISPLACED != served) {                                                                 \
            const int rc = served < 0 ? served : init(module, which, &send, &receive, request);    \
            if (OMPI_ERR_NOT_AVAILABLE != rc) {                                                    \
                return rc;                                                                         \
            }                                                                                      \
        }                                                                                          \
        return module->displaced.coll_##name##_init(NAME##_ARGUMENTS, comm, info, request,         \
                                                    module->displaced.coll_##name##_init_module);  \
    }

ENTRY_POINTS(alltoallv, ALLTOALLV, 0)
ENTRY_POINTS(alltoallw, ALLTOALLW, 1)
