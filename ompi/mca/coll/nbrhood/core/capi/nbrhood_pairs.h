/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Surveys of the pairs that exchange bytes in MPI_Alltoallv and MPI_Alltoallw. */
#ifndef NBRHOOD_PAIRS_H
#define NBRHOOD_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state of a survey on one rank. Calls from number `limit` on wait. From number `first` on only
 * pairs with bytes exchange messages. The other facts are sums over all ranks, valid if `decided`.
 */
typedef struct nbrhood_pairs_view {
    bool decided, sparse;
    uint32_t limit, first;
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

/* One rank's survey (class PairSurvey), and the pairs that it has seen before. Under
 * MPI_THREAD_MULTIPLE one thread at a time is in it. Functions that return bool return false if
 * the survey cannot go on, as the functions of nbrhood_switch. */
typedef struct nbrhood_pair_survey nbrhood_pair_survey;
/* percent, bytes: see struct SparseTerms. The survey updates the view. NULL if there is no
 * memory. */
nbrhood_pair_survey *nbrhood_pair_survey_create(int rank, int ranks, unsigned percent,
                                                uint64_t bytes, const nbrhood_pairs_host *host,
                                                nbrhood_pairs_view *view);
void nbrhood_pair_survey_destroy(nbrhood_pair_survey *survey);
/* Adds the pairs of a call (see class SeenPairs). */
bool nbrhood_pair_survey_note(nbrhood_pair_survey *survey, const int *to, size_t to_count,
                              const int *from, size_t from_count, uint64_t bytes);
/* parameters: a number for the values of this rank. */
bool nbrhood_pair_survey_begin(nbrhood_pair_survey *survey, uint32_t parameters);
bool nbrhood_pair_survey_arrived(nbrhood_pair_survey *survey, int rank, const int32_t *words,
                                 size_t count);
/* Whether this rank sends or expects messages. */
bool nbrhood_pair_survey_runs(const nbrhood_pair_survey *survey);

#ifdef __cplusplus
}
#endif

#endif
