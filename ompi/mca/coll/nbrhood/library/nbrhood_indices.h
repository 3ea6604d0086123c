/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The structure by which the library passes indices to the component. Neither needs the other: the
 * info object of the init call has the address of this structure under a key of our own.
 */
#ifndef NBRHOOD_INDICES_H
#define NBRHOOD_INDICES_H

#include <stdint.h>

#define NBRHOOD_INDICES_KEY "nbrhood_indices_of_this_call"
#define NBRHOOD_INDICES_MARK UINT64_C(0x6e62726876616c73)

/* Lives while the init call runs. */
typedef struct nbrhood_indices_t {
    uint64_t mark;       /* NBRHOOD_INDICES_MARK */
    const int64_t *send; /* of all elements sent, in the order of the blocks */
} nbrhood_indices_t;

#endif
