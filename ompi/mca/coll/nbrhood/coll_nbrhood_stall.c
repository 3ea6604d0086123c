/* Waiting in blocking calls, and telling the user where that does not end. What neighbours forgot
 * (an edge, a call) shows as a program that hangs; a creation without messages cannot notice it.
 */
#include "coll_nbrhood.h"

#include <stdio.h>
#include <time.h>

#include "opal/runtime/opal_progress.h"

/* Looking at the time takes as long as some turns of the progress engine. */
enum { TURNS = 1024 };

static bool told; /* by this process */

double nbrhood_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

void nbrhood_wait(ompi_request_t *request, void (*tell)(const void *context, double seconds),
                  const void *context)
{
    const int limit = nbrhood_number(NBRHOOD_PARAMETER_STALL_SECONDS);
    double since = 0.0;
    unsigned turns = 0;
    /* Threads wait for a signal in place of making progress, so they have no time to look at. */
    while (!REQUEST_COMPLETE(request) && !opal_using_threads() && 0 != limit && !told
           && NULL != tell) {
        opal_progress();
        if (0 != ++turns % TURNS) {
            continue;
        }
        const double time = nbrhood_now();
        if (0.0 == since) {
            since = time;
        } else if (time - since >= limit) {
            told = true;
            tell(context, time - since);
        }
    }
    ompi_request_wait_completion(request);
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
    opal_show_help("help-mpi-coll-nbrhood.txt", "stalled", true, ompi_comm_rank(module->comm),
                   ompi_comm_size(module->comm), nbrhood_communicator_number(module->comm), seconds,
                   nbrhood_collective_name(collective) + 1, '\0' != from[0] ? from : "none",
                   '\0' != to[0] ? to : "none");
}
