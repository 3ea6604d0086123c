/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Building a pattern while the program runs, and surveys of pairs: the messages.
 *
 * Until auto has a pattern for a collective of a communicator, calls send one message per edge.
 * Call number coll_nbrhood_build_after (or that start of a persistent request) begins a build, in
 * which the rank takes part whenever it makes progress inside MPI; see classes Switch and
 * BackgroundBuild.
 */
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_transport.h"
#include "coll_nbrhood_waiting.h"
#include "core/capi/nbrhood_tags.h"

#include "ompi/mca/pml/pml.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"

/* A message is a head, and a second message with the words that do not fit into the head. Most
 * messages of builders have up to 100 words, with the traffic of a pattern. */
enum { HEAD_WORDS = 128, WORDS_IN_HEAD = HEAD_WORDS - 1 };

/* Seconds that MPI_Finalize waits for builds in which others take part, and seconds after which
 * it tests whether they do. */
enum { DRAIN_SECONDS = 30, DOUBT_SECONDS = 1 };

typedef struct message_t {
    opal_list_item_t super;
    int rank, channel;
    int32_t head[HEAD_WORDS]; /* the number of words, and the first of them */
    int32_t *words;           /* all words, if they do not fit into the head */
    ompi_request_t *requests[2];
} message_t;
static OBJ_CLASS_INSTANCE(message_t, opal_list_item_t, NULL, NULL);

/* Under MPI_THREAD_MULTIPLE nbrhood_state.lock protects all static variables. */
static opal_list_t running, ended;
static bool polling;
/* True if the last turn of progress found nothing to do and no message has completed since, which
 * is so in most turns. Never set under MPI_THREAD_MULTIPLE, where no callback can be attached to a
 * started request. */
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

void nbrhood_background_open(nbrhood_background_t *of, ompi_communicator_t *comm, int collective,
                             int tags, const nbrhood_work_t *work)
{
    OBJ_CONSTRUCT(&of->super, opal_list_item_t);
    OBJ_CONSTRUCT(&of->sends, opal_list_t);
    OBJ_CONSTRUCT(&of->receives, opal_list_t);
    of->state = NBRHOOD_RESTS;
    of->comm = comm;
    of->collective = collective;
    of->tags = tags;
    of->work = work;
}

void nbrhood_background_close(nbrhood_background_t *of)
{
    OBJ_DESTRUCT(&of->receives);
    OBJ_DESTRUCT(&of->sends);
    OBJ_DESTRUCT(&of->super);
}

void nbrhood_build_abandon(const nbrhood_background_t *of, const char *reason)
{
    opal_show_help("help-mpi-coll-nbrhood.txt", "build abandoned", true,
                   nbrhood_collective_name(of->collective), ompi_comm_rank(of->comm), reason);
    ompi_mpi_abort(of->comm, MPI_ERR_OTHER);
}

/* ---- Messages ---- */

static message_t *new_message(const nbrhood_background_t *of, int rank, int channel)
{
    message_t *message = OBJ_NEW(message_t);
    if (NULL == message) {
        nbrhood_build_abandon(of, "there is no memory for a message");
    }
    message->rank = rank;
    message->channel = channel;
    message->words = NULL;
    message->requests[0] = message->requests[1] = NULL;
    return message;
}

static int32_t *room_for(const nbrhood_background_t *of, size_t count)
{
    int32_t *words = malloc(count * sizeof *words);
    if (NULL == words) {
        nbrhood_build_abandon(of, "there is no memory for a message");
    }
    return words;
}

static int wake(ompi_request_t *request)
{
    (void) request;
    quiet = false;
    return 0; /* keeps the request, for progress to find */
}

/* Clears `quiet` when a part of a message completes, or now if it is complete. */
static int wake_after(message_t *message, int part, int rc)
{
    if (OMPI_SUCCESS == rc && !opal_using_threads()) {
        ompi_request_set_callback(message->requests[part], wake, NULL);
    }
    return rc;
}

static int send_part(const nbrhood_background_t *of, message_t *message, int part,
                     const int32_t *words, size_t count)
{
    const int rc =
        MCA_PML_CALL(isend((void *) words, count * sizeof *words, MPI_BYTE, message->rank,
                           nbrhood_tag_build(of->tags, message->channel) + part,
                           MCA_PML_BASE_SEND_STANDARD, of->comm, &message->requests[part]));
    return wake_after(message, part, rc);
}

static int receive_part(const nbrhood_background_t *of, message_t *message, int part,
                        int32_t *words, size_t count)
{
    const int rc = MCA_PML_CALL(irecv(words, count * sizeof *words, MPI_BYTE, message->rank,
                                      nbrhood_tag_build(of->tags, message->channel) + part,
                                      of->comm, &message->requests[part]));
    return wake_after(message, part, rc);
}

void nbrhood_build_send(void *context, int rank, int channel, const int32_t *words, size_t count)
{
    nbrhood_background_t *of = (nbrhood_background_t *) context;
    message_t *message = new_message(of, rank, channel);
    const size_t first = count < WORDS_IN_HEAD ? count : WORDS_IN_HEAD;
    message->head[0] = (int32_t) count;
    memcpy(message->head + 1, words, first * sizeof *words);
    int rc = send_part(of, message, 0, message->head, 1 + first);
    if (OMPI_SUCCESS == rc && count > first) {
        message->words = room_for(of, count - first);
        memcpy(message->words, words + first, (count - first) * sizeof *words);
        rc = send_part(of, message, 1, message->words, count - first);
    }
    if (OMPI_SUCCESS != rc) {
        nbrhood_build_abandon(of, "a message could not be sent");
    }
    opal_list_append(&of->sends, &message->super);
}

void nbrhood_build_expect(void *context, int rank, int channel)
{
    nbrhood_background_t *of = (nbrhood_background_t *) context;
    message_t *message = new_message(of, rank, channel);
    if (OMPI_SUCCESS != receive_part(of, message, 0, message->head, HEAD_WORDS)) {
        nbrhood_build_abandon(of, "a message could not be received");
    }
    opal_list_append(&of->receives, &message->super);
}

/* Whether all started parts of a message are complete; then frees them. */
static bool complete(const nbrhood_background_t *of, message_t *message)
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
            nbrhood_build_abandon(of, "a message failed");
        }
    }
    return true;
}

/* Whether a whole message has arrived; if only the head has, receives the rest. */
static bool arrived(const nbrhood_background_t *of, message_t *message)
{
    if (!complete(of, message)) {
        return false;
    }
    const int32_t count = message->head[0];
    if (count <= WORDS_IN_HEAD || NULL != message->words) {
        return true;
    }
    message->words = room_for(of, (size_t) count);
    memcpy(message->words, message->head + 1, WORDS_IN_HEAD * sizeof(int32_t));
    if (OMPI_SUCCESS
        != receive_part(of, message, 1, message->words + WORDS_IN_HEAD,
                        (size_t) (count - WORDS_IN_HEAD))) {
        nbrhood_build_abandon(of, "a message could not be received");
    }
    return false;
}

static void drop(opal_list_t *list, message_t *message)
{
    opal_list_remove_item(list, &message->super);
    free(message->words);
    OBJ_RELEASE(message);
}

/* Whether an earlier message of the same rank must be handled first: its rest has not arrived
 * yet, or another thread has completed both since this thread tested the first. */
static bool overtakes(const nbrhood_background_t *of, const message_t *message)
{
    const message_t *earlier;
    OPAL_LIST_FOREACH(earlier, &of->receives, message_t)
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

/* Handles all messages that have arrived. */
static int take_messages(nbrhood_background_t *of)
{
    message_t *message, *next;
    int taken = 0;
    bool looks = opal_using_threads(); /* set below, too, if a message has only its head */
    OPAL_LIST_FOREACH_SAFE(message, next, &of->sends, message_t)
    {
        if (complete(of, message)) {
            drop(&of->sends, message);
        }
    }
    /* The core may add receives to the end of the list. */
    for (opal_list_item_t *item = opal_list_get_first(&of->receives);
         item != opal_list_get_end(&of->receives);) {
        message = (message_t *) item;
        if (!arrived(of, message) || (looks && overtakes(of, message))) {
            looks = looks || NULL != message->words;
            item = opal_list_get_next(item);
            continue;
        }
        const int32_t *words = NULL != message->words ? message->words : message->head + 1;
        if (message->head[0] < 0
            || !of->work->arrived(of, message->rank, message->channel, words,
                                  (size_t) message->head[0])) {
            nbrhood_build_abandon(of, "a message could not be taken in");
        }
        item = opal_list_get_next(item);
        drop(&of->receives, message);
        ++taken;
    }
    return taken;
}

/* Does a slice of the remaining work. Returns whether there was any. */
static bool take_turn(nbrhood_background_t *of)
{
    bool done = false;
    if (!of->work->take_turn(of, &done)) {
        nbrhood_build_abandon(of, "there is no memory");
    }
    return done;
}

/* ---- Progress ---- */

static void end(nbrhood_background_t *of)
{
    opal_list_remove_item(&running, &of->super);
    opal_list_append(&ended, &of->super);
    of->state = NBRHOOD_HAS_RUN;
    if (!opal_using_threads()) {
        nbrhood_waiting_distant(-1);
    }
}

static int progress(void)
{
    opal_list_t to_start;
    opal_list_item_t *item;
    nbrhood_background_t *of, *next;
    int events = 0;
    static bool here = false; /* an outer call of this function is active */
    if (quiet) {
        return 0;
    }
    if (here || 0 != OPAL_THREAD_TRYLOCK(&nbrhood_state.lock)) {
        return 0;
    }
    here = true;
    quiet = !opal_using_threads(); /* until a message completes, perhaps below */
    OBJ_CONSTRUCT(&to_start, opal_list_t);
    OPAL_LIST_FOREACH_SAFE(of, next, &running, nbrhood_background_t)
    {
        events += take_turn(of) ? 1 : 0;
        events += take_messages(of);
        of->work->release(of, &to_start);
        if (!of->work->runs(of) && opal_list_is_empty(&of->sends)) {
            end(of);
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

/* Releases communicators whose builds have ended. Never called from progress, since releasing
 * the last reference frees the PML's structures. */
void nbrhood_build_release(void)
{
    if (opal_list_is_empty(&ended)) {
        return;
    }
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    nbrhood_background_t *of = (nbrhood_background_t *) opal_list_remove_first(&ended);
    ompi_communicator_t *comm = NULL;
    if (NULL != of) {
        comm = of->comm;
        of->state = NBRHOOD_RESTS;
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    if (NULL != comm) {
        OBJ_RELEASE(comm); /* and perhaps the switch with it */
        nbrhood_build_release();
    }
}

/* Called at the beginning of MPI_Finalize, which deletes the attributes of MPI_COMM_SELF. Builds of
 * other ranks may need this rank in order to end, and builds of this rank may need others. */
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
            if (!nbrhood_all_build_identically()) {
                break; /* others may begin builds with other calls, and never join this one */
            }
        }
    }
    if (!opal_list_is_empty(&running)) {
        opal_output_verbose(1, nbrhood_state.output,
                            "nbrhood: a pattern was not built to the end before MPI_Finalize");
        opal_progress_unregister(progress); /* messages cannot be sent any more */
    }
    nbrhood_build_release();
    return MPI_SUCCESS;
}

bool nbrhood_wait_in_finalize(void)
{
    return MPI_KEYVAL_INVALID != finalize_key
           || (nbrhood_make_key(MPI_COMM_NULL_COPY_FN, drain, &finalize_key)
               && nbrhood_set_attribute(MPI_COMM_SELF, finalize_key, NULL));
}

void nbrhood_build_run(nbrhood_background_t *of)
{
    if (NBRHOOD_RESTS == of->state) {
        OBJ_RETAIN(of->comm);
    } else if (NBRHOOD_HAS_RUN == of->state) {
        opal_list_remove_item(&ended, &of->super);
    }
    if (NBRHOOD_RUNS != of->state) { /* it may run already, to send its last messages */
        of->state = NBRHOOD_RUNS;
        opal_list_append(&running, &of->super);
        if (!opal_using_threads()) {
            nbrhood_waiting_distant(1); /* the network is polled in every turn */
        }
    }
    quiet = false;
    if (!polling) {
        polling = true;
        nbrhood_register_progress(progress, of->comm);
    }
}
