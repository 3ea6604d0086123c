/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Patterns that are built while the program runs, and the choice of the topology that serves a
 * call. */
#ifndef COLL_NBRHOOD_SWITCH_H
#define COLL_NBRHOOD_SWITCH_H

#include "coll_nbrhood_module.h"

#include "core/capi/nbrhood_switch.h"

#include "opal/class/opal_list.h"

typedef struct nbrhood_background_t nbrhood_background_t;

/* The functions of an activity in the background; the lock is held. The first two return false if
 * there is no memory. */
typedef struct nbrhood_work_t {
    bool (*arrived)(nbrhood_background_t *of, int rank, int channel, const int32_t *words,
                    size_t count);
    /* Does a slice of long work; *done: whether there was any. */
    bool (*take_turn)(nbrhood_background_t *of, bool *done);
    bool (*runs)(const nbrhood_background_t *of); /* whether it sends or expects messages */
    /* Appends the held requests that need not wait any longer. */
    void (*release)(nbrhood_background_t *of, opal_list_t *to_start);
} nbrhood_work_t;

/* The first member of a switch or of a survey: its messages, which coll_nbrhood_build.c carries. */
struct nbrhood_background_t {
    opal_list_item_t super; /* in a list of coll_nbrhood_build.c, unless it rests */
    enum { NBRHOOD_RESTS, NBRHOOD_RUNS, NBRHOOD_HAS_RUN } state;
    /* Retained unless the activity rests: while its messages are under way no other communicator
     * may get the number of this one. */
    ompi_communicator_t *comm;
    int collective; /* that the application calls */
    int tags;       /* the number of a set of tags (nbrhood_tag_build) */
    const nbrhood_work_t *work;
    opal_list_t sends, receives;
};

/* A collective of a communicator for which a pattern may be built while the program runs: the
 * switch of the core, and its state in Open MPI. */
typedef struct nbrhood_switch_t {
    nbrhood_background_t background; /* builds, trials and questions */
    mca_coll_nbrhood_module_t *module;
    int collective;
    nbrhood_switch *core; /* NULL: direct messages serve for good */
    nbrhood_switch_view view;
    uint32_t calls;  /* blocking and nonblocking calls that were begun */
    int32_t pending; /* nonblocking calls that the application has not completed */
    double since;    /* when the last build began */
    /* The patterns, by number. All are kept, because requests may still use them. */
    nbrhood_topology *patterns[NBRHOOD_PATTERNS];
    int pattern_count;
    opal_list_t held; /* requests whose start waits */
} nbrhood_switch_t;

/* The decision on a collective that duplicates inherit. */
typedef struct nbrhood_decision_t {
    bool decided;
    nbrhood_topology *built; /* NULL: direct messages; else shared (nbrhood_topology_share) */
} nbrhood_decision_t;

struct nbrhood_call_t;
struct nbrhood_request_t;

/* coll_nbrhood_switch.c: the choice of the topology that serves a call. */
/* False if there is no memory. */
bool nbrhood_switch_open(nbrhood_switch_t *sw, mca_coll_nbrhood_module_t *module, int collective);
void nbrhood_switch_close(nbrhood_switch_t *sw);
/* Called for each call of a collective that a build may serve: counts it, begins a build if one
 * is due, lets a blocking call wait if it must, and finds the topology that serves it. */
void nbrhood_count_call(mca_coll_nbrhood_module_t *module, struct nbrhood_call_t *call,
                        int variant);
/* Whether a nonblocking call that was counted may start now. */
bool nbrhood_goes_at_once(const mca_coll_nbrhood_module_t *module,
                          const struct nbrhood_call_t *call);
/* Called before each start of a nonblocking or persistent request that has a plan; *held:
 * progress starts the request later. Fails if its blocks must leave a device and cannot. */
int nbrhood_hold(struct nbrhood_request_t *request, bool *held);
/* Starts a request that was held; without the lock. */
void nbrhood_switch_start(struct nbrhood_request_t *request);

/* coll_nbrhood_build.c: the messages of builds, trials and questions. */
void nbrhood_build_open(void);
void nbrhood_build_close(void);
void nbrhood_background_open(nbrhood_background_t *of, ompi_communicator_t *comm, int collective,
                             int tags, const nbrhood_work_t *work);
void nbrhood_background_close(nbrhood_background_t *of);
/* Releases communicators that builds needed; not to be called from progress. */
void nbrhood_build_release(void);
/* Whether MPI_Finalize will wait for builds; calls MPI. */
bool nbrhood_wait_in_finalize(void);
/* For nbrhood_switch_host and nbrhood_pairs_host; their context is the background. The lock is held
 * in these functions and those below. */
void nbrhood_build_send(void *context, int rank, int channel, const int32_t *words, size_t count);
void nbrhood_build_expect(void *context, int rank, int channel);
/* Lets progress handle the messages of an activity that runs. */
void nbrhood_build_run(nbrhood_background_t *of);
/* Aborts the program, because other ranks wait for this one. */
void nbrhood_build_abandon(const nbrhood_background_t *of, const char *reason);

/* coll_nbrhood_inherited_state.c: state that duplicates inherit. The first two call MPI, so the
 * lock is not held. */
/* Lets duplicates that are made from now on inherit; false if there is no memory. */
bool nbrhood_let_duplicates_inherit(const mca_coll_nbrhood_module_t *module);
/* State inherited from the parent communicator, by collective; NULL if there is none. Called
 * before the first call of a collective. */
const nbrhood_decision_t *nbrhood_inherited_decisions(const mca_coll_nbrhood_module_t *module);
/* Gives the switch of a collective an inherited decision; calls no MPI. */
void nbrhood_inherit(nbrhood_switch_t *sw, const nbrhood_decision_t *decision);

#endif
