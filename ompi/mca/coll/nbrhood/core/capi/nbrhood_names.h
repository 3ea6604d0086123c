/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Names of collectives and algorithms: for MCA parameters and reports. */
#ifndef NBRHOOD_NAMES_H
#define NBRHOOD_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The five collectives, in the order of enum class Collective. */
enum {
    NBRHOOD_ALLGATHER,
    NBRHOOD_ALLGATHERV,
    NBRHOOD_ALLTOALL,
    NBRHOOD_ALLTOALLV,
    NBRHOOD_ALLTOALLW,
    NBRHOOD_COLLECTIVES
};
/* Collectives of all ranks: further values for arguments that name a collective. */
enum {
    NBRHOOD_ALL_ALLGATHER = NBRHOOD_COLLECTIVES,
    NBRHOOD_ALL_ALLTOALLV,
    NBRHOOD_ALL_ALLTOALLW,
    NBRHOOD_ALL_END
};

/* A version that must be equal in all processes that use the component together (see
 * kProtocolVersion). */
int nbrhood_core_version(void);
/* Likewise a hash of the names of algorithms and parameters (see hash_names); 0 if there is no
 * memory.
 */
uint32_t nbrhood_core_names(void);

/* "neighbor_alltoallv", ...; "alltoallv", ... for collectives of all ranks. */
const char *nbrhood_collective_name(int collective);
/* Values of an algorithm parameter that the glue itself must know. */
enum { NBRHOOD_CHOICE_AUTO, NBRHOOD_CHOICE_DEFAULT };
/* Name of a value of an algorithm parameter ("auto", "default", "direct", ...); NULL past the last.
 */
const char *nbrhood_choice_name(int choice);
/* Whether an algorithm relays the blocks that are larger than its T, and not the others. */
bool nbrhood_is_for_large_blocks(int choice);
/* The value of that name, or -1. */
int nbrhood_find_choice(const char *name);
/* One sentence on a choice that is an algorithm of the registry; NULL for auto and default. */
const char *nbrhood_choice_summary(int choice);
/* Whether the choice serves the collective ("auto" and "default" serve all). */
bool nbrhood_choice_serves(int choice, int collective);

#ifdef __cplusplus
}
#endif

#endif
