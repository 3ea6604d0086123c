/* What a trial measures: the time from the start of a call to the start of the next. */
#include "coll_nbrhood_build.h"

#include <stdlib.h>

/* Of a track that has a gap. */
static const uint32_t none_seen = UINT32_MAX;

typedef struct track_t {
    uint32_t seen; /* periods that were measured, all of those before the last start */
    double last;   /* when that was */
    nbrhood_period *all;
} track_t;

/* Of calls, and of the starts of one persistent request. */
struct nbrhood_trial_t {
    uint32_t periods; /* that there are to be of each */
    bool has_request;
    uint32_t request;
    track_t calls, starts;
    nbrhood_period all[];
};

nbrhood_trial_t *nbrhood_trial_make(uint32_t periods)
{
    nbrhood_trial_t *trial = calloc(1, sizeof *trial + 2 * periods * sizeof *trial->all);
    if (NULL != trial) {
        trial->periods = periods;
        trial->calls.all = trial->all;
        trial->starts.all = trial->all + periods;
    }
    return trial;
}

static void note(const nbrhood_trial_t *trial, track_t *track, uint32_t since, bool alone)
{
    const double time = nbrhood_now();
    if (0 < since && since <= trial->periods && track->seen == since - 1) {
        track->all[track->seen++].seconds = time - track->last;
    }
    if (since < trial->periods) {
        track->all[since].alone = alone;
    }
    track->last = time;
}

void nbrhood_trial_note_call(nbrhood_trial_t *trial, uint32_t since, bool alone)
{
    if (NULL != trial) {
        note(trial, &trial->calls, since, alone);
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
        note(trial, &trial->starts, since, true);
    }
}

static uint32_t seen_before(const track_t *track, uint32_t since)
{
    return 0 == since || track->seen == since ? since : none_seen;
}

void nbrhood_trial_go_on(nbrhood_trial_t *trial, uint32_t calls, uint32_t starts)
{
    if (NULL != trial) {
        trial->calls.seen = seen_before(&trial->calls, calls);
        trial->starts.seen = seen_before(&trial->starts, starts);
    }
}

static const nbrhood_period *all_of(const nbrhood_trial_t *trial, const track_t *track)
{
    return track->seen == trial->periods ? track->all : NULL;
}

const nbrhood_period *nbrhood_trial_calls(const nbrhood_trial_t *trial)
{
    return NULL != trial ? all_of(trial, &trial->calls) : NULL;
}

const nbrhood_period *nbrhood_trial_starts(const nbrhood_trial_t *trial)
{
    return NULL != trial ? all_of(trial, &trial->starts) : NULL;
}
