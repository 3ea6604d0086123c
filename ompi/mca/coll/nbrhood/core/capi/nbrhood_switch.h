/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Patterns that are built while the program runs. */
#ifndef NBRHOOD_SWITCH_H
#define NBRHOOD_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nbrhood_topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether `auto` may build a pattern for a collective later: the topology was created without
 * patterns, and this rank has a neighbour other than itself. */
bool nbrhood_may_build(const nbrhood_topology *topology, int collective);

/* See struct CallCounts. */
typedef struct nbrhood_call_counts {
    uint32_t calls, requests, starts;
} nbrhood_call_counts;

enum { NBRHOOD_CHANNEL_WAVE, NBRHOOD_CHANNEL_STEP, NBRHOOD_CHANNELS };

/* See struct OwnFacts. */
typedef struct nbrhood_own_facts {
    nbrhood_place place;
    int ranks;
    const int *local;
    size_t local_count;
    bool keeps_patterns; /* for nbrhood_switch_record */
} nbrhood_own_facts;

/* See struct TrialResult. */
typedef struct nbrhood_trial_result {
    bool measured, decided, keep;
    double direct_seconds, pattern_seconds;
} nbrhood_trial_result;

/* The services of the communicator that a switch needs (see class BackgroundHost). */
typedef struct nbrhood_switch_host {
    void *context;
    int (*locality)(void *context, int rank);
    /* Sends words, which it copies. */
    void (*send)(void *context, int rank, int channel, const int32_t *words, size_t count);
    /* Asks for the next message of a rank, to be passed to nbrhood_switch_arrived. */
    void (*expect)(void *context, int rank, int channel);
    /* Called at the beginning of a build. False if there is no memory. The choices in the
     * settings are ignored: `auto` decides. */
    bool (*facts)(void *context, nbrhood_own_facts *own, nbrhood_settings *settings);
    uint32_t (*inits)(void *context);
    /* The topology describes only this collective; the callee owns and destroys it. first: NULL if
     * the topology is not to serve calls. */
    void (*built)(void *context, nbrhood_topology *topology, const nbrhood_call_counts *first,
                  bool leads);
    void (*decided)(void *context, const nbrhood_trial_result *result);
    void (*changed)(void *context);
} nbrhood_switch_host;

/* See struct SwitchTerms. */
typedef struct nbrhood_switch_terms {
    uint32_t build_after, trial_calls, watch_calls;
    bool reuse;
} nbrhood_switch_terms;

/* Calls that need not ask the switch: those below quiet_until are served by pattern `serves`, or
 * by direct messages (NBRHOOD_DIRECT_MESSAGES), and are not noted. Calls from `limit` on wait. */
typedef struct nbrhood_switch_view {
    uint32_t quiet_until, limit;
    int serves;
} nbrhood_switch_view;

enum { NBRHOOD_DIRECT_MESSAGES = -1, NBRHOOD_PATTERNS = 8 };

/* Facts of a call or start (see struct CallFacts). */
typedef struct nbrhood_call_facts {
    size_t blocks;
    int64_t bytes;
    uint32_t calls;
    bool alone, may_build;
    double now;
} nbrhood_call_facts;

/* A switch and its background (classes Switch and BackgroundBuild). Under MPI_THREAD_MULTIPLE
 * only one thread at a time may use it. Functions that return bool return false if the switch
 * cannot go on, because there is no memory or a message arrived that no rank can have sent.
 * Other ranks then wait for this one forever. */
typedef struct nbrhood_switch nbrhood_switch;
/* The topology and the view must outlive the switch, which keeps the view up to date. NULL if
 * there is no memory. */
nbrhood_switch *nbrhood_switch_create(const nbrhood_topology *topology, int collective,
                                      nbrhood_switch_terms terms, const nbrhood_switch_host *host,
                                      nbrhood_switch_view *view);
void nbrhood_switch_destroy(nbrhood_switch *sw);
/* Gives a duplicate an inherited decision, before its first call. pattern: pattern number 0,
 * else direct messages. */
void nbrhood_switch_inherit(nbrhood_switch *sw, bool pattern);

bool nbrhood_switch_call_wants_build(const nbrhood_switch *sw, uint32_t call);
bool nbrhood_switch_start_wants_build(const nbrhood_switch *sw, uint32_t start);
bool nbrhood_switch_init_wants_build(const nbrhood_switch *sw, uint32_t calls);
bool nbrhood_switch_begin_init(nbrhood_switch *sw, const nbrhood_call_facts *facts);
bool nbrhood_switch_begin_call(nbrhood_switch *sw, const nbrhood_call_facts *facts);
bool nbrhood_switch_begin_start(nbrhood_switch *sw, uint32_t request, uint32_t start,
                                const nbrhood_call_facts *facts);
int nbrhood_switch_serving_call(const nbrhood_switch *sw, uint32_t call);
int nbrhood_switch_serving_start(const nbrhood_switch *sw, uint32_t request, uint32_t start);
bool nbrhood_switch_holds_start(const nbrhood_switch *sw, uint32_t request, uint32_t start);
/* Whether the algorithm of a request never changes from this start on. */
bool nbrhood_switch_is_final(const nbrhood_switch *sw, uint32_t start);

bool nbrhood_switch_arrived(nbrhood_switch *sw, int rank, int channel, const int32_t *words,
                            size_t count);
/* Whether this rank has long work to do; and doing a slice of it, about a millisecond. */
bool nbrhood_switch_wants_turn(const nbrhood_switch *sw);
bool nbrhood_switch_take_turn(nbrhood_switch *sw);
/* Whether this rank sends or expects messages. */
bool nbrhood_switch_runs(const nbrhood_switch *sw);
/* In host.built: records the patterns of the topology, as nbrhood_topology_create does. */
void nbrhood_switch_record(const nbrhood_switch *sw, nbrhood_topology *topology,
                           nbrhood_recording *recording);

/* Whether a duplicate inherits a decision if it is made after `calls` calls (see
 * inheritance_after); and that decision: a pattern, or NBRHOOD_DIRECT_MESSAGES. */
enum { NBRHOOD_INHERITANCE_NOT_KNOWN, NBRHOOD_INHERITANCE_NONE, NBRHOOD_INHERITANCE_DECISION };
int nbrhood_switch_inheritance(const nbrhood_switch *sw, uint32_t calls);
int nbrhood_switch_inherited_pattern(const nbrhood_switch *sw);

#ifdef __cplusplus
}
#endif

#endif
