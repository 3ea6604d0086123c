/* Where the bytes of the blocks of one side of a call are. */
#ifndef COLL_NBRHOOD_WALK_H
#define COLL_NBRHOOD_WALK_H

#include "coll_nbrhood_blocks.h"

/* One side of a call: its arguments, or blocks as plans have them. */
typedef struct nbrhood_mirrored_t {
    nbrhood_side_t *side;
    size_t blocks;
    const uint32_t *nulls; /* blocks that nobody touches, ascending */
    size_t null_count;
    bool as_one;         /* a mirror keeps the distances of blocks */
    nbrhood_block *list; /* NULL: see `side`; else these count: */
    bool scattered, absolute;
} nbrhood_mirrored_t;

/* Of one element of a datatype. */
typedef struct nbrhood_element_t {
    ompi_datatype_t *type;
    ptrdiff_t true_lb, true_extent;
    struct iovec *segments; /* relative to NBRHOOD_WALK_BASE; NULL until they are needed */
    uint32_t count;
} nbrhood_element_t;

/* Any address: the convertor gets one, and touches nothing. */
#define NBRHOOD_WALK_BASE ((uintptr_t) 1 << 40)

/* All but `from` zero at first. */
typedef struct nbrhood_walk_t {
    const nbrhood_mirrored_t *from;
    nbrhood_type_facts_t facts;
    nbrhood_element_t element;
    size_t next, next_null;
    /* The block it has come to. */
    void *address;
    size_t count;
    uintptr_t begin, end; /* what it spans; the same where it is empty, or nobody touches it */
    bool contiguous;
} nbrhood_walk_t;

/* Goes to the next block; false past the last. */
bool nbrhood_walk_step(nbrhood_walk_t *walk);
/* Finds the segments of the element at hand. */
int nbrhood_walk_find_segments(nbrhood_walk_t *walk);
void nbrhood_walk_end(nbrhood_walk_t *walk);

/* Blocks at addresses of their own, by MPI_BOTTOM (absolute) or in an alltoallw, may be in several
 * memories; others are in that of their buffer. */
bool nbrhood_is_scattered(const nbrhood_mirrored_t *side);
bool nbrhood_is_absolute(const nbrhood_mirrored_t *side);
/* Whether a side has a block on the device. */
bool nbrhood_is_on_device(const nbrhood_mirrored_t *side);

#endif
