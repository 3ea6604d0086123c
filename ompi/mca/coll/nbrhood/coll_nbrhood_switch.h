/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Patterns that are built while the program runs, and what serves a call. */
#ifndef COLL_NBRHOOD_SWITCH_H
#define COLL_NBRHOOD_SWITCH_H

#include "coll_nbrhood_module.h"

#include "core/capi/nbrhood_switch.h"

#include "opal/class/opal_list.h"

typedef struct nbrhood_background_t nbrhood_background_t;

/* What runs in the background; the lock is held. The functions that return whether it can go on
 * return false as those of nbrhood_switch do. */
typedef struct nbrhood_work_t {
    bool (*arrived)(nbrhood_background_t *of, int rank, int channel, const int32_t *words,
                    size_t count);
    /* Does a part of the work that is more than a message's; *done: whether there was any. */
    bool (*take_turn)(nbrhood_background_t *of, bool *done);
    bool (*runs)(const nbrhood_background_t *of); /* whether it sends or expects anything */
    /* Appends the requests whose start waited, where they need not any longer. */
    void (*release)(nbrhood_background_t *of, opal_list_t *to_start);
} nbrhood_work_t;

/* The first member of a switch or of a survey: its messages, which coll_nbrhood_build.c carries. */
struct nbrhood_background_t {
    opal_list_item_t super; /* in a list of coll_nbrhood_build.c, unless it rests */
    enum { NBRHOOD_RESTS, NBRHOOD_RUNS, NBRHOOD_HAS_RUN } state;
    /* Retained unless it rests, as it must not get its number again before the end. */
    ompi_communicator_t *comm;
    int collective; /* perhaps one of all ranks */
    const nbrhood_work_t *work;
    opal_list_t sends, receives;
};

/* A collective of a communicator for which a pattern may be built while the program runs: the
 * switch of the core, and what it needs of Open MPI. */
typedef struct nbrhood_switch_t {
    nbrhood_background_t background; /* builds, trials and questions */
    mca_coll_nbrhood_module_t *module;
    int collective;
    nbrhood_switch *core; /* NULL: direct messages serve for good */
    nbrhood_switch_view view;
    uint32_t calls;  /* blocking and nonblocking ones that were begun */
    int32_t pending; /* nonblocking ones that the application has not completed */
    double since;    /* when the last build began */
    /* The patterns, by number; requests that were made with one may still exist. */
    nbrhood_topology *patterns[NBRHOOD_PATTERNS];
    int pattern_count;
    opal_list_t held; /* requests whose start waits */
} nbrhood_switch_t;

/* The decision for a collective that duplicates inherit. */
typedef struct nbrhood_decision_t {
    bool decided;
    nbrhood_topology *built; /* NULL: direct messages; else shared (nbrhood_topology_share) */
} nbrhood_decision_t;

struct nbrhood_call_t;
struct nbrhood_request_t;

/* coll_nbrhood_switch.c: which topology serves a call. */
/* False when there is no memory. */
bool nbrhood_switch_open(nbrhood_switch_t *sw, mca_coll_nbrhood_module_t *module, int collective);
void nbrhood_switch_close(nbrhood_switch_t *sw);
/* Called for each call of a collective that a build may serve: counts it, begins a build where one
 * is due, lets a blocking call wait where it must, and finds the topology that serves it. */
void nbrhood_count_call(mca_coll_nbrhood_module_t *module, struct nbrhood_call_t *call,
                        int variant);
/* Whether a nonblocking call that was counted may start now, by what serves it. */
bool nbrhood_goes_at_once(const mca_coll_nbrhood_module_t *module,
                          const struct nbrhood_call_t *call);
/* Before each start of another request that does not block; *held: it is started later, by
 * progress. Fails where its blocks had to leave a device, and could not. */
int nbrhood_hold(struct nbrhood_request_t *request, bool *held);
/* Starts a request that waited; without the lock. */
void nbrhood_switch_start(struct nbrhood_request_t *request);

/* coll_nbrhood_build.c: the messages by which ranks agree on what serves calls. */
void nbrhood_build_open(void);
void nbrhood_build_close(void);
void nbrhood_background_open(nbrhood_background_t *of, ompi_communicator_t *comm, int collective,
                             const nbrhood_work_t *work);
void nbrhood_background_close(nbrhood_background_t *of);
/* Lets go of communicators that builds needed; not to be called from progress. */
void nbrhood_build_let_go(void);
/* Whether MPI_Finalize will wait for builds; calls MPI. */
bool nbrhood_wait_in_finalize(void);
/* For nbrhood_switch_host and nbrhood_pairs_host; their context is the background. The lock is held
 * in these and those below. */
void nbrhood_build_send(void *context, int rank, int channel, const int32_t *words, size_t count);
void nbrhood_build_expect(void *context, int rank, int channel);
/* Lets progress take the messages of something that runs. */
void nbrhood_build_run(nbrhood_background_t *of);
/* Ends the program: others wait for this rank's part. */
void nbrhood_build_abandon(const nbrhood_background_t *of, const char *reason);

/* coll_nbrhood_inherited_state.c: state that duplicates inherit. The first two call MPI, so the
 * lock is not held. */
/* Duplicates that are made from now on may inherit; false when there is no memory. */
bool nbrhood_let_duplicates_inherit(const mca_coll_nbrhood_module_t *module);
/* State inherited from the parent communicator, by collective; NULL where there is none. Asked
 * before the first call of a collective. */
const nbrhood_decision_t *nbrhood_inherited_decisions(const mca_coll_nbrhood_module_t *module);
/* The switch of a collective inherits a decision; without MPI. */
void nbrhood_inherit(nbrhood_switch_t *sw, const nbrhood_decision_t *decision);

#endif
