/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* One rank's walk over the counts of an alltoallv that is noted for a survey. */
#ifndef NBRHOOD_WALK_H
#define NBRHOOD_WALK_H

#ifdef __cplusplus
extern "C" {
#endif

/* The least seconds that the component's function takes, of `samples` calls on an imagined
 * communicator of `ranks`, on which rank 0 sends 8 bytes to the `pairs` ranks behind it and
 * receives as many from them. Negative for want of memory, or if it finds other pairs. */
double nbrhood_walk_seconds(int ranks, int pairs, int samples);

#ifdef __cplusplus
}
#endif

#endif
