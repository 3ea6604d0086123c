/* Building a pattern while the program runs: the messages, and the tasks to which they belong.
 *
 * Until auto has a pattern for a collective of a communicator, calls send one message per edge.
 * Call number coll_nbrhood_build_after (or that start of a persistent request) begins a build, in
 * which the rank takes part whenever it makes progress inside MPI; see class ComponentBuild. What
 * that means for calls is the matter of coll_nbrhood_stages.c and coll_nbrhood_switch.c.
 */
#include "coll_nbrhood_build.h"

#include "ompi/mca/pml/pml.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"

/* A message is its head, and the words for which that has no room as a second message. Most letters
 * of builders have up to 100 words, with the traffic of a pattern. */
enum { HEAD_WORDS = 128, WORDS_IN_HEAD = HEAD_WORDS - 1 };

/* Seconds that MPI_Finalize waits for builds in which others take part, and after which it looks
 * whether they will. */
enum { DRAIN_SECONDS = 30, DOUBT_SECONDS = 1 };

typedef struct message_t {
    opal_list_item_t super;
    int rank, channel;
    int32_t head[HEAD_WORDS]; /* the number of words, and the first of them */
    int32_t *words;           /* all of them, where they are more */
    ompi_request_t *requests[2];
} message_t;
static OBJ_CLASS_INSTANCE(message_t, opal_list_item_t, NULL, NULL);

static OBJ_CLASS_INSTANCE(nbrhood_task_t, opal_list_item_t, NULL, NULL);

/* Under MPI_THREAD_MULTIPLE all of these are protected by nbrhood_state.lock. */
static opal_list_t running, ended;
static bool polling;
/* The last turn of progress found nothing to do, and no message has been completed since: so it is
 * in most turns. Never under MPI_THREAD_MULTIPLE, where a started request takes no callback. */
static bool quiet;
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

void nbrhood_task_abandon(const nbrhood_task_t *task, const char *reason)
{
    opal_show_help("help-mpi-coll-nbrhood.txt", "build abandoned", true,
                   nbrhood_collective_name(task->collective), ompi_comm_rank(task->comm), reason);
    ompi_mpi_abort(task->comm, MPI_ERR_OTHER);
}

/* ---- Messages ---- */

static message_t *new_message(const nbrhood_task_t *task, int rank, int channel)
{
    message_t *message = OBJ_NEW(message_t);
    if (NULL == message) {
        nbrhood_task_abandon(task, "there is no memory for a message");
    }
    message->rank = rank;
    message->channel = channel;
    message->words = NULL;
    message->requests[0] = message->requests[1] = NULL;
    return message;
}

static int32_t *room_for(const nbrhood_task_t *task, size_t count)
{
    int32_t *words = malloc(count * sizeof *words);
    if (NULL == words) {
        nbrhood_task_abandon(task, "there is no memory for a message");
    }
    return words;
}

static int wake(ompi_request_t *request)
{
    (void) request;
    quiet = false;
    return 0; /* the request stays as it is, for progress to find */
}

/* Lets progress know when a part is complete; at once where it is. */
static int wake_after(message_t *message, int part, int rc)
{
    if (OMPI_SUCCESS == rc && !opal_using_threads()) {
        ompi_request_set_callback(message->requests[part], wake, NULL);
    }
    return rc;
}

static int send_part(const nbrhood_task_t *task, message_t *message, int part, const int32_t *words,
                     size_t count)
{
    const int rc =
        MCA_PML_CALL(isend((void *) words, count * sizeof *words, MPI_BYTE, message->rank,
                           nbrhood_tag_build(task->collective, message->channel) + part,
                           MCA_PML_BASE_SEND_STANDARD, task->comm, &message->requests[part]));
    return wake_after(message, part, rc);
}

static int receive_part(const nbrhood_task_t *task, message_t *message, int part, int32_t *words,
                        size_t count)
{
    const int rc = MCA_PML_CALL(irecv(words, count * sizeof *words, MPI_BYTE, message->rank,
                                      nbrhood_tag_build(task->collective, message->channel) + part,
                                      task->comm, &message->requests[part]));
    return wake_after(message, part, rc);
}

static void send_words(void *context, int rank, int channel, const int32_t *words, size_t count)
{
    nbrhood_task_t *task = (nbrhood_task_t *) context;
    message_t *message = new_message(task, rank, channel);
    const size_t first = count < WORDS_IN_HEAD ? count : WORDS_IN_HEAD;
    message->head[0] = (int32_t) count;
    memcpy(message->head + 1, words, first * sizeof *words);
    int rc = send_part(task, message, 0, message->head, 1 + first);
    if (OMPI_SUCCESS == rc && count > first) {
        message->words = room_for(task, count - first);
        memcpy(message->words, words + first, (count - first) * sizeof *words);
        rc = send_part(task, message, 1, message->words, count - first);
    }
    if (OMPI_SUCCESS != rc) {
        nbrhood_task_abandon(task, "a message could not be sent");
    }
    opal_list_append(&task->sends, &message->super);
}

static void expect(void *context, int rank, int channel)
{
    nbrhood_task_t *task = (nbrhood_task_t *) context;
    message_t *message = new_message(task, rank, channel);
    if (OMPI_SUCCESS != receive_part(task, message, 0, message->head, HEAD_WORDS)) {
        nbrhood_task_abandon(task, "a message could not be received");
    }
    opal_list_append(&task->receives, &message->super);
}

/* Whether all that was begun of a message is complete; then it is gone. */
static bool complete(const nbrhood_task_t *task, message_t *message)
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
            nbrhood_task_abandon(task, "a message failed");
        }
    }
    return true;
}

/* Whether a message has come as a whole; else the rest is on its way. */
static bool arrived(const nbrhood_task_t *task, message_t *message)
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
        nbrhood_task_abandon(task, "a message could not be received");
    }
    return false;
}

static void drop(opal_list_t *list, message_t *message)
{
    opal_list_remove_item(list, &message->super);
    free(message->words);
    OBJ_RELEASE(message);
}

/* Whether an earlier message of the same rank has to be taken in before this one: its rest is still
 * on its way, or another thread has completed both since this one looked at the first. */
static bool overtakes(const nbrhood_task_t *task, const message_t *message)
{
    const message_t *earlier;
    OPAL_LIST_FOREACH(earlier, &task->receives, message_t)
    {
        if (earlier == message) {
            break;
        }
        if (earlier->rank == message->rank && earlier->channel == message->channel) {
            return true;
        }
    }
    return false;
}

/* Takes in all messages that have come. */
static int take_messages(nbrhood_task_t *task)
{
    message_t *message, *next;
    int taken = 0;
    bool looks = opal_using_threads(); /* or of some message there is only the head */
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
        if (!arrived(task, message) || (looks && overtakes(task, message))) {
            looks = looks || NULL != message->words;
            item = opal_list_get_next(item);
            continue;
        }
        const int32_t *words = NULL != message->words ? message->words : message->head + 1;
        if (message->head[0] < 0
            || !nbrhood_build_arrived(task->build, message->rank, message->channel, words,
                                      (size_t) message->head[0])) {
            nbrhood_task_abandon(task, "a message could not be taken in");
        }
        item = opal_list_get_next(item);
        drop(&task->receives, message);
        ++taken;
    }
    return taken;
}

/* Does a part of the work that a build has left; whether there was any. */
static bool take_turn(nbrhood_task_t *task)
{
    if (!nbrhood_build_wants_turn(task->build)) {
        return false;
    }
    if (!nbrhood_build_take_turn(task->build)) {
        nbrhood_task_abandon(task, "there is no memory");
    }
    return true;
}

/* ---- Progress ---- */

static void end(nbrhood_task_t *task)
{
    if (!task->goes_on) {
        nbrhood_build_destroy(task->build);
        task->build = NULL;
    }
    opal_list_remove_item(&running, &task->super);
    opal_list_append(&ended, &task->super);
    task->state = NBRHOOD_TASK_HAS_RUN;
    if (!opal_using_threads()) {
        nbrhood_waiting_distant(-1);
    }
}

static int progress(void)
{
    opal_list_t to_start;
    opal_list_item_t *item;
    nbrhood_task_t *task, *next;
    int events = 0;
    static bool here = false; /* further up */
    if (quiet) {
        return 0;
    }
    if (here || 0 != OPAL_THREAD_TRYLOCK(&nbrhood_state.lock)) {
        return 0;
    }
    here = true;
    quiet = !opal_using_threads(); /* until a message is completed, which may be in what follows */
    OBJ_CONSTRUCT(&to_start, opal_list_t);
    OPAL_LIST_FOREACH_SAFE(task, next, &running, nbrhood_task_t)
    {
        const bool goes_on = !nbrhood_build_ended(task->build);
        events += take_turn(task) ? 1 : 0;
        events += take_messages(task);
        if (goes_on && nbrhood_build_ended(task->build)) {
            nbrhood_switch_conclude(task, &to_start);
        }
        if (nbrhood_build_ended(task->build) && opal_list_is_empty(&task->sends)) {
            end(task);
        }
    }
    quiet = quiet && 0 == events;
    if (opal_list_is_empty(&running) && polling) {
        polling = false;
        opal_progress_unregister(progress);
    }
    here = false;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    while (NULL != (item = opal_list_remove_first(&to_start))) {
        nbrhood_switch_start(nbrhood_request_of(item));
        ++events;
    }
    OBJ_DESTRUCT(&to_start);
    return events;
}

/* ---- Beginning and end ---- */

void nbrhood_task_free(nbrhood_task_t *task)
{
    if (NULL != task) {
        nbrhood_build_destroy(task->build);
        OBJ_DESTRUCT(&task->sends);
        OBJ_DESTRUCT(&task->receives);
        OBJ_RELEASE(task);
    }
}

/* Lets go of communicators whose builds have ended; never called from progress, since the last
 * reference to one takes the PML's structures away. */
void nbrhood_build_let_go(void)
{
    if (opal_list_is_empty(&ended)) {
        return;
    }
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    nbrhood_task_t *task = (nbrhood_task_t *) opal_list_remove_first(&ended);
    ompi_communicator_t *comm = NULL;
    if (NULL != task) {
        comm = task->comm;
        task->state = NBRHOOD_TASK_RESTS;
        if (NULL == task->build) {
            nbrhood_switch_t *sw = nbrhood_switch_of(task);
            if (sw->task == task) { /* else another build has begun meanwhile */
                sw->task = NULL;
            }
            nbrhood_task_free(task);
        }
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    if (NULL != comm) {
        OBJ_RELEASE(comm); /* and perhaps the switch and its task with it */
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
    const double doubt = nbrhood_now() + DOUBT_SECONDS;
    const double deadline = doubt - DOUBT_SECONDS + DRAIN_SECONDS;
    bool looked = false;
    while (!opal_list_is_empty(&running) && nbrhood_now() < deadline) {
        opal_progress();
        if (!looked && nbrhood_now() >= doubt) {
            looked = true;
            if (!nbrhood_all_build_alike()) {
                break; /* others may begin builds with another call, so never have begun this one */
            }
        }
    }
    if (!opal_list_is_empty(&running)) {
        opal_output_verbose(1, nbrhood_state.output,
                            "nbrhood: a pattern was not built to the end before MPI_Finalize");
        opal_progress_unregister(progress); /* what messages need goes away now */
    }
    nbrhood_build_let_go();
    return MPI_SUCCESS;
}

bool nbrhood_wait_in_finalize(void)
{
    return MPI_KEYVAL_INVALID != finalize_key
           || (nbrhood_make_key(MPI_COMM_NULL_COPY_FN, drain, &finalize_key)
               && nbrhood_set_attribute(MPI_COMM_SELF, finalize_key, NULL));
}

static int locality(void *context, int rank)
{
    return nbrhood_locality(((const nbrhood_task_t *) context)->module, rank);
}

static nbrhood_call_counts freeze(void *context)
{
    const nbrhood_task_t *task = (const nbrhood_task_t *) context;
    return nbrhood_switch_freeze(nbrhood_switch_of(task), task->module);
}

/* Lets progress take the messages of a task that rests, or has run. */
static void run(nbrhood_task_t *task)
{
    if (NBRHOOD_TASK_RESTS == task->state) {
        OBJ_RETAIN(task->comm);
    } else if (NBRHOOD_TASK_HAS_RUN == task->state) {
        opal_list_remove_item(&ended, &task->super);
    }
    if (NBRHOOD_TASK_RUNS != task->state) { /* else some of its messages are not sent yet */
        task->state = NBRHOOD_TASK_RUNS;
        opal_list_append(&running, &task->super);
        if (!opal_using_threads()) {
            nbrhood_waiting_distant(1); /* the network is polled in every turn */
        }
    }
    quiet = false;
    if (!polling) {
        polling = true;
        opal_progress_register(progress);
    }
}

nbrhood_task_t *nbrhood_task_begin(mca_coll_nbrhood_module_t *module, int collective,
                                   int64_t blocks, int64_t bytes)
{
    nbrhood_task_t *task = OBJ_NEW(nbrhood_task_t);
    if (NULL == task) {
        ompi_mpi_abort(module->comm, MPI_ERR_NO_MEM);
    }
    const nbrhood_post post = {task, locality, send_words, expect, freeze};
    task->state = NBRHOOD_TASK_RESTS;
    task->module = module;
    task->comm = module->comm;
    task->collective = collective;
    task->goes_on = false;
    OBJ_CONSTRUCT(&task->sends, opal_list_t);
    OBJ_CONSTRUCT(&task->receives, opal_list_t);
    const nbrhood_switch_t *sw = &module->calls[collective]->change;
    nbrhood_own_facts own = {.place = nbrhood_find_place(module),
                             .ranks = ompi_comm_size(module->comm),
                             .blocks = blocks,
                             .bytes = bytes,
                             .vain = sw->vain,
                             .settled = !nbrhood_is_first(sw),
                             .keeps_patterns = nbrhood_records()};
    own.local = nbrhood_node_ranks(module, &own.local_count);
    nbrhood_settings settings;
    nbrhood_find_settings(module, module->shared, &settings);
    settings.timestamp = nbrhood_timestamp();
    if (NULL != own.local) {
        task->build = nbrhood_build_create(module->topology, collective, &own, &settings, &post);
    }
    if (NULL == task->build || !nbrhood_build_begin(task->build)) {
        nbrhood_task_abandon(task, "there is no memory");
    }
    run(task);
    return task;
}

void nbrhood_task_try(nbrhood_task_t *task, const nbrhood_period *calls,
                      const nbrhood_period *starts, size_t count)
{
    if (!nbrhood_build_try(task->build, calls, starts, count)) {
        nbrhood_task_abandon(task, "there is no memory");
    }
    run(task);
}

void nbrhood_task_watch(nbrhood_task_t *task, int64_t blocks, int64_t bytes)
{
    if (!nbrhood_build_watch(task->build, blocks, bytes)) {
        nbrhood_task_abandon(task, "there is no memory");
    }
    run(task);
}
