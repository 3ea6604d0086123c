/* Building a pattern while the program runs, and the switch to it.
 *
 * Until auto has a pattern for a collective of a communicator, calls send one message per edge.
 * Call number coll_nbrhood_build_after (or that start of a persistent request) begins a build, in
 * which the rank takes part whenever it makes progress inside MPI; see class ComponentBuild. All
 * ranks of a connected component learn from which call on the pattern serves. Calls that a rank
 * makes while that is being settled, beyond those that it has announced, wait: a blocking call in
 * itself, others in a list, from which progress starts them.
 */
#include "coll_nbrhood.h"

#include <time.h>

#include "ompi/attribute/attribute.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"

/* A message is its head, and the words for which that has no room as a second message. */
enum { HEAD_WORDS = 16, WORDS_IN_HEAD = HEAD_WORDS - 1 };

/* Seconds that MPI_Finalize waits for builds in which others take part. */
enum { DRAIN_SECONDS = 30 };

/* How many more calls a rank may begin while it is settled from where on the pattern serves: as
 * many as it made since the build began, and these. */
enum { SPARE_CALLS = 4 };

typedef struct message_t {
    opal_list_item_t super;
    int rank, channel;
    int32_t head[HEAD_WORDS]; /* the number of words, and the first of them */
    int32_t *words;           /* all of them, where they are more */
    ompi_request_t *requests[2];
} message_t;
static OBJ_CLASS_INSTANCE(message_t, opal_list_item_t, NULL, NULL);

typedef struct task_t {
    opal_list_item_t super;
    mca_coll_nbrhood_module_t *module;
    ompi_communicator_t *comm; /* retained, as it must not get its number again before the end */
    int collective;
    uint32_t calls, starts; /* that the rank had begun when the build did */
    double since;
    nbrhood_build *build;
    opal_list_t sends, receives;
} task_t;
static OBJ_CLASS_INSTANCE(task_t, opal_list_item_t, NULL, NULL);

/* Under MPI_THREAD_MULTIPLE all of these are protected by nbrhood_state.lock. */
static opal_list_t running, ended;
static bool polling;
static int finalize_key = MPI_KEYVAL_INVALID;

void nbrhood_build_open(void)
{
    OBJ_CONSTRUCT(&running, opal_list_t);
    OBJ_CONSTRUCT(&ended, opal_list_t);
}

void nbrhood_build_close(void)
{
    OBJ_DESTRUCT(&ended);
    OBJ_DESTRUCT(&running);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

/* Others wait for this rank's part, so only aborting the program helps. */
static void abandon(const task_t *task, const char *reason)
{
    opal_show_help("help-mpi-coll-nbrhood.txt", "build abandoned", true,
                   nbrhood_collective_name(task->collective), ompi_comm_rank(task->comm), reason);
    ompi_mpi_abort(task->comm, MPI_ERR_OTHER);
}

/* ---- Messages ---- */

static message_t *new_message(const task_t *task, int rank, int channel)
{
    message_t *message = OBJ_NEW(message_t);
    if (NULL == message) {
        abandon(task, "there is no memory for a message");
    }
    message->rank = rank;
    message->channel = channel;
    message->words = NULL;
    message->requests[0] = message->requests[1] = NULL;
    return message;
}

static int32_t *room_for(const task_t *task, size_t count)
{
    int32_t *words = malloc(count * sizeof *words);
    if (NULL == words) {
        abandon(task, "there is no memory for a message");
    }
    return words;
}

static int send_part(const task_t *task, message_t *message, int part, const int32_t *words,
                     size_t count)
{
    return MCA_PML_CALL(isend((void *) words, count * sizeof *words, MPI_BYTE, message->rank,
                              nbrhood_tag_build(task->collective, message->channel) + part,
                              MCA_PML_BASE_SEND_STANDARD, task->comm, &message->requests[part]));
}

static int receive_part(const task_t *task, message_t *message, int part, int32_t *words,
                        size_t count)
{
    return MCA_PML_CALL(irecv(words, count * sizeof *words, MPI_BYTE, message->rank,
                              nbrhood_tag_build(task->collective, message->channel) + part,
                              task->comm, &message->requests[part]));
}

static void send_words(void *context, int rank, int channel, const int32_t *words, size_t count)
{
    task_t *task = (task_t *) context;
    message_t *message = new_message(task, rank, channel);
    const size_t first = count < WORDS_IN_HEAD ? count : WORDS_IN_HEAD;
    memset(message->head, 0, sizeof message->head);
    message->head[0] = (int32_t) count;
    memcpy(message->head + 1, words, first * sizeof *words);
    int rc = send_part(task, message, 0, message->head, HEAD_WORDS);
    if (OMPI_SUCCESS == rc && count > first) {
        message->words = room_for(task, count - first);
        memcpy(message->words, words + first, (count - first) * sizeof *words);
        rc = send_part(task, message, 1, message->words, count - first);
    }
    if (OMPI_SUCCESS != rc) {
        abandon(task, "a message could not be sent");
    }
    opal_list_append(&task->sends, &message->super);
}

static void expect(void *context, int rank, int channel)
{
    task_t *task = (task_t *) context;
    message_t *message = new_message(task, rank, channel);
    if (OMPI_SUCCESS != receive_part(task, message, 0, message->head, HEAD_WORDS)) {
        abandon(task, "a message could not be received");
    }
    opal_list_append(&task->receives, &message->super);
}

/* Whether all that was begun of a message is complete; then it is gone. */
static bool complete(const task_t *task, message_t *message)
{
    for (int part = 0; part < 2; ++part) {
        ompi_request_t *request = message->requests[part];
        if (NULL == request) {
            continue;
        }
        if (!REQUEST_COMPLETE(request)) {
            return false;
        }
        opal_atomic_rmb();
        const int error = request->req_status.MPI_ERROR;
        request->req_free(&request);
        message->requests[part] = NULL;
        if (MPI_SUCCESS != error) {
            abandon(task, "a message failed");
        }
    }
    return true;
}

/* Whether a message has come as a whole; else the rest is on its way. */
static bool arrived(const task_t *task, message_t *message)
{
    if (!complete(task, message)) {
        return false;
    }
    const int32_t count = message->head[0];
    if (count <= WORDS_IN_HEAD || NULL != message->words) {
        return true;
    }
    message->words = room_for(task, (size_t) count);
    memcpy(message->words, message->head + 1, WORDS_IN_HEAD * sizeof(int32_t));
    if (OMPI_SUCCESS
        != receive_part(task, message, 1, message->words + WORDS_IN_HEAD,
                        (size_t) (count - WORDS_IN_HEAD))) {
        abandon(task, "a message could not be received");
    }
    return false;
}

static void drop(opal_list_t *list, message_t *message)
{
    opal_list_remove_item(list, &message->super);
    free(message->words);
    OBJ_RELEASE(message);
}

/* Takes in all messages that have come. */
static int take_messages(task_t *task)
{
    message_t *message, *next;
    int taken = 0;
    OPAL_LIST_FOREACH_SAFE(message, next, &task->sends, message_t)
    {
        if (complete(task, message)) {
            drop(&task->sends, message);
        }
    }
    /* What is taken in may add to the end of the list. */
    for (opal_list_item_t *item = opal_list_get_first(&task->receives);
         item != opal_list_get_end(&task->receives);) {
        message = (message_t *) item;
        if (!arrived(task, message)) {
            item = opal_list_get_next(item);
            continue;
        }
        const int32_t *words = NULL != message->words ? message->words : message->head + 1;
        if (message->head[0] < 0
            || !nbrhood_build_arrived(task->build, message->rank, message->channel, words,
                                      (size_t) message->head[0])) {
            abandon(task, "a message could not be taken in");
        }
        item = opal_list_get_next(item);
        drop(&task->receives, message);
        ++taken;
    }
    return taken;
}

/* ---- The switch ---- */

static nbrhood_switch_t *switch_of(const task_t *task)
{
    return &task->module->calls[task->collective]->change;
}

static uint32_t ahead(uint32_t number, uint32_t since)
{
    return number + (number - since) + SPARE_CALLS;
}

static nbrhood_call_counts freeze(void *context)
{
    const task_t *task = (const task_t *) context;
    nbrhood_switch_t *sw = switch_of(task);
    sw->limit.calls = ahead(sw->calls, task->calls);
    sw->limit.starts = ahead(sw->starts, task->starts);
    sw->limit.requests = task->module->persistent_inits + SPARE_CALLS;
    return sw->limit;
}

static int locality(void *context, int rank)
{
    return nbrhood_locality(((const task_t *) context)->module, rank);
}

static bool is_reached(const nbrhood_call_counts *bound, const nbrhood_request_t *request)
{
    return request->super.super.req_persistent
               ? request->number >= bound->requests || request->sequence >= bound->starts
               : request->number >= bound->calls;
}

static size_t bytes_of(const nbrhood_block *blocks, size_t count)
{
    return 0 < count ? blocks[0].bytes : 0;
}

/* Gives a request whose blocks are bound, and which is not in flight, a plan of what was built. */
static void move(nbrhood_request_t *request)
{
    const int collective = request->collective;
    nbrhood_topology *built = request->module->calls[collective]->change.built;
    const int interval = nbrhood_interval(
        built, collective,
        bytes_of(nbrhood_plan_send_blocks(request->plan), nbrhood_send_blocks(built, collective)),
        bytes_of(nbrhood_plan_receive_blocks(request->plan), nbrhood_receive_blocks(built)));
    const bool persistent = request->super.super.req_persistent;
    nbrhood_plan *plan = nbrhood_plan_create(built, collective, interval,
                                             persistent ? NBRHOOD_PERSISTENT : NBRHOOD_NONBLOCKING,
                                             &nbrhood_pml_transport, request);
    if (NULL == plan) {
        nbrhood_pml_transport.abandon(request);
    }
    nbrhood_plan_copy_blocks(plan, request->plan);
    if (persistent && !nbrhood_plan_find_shared(plan, NULL)) {
        nbrhood_pml_transport.abandon(request);
    }
    nbrhood_measure_plan(request, 0);
    nbrhood_plan_destroy(request->plan);
    request->plan = plan;
    request->topology = built;
    request->interval = interval;
    request->direct = nbrhood_is_direct(built, collective, interval,
                                        persistent ? NBRHOOD_PERSISTENT : NBRHOOD_NONBLOCKING);
}

/* The build has ended on this rank: what it found serves the calls from `first` on. */
static void conclude(task_t *task, opal_list_t *to_start)
{
    nbrhood_switch_t *sw = switch_of(task);
    opal_list_item_t *item;
    nbrhood_topology *topology = nbrhood_build_take(task->build);
    if (NULL == topology) {
        abandon(task, "there is no memory for the pattern");
    }
    sw->built = topology;
    const bool serves = nbrhood_build_first(task->build, &sw->first);
    sw->limit = (nbrhood_call_counts){UINT32_MAX, UINT32_MAX, UINT32_MAX};
    while (NULL != (item = opal_list_remove_first(&sw->held))) {
        opal_list_append(to_start, item);
    }
    nbrhood_tell_built(task->module, task->collective, topology, serves ? &sw->first : NULL,
                       now() - task->since, nbrhood_build_leads(task->build));
}

static void end(task_t *task)
{
    nbrhood_build_destroy(task->build);
    task->build = NULL;
    opal_list_remove_item(&running, &task->super);
    opal_list_append(&ended, &task->super);
    if (!opal_using_threads()) {
        nbrhood_waiting_distant(-1);
    }
}

static void start_held(nbrhood_request_t *request)
{
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (is_reached(&request->module->calls[request->collective]->change.first, request)) {
        move(request);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    nbrhood_start(request, request->tag, request->sequence++);
}

static int progress(void)
{
    opal_list_t to_start;
    opal_list_item_t *item;
    task_t *task, *next;
    int events = 0;
    static bool here = false; /* further up */
    if (here || 0 != OPAL_THREAD_TRYLOCK(&nbrhood_state.lock)) {
        return 0;
    }
    here = true;
    OBJ_CONSTRUCT(&to_start, opal_list_t);
    OPAL_LIST_FOREACH_SAFE(task, next, &running, task_t)
    {
        const bool begun = NULL != task->build && !nbrhood_build_ended(task->build);
        events += take_messages(task);
        if (begun && nbrhood_build_ended(task->build)) {
            conclude(task, &to_start);
        }
        if (nbrhood_build_ended(task->build) && opal_list_is_empty(&task->sends)) {
            end(task);
        }
    }
    if (opal_list_is_empty(&running) && polling) {
        polling = false;
        opal_progress_unregister(progress);
    }
    here = false;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    while (NULL != (item = opal_list_remove_first(&to_start))) {
        start_held(nbrhood_request_of(item));
        ++events;
    }
    OBJ_DESTRUCT(&to_start);
    return events;
}

/* ---- Beginning and end ---- */

/* Lets go of communicators whose builds have ended; never called from progress, since the last
 * reference to one takes the PML's structures away. */
void nbrhood_build_let_go(void)
{
    if (opal_list_is_empty(&ended)) {
        return;
    }
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    task_t *task = (task_t *) opal_list_remove_first(&ended);
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    if (NULL != task) {
        OBJ_RELEASE(task->comm);
        OBJ_DESTRUCT(&task->sends);
        OBJ_DESTRUCT(&task->receives);
        OBJ_RELEASE(task);
        nbrhood_build_let_go();
    }
}

/* MPI_Finalize begins with the attributes of MPI_COMM_SELF. Others may need this rank to end their
 * builds, and it them. */
static int drain(MPI_Comm comm, int key, void *value, void *extra)
{
    (void) comm;
    (void) key;
    (void) value;
    (void) extra;
    const double deadline = now() + DRAIN_SECONDS;
    while (!opal_list_is_empty(&running) && now() < deadline) {
        opal_progress();
    }
    if (!opal_list_is_empty(&running)) {
        opal_output_verbose(1, nbrhood_state.output,
                            "nbrhood: a pattern was not built to the end before MPI_Finalize");
    }
    nbrhood_build_let_go();
    return MPI_SUCCESS;
}

static bool wait_in_finalize(void)
{
    return MPI_KEYVAL_INVALID != finalize_key
           || (MPI_SUCCESS
                   == PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drain, &finalize_key, NULL)
               && MPI_SUCCESS == PMPI_Comm_set_attr(MPI_COMM_SELF, finalize_key, NULL));
}

/* Begins a build, or, where there is no memory for it, does not: as all ranks of the component
 * will wait for this one in vain, that ends the program. The lock is held. */
static void begin(mca_coll_nbrhood_module_t *module, int collective)
{
    nbrhood_switch_t *sw = &module->calls[collective]->change;
    task_t *task = OBJ_NEW(task_t);
    if (NULL == task) {
        ompi_mpi_abort(module->comm, MPI_ERR_NO_MEM);
    }
    const nbrhood_post post = {task, locality, send_words, expect, freeze};
    sw->begun = true;
    task->module = module;
    task->comm = module->comm;
    task->collective = collective;
    task->calls = sw->calls;
    task->starts = sw->starts;
    task->since = now();
    OBJ_CONSTRUCT(&task->sends, opal_list_t);
    OBJ_CONSTRUCT(&task->receives, opal_list_t);
    OBJ_RETAIN(task->comm);
    const nbrhood_place place = nbrhood_find_place(module);
    nbrhood_settings settings;
    nbrhood_find_settings(module, module->shared, &settings);
    task->build = nbrhood_build_create(module->topology, collective, place, &settings, &post);
    if (NULL == task->build || !nbrhood_build_begin(task->build)) {
        abandon(task, "there is no memory");
    }
    opal_list_append(&running, &task->super);
    if (!opal_using_threads()) {
        nbrhood_waiting_distant(1); /* the network is polled in every turn */
    }
    if (!polling) {
        polling = true;
        opal_progress_register(progress);
    }
}

void nbrhood_switch_open(nbrhood_switch_t *sw, const nbrhood_topology *topology, int collective)
{
    OBJ_CONSTRUCT(&sw->held, opal_list_t);
    sw->possible = nbrhood_may_build(topology, collective);
    sw->limit = sw->first = (nbrhood_call_counts){UINT32_MAX, UINT32_MAX, UINT32_MAX};
}

void nbrhood_switch_close(nbrhood_switch_t *sw)
{
    OBJ_DESTRUCT(&sw->held);
    nbrhood_topology_destroy(sw->built);
}

/* Whether this call, or start, begins the build. The lock is not held: MPI is called. */
static bool is_due(const nbrhood_switch_t *sw, uint32_t number)
{
    return !sw->begun && number >= (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_BUILD_AFTER)
           && wait_in_finalize();
}

void nbrhood_count_call(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, int variant)
{
    nbrhood_switch_t *sw = &module->calls[call->collective]->change;
    nbrhood_build_let_go();
    if (NBRHOOD_PERSISTENT == variant) {
        if (module->persistent_inits >= sw->first.requests) {
            call->topology = sw->built;
        }
        return;
    }
    const bool due = is_due(sw, sw->calls);
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    call->number = sw->calls++;
    if (due) {
        begin(module, call->collective);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    while (NBRHOOD_BLOCKING == variant && call->number >= sw->limit.calls) {
        opal_progress();
        opal_atomic_rmb();
    }
    if (call->number >= sw->first.calls) {
        call->topology = sw->built;
    }
}

bool nbrhood_hold(nbrhood_request_t *request)
{
    mca_coll_nbrhood_module_t *module = request->module;
    nbrhood_switch_t *sw = &module->calls[request->collective]->change;
    bool held = false;
    if (!sw->possible || request->topology != module->topology) {
        return false; /* this was settled before */
    }
    const bool persistent = request->super.super.req_persistent;
    const bool due = persistent && is_due(sw, request->sequence);
    nbrhood_build_let_go();
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (persistent && request->sequence >= sw->starts) {
        sw->starts = request->sequence + 1;
    }
    if (due) {
        begin(module, request->collective);
    }
    if (is_reached(&sw->limit, request)) {
        opal_list_append(&sw->held, &request->active_item);
        held = true;
    } else if (is_reached(&sw->first, request)) {
        move(request);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return held;
}
