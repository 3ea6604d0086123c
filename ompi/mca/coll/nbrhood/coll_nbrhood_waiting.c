/* Cheap waiting: turns of the progress engine that leave the network alone.
 *
 * A process with TCP connections asks the kernel about all of them in every turn of Open MPI's
 * progress engine, which takes many times as long as looking at shared memory. Most ranks of a
 * relayed exchange wait for their relay only, which is on their node. While no message of an
 * operation to or from another node is in flight, only one turn in coll_nbrhood_network_turns polls
 * the network: enough for everything else in the process to move on.
 *
 * That turn must be one in which Open MPI looks at the network. Once a connection is established it
 * does in every turn; until then only in every eighth, together with the functions of low priority.
 */
#include "coll_nbrhood.h"

#include "opal/runtime/opal_progress.h"

static int operations; /* in flight in this process */
static int distant;    /* their messages in flight to and from other nodes */
static int turns;      /* since one polled the network */
static bool quiet;     /* the network is left alone in this turn */
static int event_flag;

static void leave_network_alone(bool on)
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
    leave_network_alone(0 == distant);
    return 0;
}

/* In every eighth turn, after turn_begins and before Open MPI looks at the network. */
static int eighth_turn(void)
{
    turns += 8;
    if (turns >= nbrhood_number(NBRHOOD_PARAMETER_NETWORK_TURNS)) {
        turns = 0;
        leave_network_alone(false);
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
        leave_network_alone(false);
    }
}

void nbrhood_waiting_distant(int change)
{
    distant += change;
}
