/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Calls with buffers in device memory are made on host memory that mirrors these. */
#ifndef COLL_NBRHOOD_MIRROR_H
#define COLL_NBRHOOD_MIRROR_H

#include "coll_nbrhood_blocks.h"

/* ---- coll_nbrhood_mirror_memory.c: host memory, kept in the process ---- */

typedef struct nbrhood_mirror_memory_t {
    struct nbrhood_mirror_memory_t *next;
    char *data;
    size_t bytes;
    bool pinned;
} nbrhood_mirror_memory_t;

/* At least so many bytes, at the beginning of a page; NULL when there is no memory. */
nbrhood_mirror_memory_t *nbrhood_mirror_memory_take(size_t bytes);
/* NULL: nothing. */
void nbrhood_mirror_memory_give_back(nbrhood_mirror_memory_t *memory);
void nbrhood_mirror_memory_open(void);
void nbrhood_mirror_memory_close(void);

/* ---- coll_nbrhood_mirror.c ---- */

/* Makes a mirror of what is on the device, and both sides ones of host memory. NULL: nothing is on
 * the device, and nothing is changed. Copies nothing. The mirror belongs to the caller. */
int nbrhood_mirror_create(const nbrhood_mirrored_t *send, const nbrhood_mirrored_t *receive,
                          nbrhood_mirror_t **mirror);
/* With MPI_IN_PLACE: this block of the receive side, before it was rewritten, is input. */
void nbrhood_mirror_keep(nbrhood_mirror_t *mirror, const nbrhood_side_t *receive, size_t block);
/* Copies in what is sent, but for a request that is yet to be started; on failure frees it, too. */
int nbrhood_mirror_prepare(nbrhood_mirror_t **mirror, int variant);
/* Copies the blocks to be sent from the device, and the blocks that were received to the device;
 * both may be called from progress. */
int nbrhood_mirror_take_in(const nbrhood_mirror_t *mirror);
int nbrhood_mirror_hand_out(const nbrhood_mirror_t *mirror);
/* NULL: nothing. Not to be called from progress. */
void nbrhood_mirror_free(nbrhood_mirror_t *mirror);
/* Hands out and frees; what the call returns that returned rc. */
int nbrhood_mirror_end(nbrhood_mirror_t *mirror, int rc);
/* The mirror of an allgather, as nbrhood_mirror_create makes it. */
int nbrhood_mirror_allgather(ompi_communicator_t *comm, nbrhood_side_t *send,
                             nbrhood_side_t *receive, nbrhood_mirror_t **mirror);

#endif
