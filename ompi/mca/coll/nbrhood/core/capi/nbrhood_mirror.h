/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Mirrors of device memory (see class MirrorLayout). */
#ifndef NBRHOOD_MIRROR_H
#define NBRHOOD_MIRROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NBRHOOD_MIRROR_ALIGNMENT = 64 };
/* See struct MirrorCopy. */
typedef struct nbrhood_mirror_copy {
    uintptr_t at;
    size_t offset;
    size_t bytes;
} nbrhood_mirror_copy;

/* If there is no memory, create returns NULL, and add_span, add_segment and finish return false. */
typedef struct nbrhood_mirror_layout nbrhood_mirror_layout;
nbrhood_mirror_layout *nbrhood_mirror_layout_create(void);
void nbrhood_mirror_layout_destroy(nbrhood_mirror_layout *layout);
bool nbrhood_mirror_layout_add_span(nbrhood_mirror_layout *layout, uintptr_t begin, uintptr_t end);
bool nbrhood_mirror_layout_add_segment(nbrhood_mirror_layout *layout, uintptr_t begin,
                                       uintptr_t end, uintptr_t allocation_end);
bool nbrhood_mirror_layout_finish(nbrhood_mirror_layout *layout, size_t gap, bool as_one);
size_t nbrhood_mirror_layout_bytes(const nbrhood_mirror_layout *layout);
bool nbrhood_mirror_layout_keeps_distances(const nbrhood_mirror_layout *layout);
size_t nbrhood_mirror_layout_offset(const nbrhood_mirror_layout *layout, uintptr_t address);
/* The copies live as long as the layout. Returns their number. */
size_t nbrhood_mirror_layout_copies(const nbrhood_mirror_layout *layout,
                                    const nbrhood_mirror_copy **copies);

#ifdef __cplusplus
}
#endif

#endif
