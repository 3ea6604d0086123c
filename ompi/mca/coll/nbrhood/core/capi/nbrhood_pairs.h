/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The switch of MPI_Alltoallv and MPI_Alltoallw, which surveys of the pairs with bytes move. */
#ifndef NBRHOOD_PAIRS_H
#define NBRHOOD_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call is served by the displaced functions, messages between the pairs with bytes, or the
 * neighbourhood collective of a graph. */
enum { NBRHOOD_SERVED_DISPLACED, NBRHOOD_SERVED_BY_PAIRS, NBRHOOD_SERVED_BY_GRAPH };

/* The state of one rank (class PairSwitch). Calls from number `limit` on wait. Calls from `first`
 * on and below `quiet_until` need not ask: `serves` holds for them. The other facts are sums over
 * all ranks in the last survey. */
typedef struct nbrhood_pairs_view {
    bool decided, changed; /* changed: by the last survey */
    int serves;
    uint32_t first, quiet_until, limit;
    uint64_t pairs, largest, messages, bytes; /* see struct PairFacts */
} nbrhood_pairs_view;

/* The services of the communicator that a survey needs. */
typedef struct nbrhood_pairs_host {
    void *context;
    /* As in nbrhood_switch_host. */
    void (*send)(void *context, int rank, int channel, const int32_t *words, size_t count);
    void (*expect)(void *context, int rank, int channel);
    uint32_t (*calls)(void *context); /* that this rank has begun */
} nbrhood_pairs_host;

/* See structs PairLimits and PairTerms. */
typedef struct nbrhood_pairs_terms {
    unsigned percent;
    uint64_t bytes;
    uint32_t window, watch;
} nbrhood_pairs_terms;

/* One rank's switch. Under MPI_THREAD_MULTIPLE one thread at a time is in it. Functions that return
 * bool return false if the ranks cannot go on, as the functions of nbrhood_switch. */
typedef struct nbrhood_pair_switch nbrhood_pair_switch;
/* The switch updates the view. NULL if there is no memory. */
nbrhood_pair_switch *nbrhood_pair_switch_create(int rank, int ranks,
                                                const nbrhood_pairs_terms *terms,
                                                const nbrhood_pairs_host *host,
                                                nbrhood_pairs_view *view);
void nbrhood_pair_switch_destroy(nbrhood_pair_switch *sw);
/* Whether a survey needs the pairs of a call, and whether one begins with it. */
bool nbrhood_pair_switch_notes(const nbrhood_pair_switch *sw, uint32_t number);
bool nbrhood_pair_switch_begins(const nbrhood_pair_switch *sw, uint32_t number);
/* Adds the pairs of a call (see class SeenPairs). bytes: sent. */
bool nbrhood_pair_switch_note(nbrhood_pair_switch *sw, const int *to, size_t to_count,
                              const int *from, size_t from_count, uint64_t bytes);
/* Begins a survey. parameters: a number for the values of this rank. */
bool nbrhood_pair_switch_begin(nbrhood_pair_switch *sw, uint32_t parameters);
bool nbrhood_pair_switch_arrived(nbrhood_pair_switch *sw, int rank, const int32_t *words,
                                 size_t count);
/* Whether this rank sends or expects messages. */
bool nbrhood_pair_switch_runs(const nbrhood_pair_switch *sw);
/* Return what serves a call, or an init after so many calls. */
int nbrhood_pair_switch_serving(const nbrhood_pair_switch *sw, uint32_t number);
int nbrhood_pair_switch_serving_init(const nbrhood_pair_switch *sw, uint32_t calls);
/* The graph that serves calls from `first` on: its number, and the ranks to which this rank sends,
 * and those from which it receives, ascending; valid until the end of the next survey. */
uint32_t nbrhood_pair_switch_graph_number(const nbrhood_pair_switch *sw);
void nbrhood_pair_switch_graph(const nbrhood_pair_switch *sw, const int **to, size_t *to_count,
                               const int **from, size_t *from_count);

#ifdef __cplusplus
}
#endif

#endif
