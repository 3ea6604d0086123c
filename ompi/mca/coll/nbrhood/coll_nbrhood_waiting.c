/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Waiting: cheap turns of the progress engine, which do not poll the network; and messages about
 * waits that do not end. If a neighbour forgot an edge or a call, the program hangs, and a creation
 * without messages cannot notice it.
 *
 * A process with TCP connections asks the kernel about all of them in every turn of Open MPI's
 * progress engine, which takes many times as long as polling shared memory. Most ranks of a relayed
 * exchange wait for their relay only, which is on their node. While no message of an operation to
 * or from another node is in flight, only one turn in coll_nbrhood_network_turns polls the network:
 * enough for other traffic of the process.
 *
 * That turn must be one in which Open MPI polls the network. Once a connection is established, that
 * is any turn; before, it is only every eighth, which also calls the functions of low priority.
 */
#include "coll_nbrhood_waiting.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_transport.h"

#include <stdio.h>
#include <time.h>

#include "opal/runtime/opal_progress.h"

void nbrhood_register_progress(int (*function)(void), ompi_communicator_t *comm)
{
    if (OPAL_SUCCESS != opal_progress_register(function)) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "no progress", true, ompi_comm_rank(comm));
        ompi_mpi_abort(comm, MPI_ERR_NO_MEM);
    }
}

/* ---- Turns without polling the network ---- */

static int operations; /* in flight in this process */
static int distant;    /* their messages in flight to and from other nodes */
static int turns;      /* since the network was last polled */
static bool quiet;     /* the network is not polled in this turn */
static int event_flag;

static void skip_network(bool on)
{
    if (on != quiet) {
        quiet = on;
        if (on) {
            event_flag = opal_progress_set_event_flag(0);
        } else {
            (void) opal_progress_set_event_flag(event_flag);
        }
    }
}

static int turn_begins(void)
{
    skip_network(0 == distant);
    return 0;
}

/* Called in every eighth turn, after turn_begins and before Open MPI polls the network. */
static int eighth_turn(void)
{
    turns += 8;
    if (turns >= nbrhood_number(NBRHOOD_PARAMETER_NETWORK_TURNS)) {
        turns = 0;
        skip_network(false);
    }
    return 0;
}

void nbrhood_waiting_begin(void)
{
    if (nbrhood_number(NBRHOOD_PARAMETER_NETWORK_TURNS) > 1 && 0 == operations++) {
        /* turn_begins alone would keep the network from being polled at all. */
        if (OPAL_SUCCESS == opal_progress_register_lp(eighth_turn)) {
            (void) opal_progress_register(turn_begins);
        }
    }
}

void nbrhood_waiting_end(void)
{
    if (nbrhood_number(NBRHOOD_PARAMETER_NETWORK_TURNS) > 1 && 0 == --operations) {
        opal_progress_unregister(turn_begins);
        opal_progress_unregister(eighth_turn);
        skip_network(false);
    }
}

void nbrhood_waiting_distant(int change)
{
    distant += change;
}

/* ---- Waits that do not end ---- */

/* Reading the time takes as long as several turns of the progress engine, which calls functions
 * of low priority in every eighth. */
enum { TURNS = 1024, LOW_TURNS = TURNS / 8 };

static bool told[NBRHOOD_WAITS]; /* by this process */

/* Waits in which others make progress. */
static struct {
    opal_mutex_t lock; /* protects all */
    nbrhood_waiter_t *first;
    unsigned turns;
    bool watching; /* the function is registered */
} waiters;

double nbrhood_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

void nbrhood_stall_open(void)
{
    OBJ_CONSTRUCT(&waiters.lock, opal_mutex_t);
    waiters.first = NULL;
    waiters.watching = false;
}

/* The progress function. Waiters exist as long as the lock is held. */
static int look_at_the_time(void)
{
    if (0 != opal_mutex_trylock(&waiters.lock)) {
        return 0; /* another thread is here, or this one in an outer call */
    }
    if (NULL != waiters.first && 0 == ++waiters.turns % LOW_TURNS) {
        const double time = nbrhood_now();
        for (nbrhood_waiter_t *waiter = waiters.first; NULL != waiter; waiter = waiter->next) {
            if (0.0 == waiter->since) {
                waiter->since = time;
            } else if (time - waiter->since >= nbrhood_number(NBRHOOD_PARAMETER_STALL_SECONDS)
                       && !told[waiter->wait]) {
                told[waiter->wait] = true;
                waiter->tell(waiter->context, time - waiter->since);
            }
        }
    }
    opal_mutex_unlock(&waiters.lock);
    return 0;
}

void nbrhood_stall_close(void)
{
    if (waiters.watching) {
        opal_progress_unregister(look_at_the_time);
    }
    OBJ_DESTRUCT(&waiters.lock);
}

void nbrhood_watch(nbrhood_waiter_t *waiter)
{
    opal_mutex_lock(&waiters.lock);
    waiter->since = 0.0;
    waiter->next = waiters.first;
    waiters.first = waiter;
    if (!waiters.watching && 0 != nbrhood_number(NBRHOOD_PARAMETER_STALL_SECONDS)) {
        waiters.watching = OPAL_SUCCESS == opal_progress_register_lp(look_at_the_time);
    }
    opal_mutex_unlock(&waiters.lock);
}

void nbrhood_unwatch(const nbrhood_waiter_t *waiter)
{
    opal_mutex_lock(&waiters.lock);
    nbrhood_waiter_t **link = &waiters.first;
    while (*link != waiter) {
        link = &(*link)->next;
    }
    *link = waiter->next;
    opal_mutex_unlock(&waiters.lock);
}

/* Waiting threads sleep until a signal, so the thread that makes progress reads the time. */
static void wait_among_threads(ompi_request_t *request, nbrhood_tell_t tell, const void *context)
{
    nbrhood_waiter_t waiter = {.wait = NBRHOOD_WAIT_CALL, .tell = tell, .context = context};
    const bool watched = NULL != tell && !REQUEST_COMPLETE(request);
    if (watched) {
        nbrhood_watch(&waiter);
    }
    ompi_request_wait_completion(request);
    if (watched) {
        nbrhood_unwatch(&waiter);
    }
}

void nbrhood_wait(ompi_request_t *request, nbrhood_tell_t tell, const void *context)
{
    const int limit = nbrhood_number(NBRHOOD_PARAMETER_STALL_SECONDS);
    double since = 0.0;
    unsigned turns = 0;
    if (opal_using_threads()) {
        wait_among_threads(request, 0 != limit ? tell : NULL, context);
        return;
    }
    while (!REQUEST_COMPLETE(request) && 0 != limit && !told[NBRHOOD_WAIT_CALL] && NULL != tell) {
        opal_progress();
        if (0 != ++turns % TURNS) {
            continue;
        }
        const double time = nbrhood_now();
        if (0.0 == since) {
            since = time;
        } else if (time - since >= limit) {
            told[NBRHOOD_WAIT_CALL] = true;
            tell(context, time - since);
        }
    }
    ompi_request_wait_completion(request);
}

/* A call that waits for the agreement of all ranks. */
typedef struct agreement_t {
    const mca_coll_nbrhood_module_t *module;
    int collective;
} agreement_t;

static void tell_agreement_stalled(const void *context, double seconds)
{
    const agreement_t *agreement = context;
    const mca_coll_nbrhood_module_t *module = agreement->module;
    const char *name = nbrhood_collective_name(nbrhood_called(module, agreement->collective));
    opal_show_help("help-mpi-coll-nbrhood.txt", "agreement stalled", true,
                   ompi_comm_rank(module->comm), ompi_comm_size(module->comm),
                   nbrhood_communicator_number(module->comm), seconds, name);
}

void nbrhood_wait_for_agreement(const mca_coll_nbrhood_module_t *module, int collective,
                                nbrhood_known_t known, const void *context)
{
    if (known(context)) {
        return;
    }
    const agreement_t agreement = {module, collective};
    nbrhood_waiter_t waiter = {
        .wait = NBRHOOD_WAIT_AGREEMENT, .tell = tell_agreement_stalled, .context = &agreement};
    nbrhood_watch(&waiter);
    do {
        opal_progress();
        opal_atomic_rmb();
    } while (!known(context));
    nbrhood_unwatch(&waiter);
}

void nbrhood_list_rank(char *text, size_t room, int rank)
{
    const size_t length = strlen(text);
    if (0 == length) {
        snprintf(text, room, "%d", rank);
    } else if (length + 16 < room) {
        snprintf(text + length, room - length, ", %d", rank);
    } else if ('.' != text[length - 1]) {
        snprintf(text + length, room - length, ", ...");
    }
}

void nbrhood_tell_stalled(const mca_coll_nbrhood_module_t *module, int collective, double seconds,
                          const char *from, const char *to)
{
    const int called = nbrhood_called(module, collective);
    opal_show_help("help-mpi-coll-nbrhood.txt",
                   called < NBRHOOD_COLLECTIVES ? "stalled" : "stalled with all ranks", true,
                   ompi_comm_rank(module->comm), ompi_comm_size(module->comm),
                   nbrhood_communicator_number(module->comm), seconds,
                   nbrhood_collective_name(called) + 1, '\0' != from[0] ? from : "none",
                   '\0' != to[0] ? to : "none");
}
