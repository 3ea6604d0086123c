/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Tags (docs/wire.md). */
#ifndef NBRHOOD_TAGS_H
#define NBRHOOD_TAGS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int nbrhood_tag_allgather(void);
int nbrhood_tag_iallgather(uint32_t number);
/* 0 if the communicator has used up its tags for persistent allgathers. */
int nbrhood_tag_allgather_init(uint32_t number);

/* Of blocking and nonblocking calls of alltoallv and alltoallw, which all have one tag. */
int nbrhood_tag_alltoallv(void);
/* 0 when the communicator has used up its tags for persistent alltoallvs and alltoallws. */
int nbrhood_tag_alltoallv_init(uint32_t number);

int nbrhood_tag_blocking(int collective);
/* called: the collective of all ranks that a graph of pairs serves, or 0. */
int nbrhood_tag_nonblocking(int called, uint32_t number);
/* 0 if the communicator has used up its tags for persistent requests. */
int nbrhood_tag_persistent(uint32_t number);
int nbrhood_tag_creation(void);
/* tags: a collective, maybe one of all ranks, or a set from nbrhood_build_tags. The tag of the
 * heads of messages; the rest, which does not fit into a head, has the next tag. */
int nbrhood_tag_build(int tags, int channel);
/* The set of tags for builds of a graph of pairs. called: NBRHOOD_ALL_ALLTOALLV or
 * NBRHOOD_ALL_ALLTOALLW; number: below kPairGraphs. */
int nbrhood_build_tags(int called, uint32_t number);

#ifdef __cplusplus
}
#endif

#endif
