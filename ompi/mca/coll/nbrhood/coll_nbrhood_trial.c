/* What a trial measures: the time from the start of a call to the start of the next. */
#include "coll_nbrhood_build.h"

#include <stdlib.h>

typedef struct track_t {
    uint32_t seen; /* periods that were measured, all of those before the last start */
    double last;   /* when that was */
    double *seconds;
} track_t;

/* Of calls, and of the starts of one persistent request. */
struct nbrhood_trial_t {
    uint32_t periods; /* that there are to be of each */
    bool has_request;
    uint32_t request;
    track_t calls, starts;
    double seconds[];
};

nbrhood_trial_t *nbrhood_trial_make(uint32_t periods)
{
    nbrhood_trial_t *trial = calloc(1, sizeof *trial + 2 * periods * sizeof(double));
    if (NULL != trial) {
        trial->periods = periods;
        trial->calls.seconds = trial->seconds;
        trial->starts.seconds = trial->seconds + periods;
    }
    return trial;
}

static void note(const nbrhood_trial_t *trial, track_t *track, uint32_t since)
{
    const double time = nbrhood_now();
    if (0 < since && since <= trial->periods && track->seen == since - 1) {
        track->seconds[track->seen++] = time - track->last;
    }
    track->last = time;
}

void nbrhood_trial_note_call(nbrhood_trial_t *trial, uint32_t since)
{
    if (NULL != trial) {
        note(trial, &trial->calls, since);
    }
}

void nbrhood_trial_note_start(nbrhood_trial_t *trial, uint32_t request, uint32_t since)
{
    if (NULL == trial) {
        return;
    }
    if (!trial->has_request) {
        trial->has_request = true;
        trial->request = request;
    }
    if (trial->request == request) {
        note(trial, &trial->starts, since);
    }
}

static const double *all_of(const nbrhood_trial_t *trial, const track_t *track)
{
    return track->seen == trial->periods ? track->seconds : NULL;
}

const double *nbrhood_trial_calls(const nbrhood_trial_t *trial)
{
    return NULL != trial ? all_of(trial, &trial->calls) : NULL;
}

const double *nbrhood_trial_starts(const nbrhood_trial_t *trial)
{
    return NULL != trial ? all_of(trial, &trial->starts) : NULL;
}
