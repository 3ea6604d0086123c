/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Allgathers (core/allgather). */
#ifndef NBRHOOD_ALLGATHER_H
#define NBRHOOD_ALLGATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nbrhood_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One process in an agreement (see struct AllgatherMember). */
typedef struct nbrhood_allgather_member {
    int node;
    int16_t domains[NBRHOOD_REGION_KINDS - 1];
    uint16_t threads;
    float ranks_per_core;
    uint32_t parameters;
} nbrhood_allgather_member;

/* See class Agreements; the object belongs to the process. names: of ranks 0 .. count - 1. Both
 * return false if there is no memory. */
bool nbrhood_agreements_find(const uint64_t *names, size_t count,
                             nbrhood_allgather_member *members);
bool nbrhood_agreements_add(const uint64_t *names, size_t count,
                            const nbrhood_allgather_member *members);
/* Called when the component is closed. */
void nbrhood_agreements_forget(void);

/* Decides how allgathers are served on a communicator whose ranks have agreed. values: of all
 * parameters (nbrhood_settings.values); choice: of the allgather's algorithm; most_result: bytes of
 * the largest result that auto serves. NULL if there is no memory.
 */
typedef struct nbrhood_allgather nbrhood_allgather;
nbrhood_allgather *nbrhood_allgather_create(int rank, size_t ranks,
                                            const nbrhood_allgather_member *members,
                                            const nbrhood_value *values, int choice,
                                            size_t most_result);
void nbrhood_allgather_destroy(nbrhood_allgather *allgather);
/* The algorithm that serves blocks of this size; -1: the displaced module. The same on all
 * ranks. */
int nbrhood_allgather_row(const nbrhood_allgather *allgather, size_t bytes);
enum { NBRHOOD_MOST_ALLGATHER_ROWS = 16 };
/* Names of the values of coll_nbrhood_allgather_algorithm; NULL past the last. */
enum { NBRHOOD_ALLGATHER_AUTO, NBRHOOD_ALLGATHER_DEFAULT, NBRHOOD_ALLGATHER_FIRST_ROW };
const char *nbrhood_allgather_choice_name(int choice);
/* For reports: the number of regions; the size of the largest blocks that are served, 0: all. */
size_t nbrhood_allgather_regions(const nbrhood_allgather *allgather);
size_t nbrhood_allgather_most_bytes(const nbrhood_allgather *allgather);

/* A plan for calls that an algorithm serves; NULL when there is no memory. */
nbrhood_plan *nbrhood_allgather_plan(const nbrhood_allgather *allgather, int row,
                                     const nbrhood_transport *transport, void *context);
/* Binds the plan before a start. send: NULL for MPI_IN_PLACE. receive: the slot of rank 0; the
 * other slots follow `stride` bytes apart; its data is NULL unless all slots together are
 * contiguous. */
void nbrhood_allgather_bind(nbrhood_plan *plan, const nbrhood_block *send,
                            const nbrhood_block *receive, ptrdiff_t stride);

#ifdef __cplusplus
}
#endif

#endif
