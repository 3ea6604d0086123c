/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Mirrors: host memory for calls with buffers in device memory. */
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

/* At least this many bytes, at the beginning of a page; NULL if there is no memory. */
nbrhood_mirror_memory_t *nbrhood_mirror_memory_take(size_t bytes);
/* Does nothing for NULL. */
void nbrhood_mirror_memory_give_back(nbrhood_mirror_memory_t *memory);
void nbrhood_mirror_memory_open(void);
void nbrhood_mirror_memory_close(void);

/* ---- coll_nbrhood_mirror.c ---- */

/* Makes a mirror of the blocks on the device, and changes both sides to host memory. If no block
 * is on the device, *mirror is NULL and the sides stay. Copies nothing. The mirror belongs to
 * the caller. */
int nbrhood_mirror_create(const nbrhood_mirrored_t *send, const nbrhood_mirrored_t *receive,
                          nbrhood_mirror_t **mirror);
/* With MPI_IN_PLACE: marks this block of the original receive side as input. */
void nbrhood_mirror_keep(nbrhood_mirror_t *mirror, const nbrhood_side_t *receive, size_t block);
/* Copies in the blocks to be sent, except for a persistent request; frees the mirror on failure. */
int nbrhood_mirror_prepare(nbrhood_mirror_t **mirror, int variant);
/* Copies the blocks to be sent from the device, and the blocks that were received to the device;
 * both may be called from progress. */
int nbrhood_mirror_take_in(const nbrhood_mirror_t *mirror);
int nbrhood_mirror_hand_out(const nbrhood_mirror_t *mirror);
/* Does nothing for NULL. Not to be called from progress. */
void nbrhood_mirror_free(nbrhood_mirror_t *mirror);
/* Copies out and frees after a call that returned rc; returns the result for the application. */
int nbrhood_mirror_end(nbrhood_mirror_t *mirror, int rc);
/* The mirror of an allgather, as nbrhood_mirror_create makes it. */
int nbrhood_mirror_allgather(ompi_communicator_t *comm, nbrhood_side_t *send,
                             nbrhood_side_t *receive, nbrhood_mirror_t **mirror);

#endif
