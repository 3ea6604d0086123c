/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The blocks of a call in memory: its arguments as addresses, counts and datatypes. */
#ifndef COLL_NBRHOOD_BLOCKS_H
#define COLL_NBRHOOD_BLOCKS_H

#include "coll_nbrhood_request.h"

#include "ompi/datatype/ompi_datatype.h"

/* Facts of a datatype, kept for consecutive blocks of the same type. */
typedef struct nbrhood_type_facts_t {
    ompi_datatype_t *type;
    ptrdiff_t extent;
    size_t size;
} nbrhood_type_facts_t;

static inline void nbrhood_find_type_facts(nbrhood_type_facts_t *facts, ompi_datatype_t *type)
{
    if (facts->type != type) {
        ptrdiff_t lb;
        facts->type = type;
        ompi_datatype_get_extent(type, &lb, &facts->extent);
        ompi_datatype_type_size(type, &facts->size);
    }
}

/* Finds a block of one side of a call. `facts` are those of the block before, all zero at first. */
static inline void nbrhood_find_block(const nbrhood_side_t *side, size_t i,
                                      nbrhood_type_facts_t *facts, void **address, size_t *elements)
{
    const size_t entry = NULL != side->entries ? (size_t) side->entries[i] : i;
    ompi_datatype_t *type = NULL != side->types ? side->types[entry] : side->type;
    ptrdiff_t offset;
    *elements = NBRHOOD_ARRAY_GIVEN(side->counts) ? nbrhood_count_at(side->counts, entry)
                                                  : (size_t) side->count;
    if (NULL != side->entries && 0 == *elements) {
        type = MPI_BYTE; /* alltoallw looks at no type of an empty block */
    }
    nbrhood_find_type_facts(facts, type);
    if (NBRHOOD_ARRAY_GIVEN(side->byte_displacements)) {
        offset = nbrhood_byte_displacement_at(side->byte_displacements, i);
    } else if (NBRHOOD_ARRAY_GIVEN(side->displacements)) {
        offset = nbrhood_displacement_at(side->displacements, entry)
                 * (side->in_bytes ? 1 : facts->extent);
    } else {
        offset = (ptrdiff_t) (i * *elements) * facts->extent;
    }
    /* As numbers, because places relative to MPI_BOTTOM, or to its mirror, may be anywhere. */
    *address = (void *) ((uintptr_t) side->buffer + (uintptr_t) offset);
}

/* The bytes of the first blocks of a side. */
static inline int64_t nbrhood_bytes_of(const nbrhood_side_t *side, size_t blocks)
{
    nbrhood_type_facts_t facts = {NULL, 0, 0};
    int64_t bytes = 0;
    for (size_t i = 0; i < blocks; ++i) {
        void *address;
        size_t elements;
        nbrhood_find_block(side, i, &facts, &address, &elements);
        bytes += (int64_t) (elements * facts.size);
    }
    return bytes;
}

/* Binds the arguments of a call to the blocks of the request's plan. That is cheap if they are
 * those of the last call, or differ only in the buffers. */
void nbrhood_bind(nbrhood_request_t *request, const nbrhood_call_t *call);

/* Callbacks of nbrhood_transport. */
int nbrhood_block_pack(void *context, const nbrhood_block *from, void *to);
int nbrhood_block_unpack(void *context, const void *from, size_t bytes, const nbrhood_block *to);
bool nbrhood_block_flatten(void *context, const nbrhood_block *block, size_t most,
                           bool (*take)(void *sink, void *at, size_t bytes), void *sink);

/* ---- Walks over the blocks of one side of a call ---- */

/* One side of a call: its arguments, or the blocks of a plan. */
typedef struct nbrhood_mirrored_t {
    nbrhood_side_t *side;
    size_t blocks;
    const uint32_t *nulls; /* blocks of MPI_PROC_NULL, ascending */
    size_t null_count;
    bool as_one;         /* a mirror keeps the distances of blocks */
    nbrhood_block *list; /* NULL: see `side`; else the blocks of a plan: */
    bool scattered, absolute;
} nbrhood_mirrored_t;

/* Facts of one element of a datatype. */
typedef struct nbrhood_element_t {
    ompi_datatype_t *type;
    ptrdiff_t true_lb, true_extent;
    struct iovec *segments; /* relative to NBRHOOD_WALK_BASE; NULL until needed */
    uint32_t count;
} nbrhood_element_t;

/* An arbitrary address for the convertor, which touches no memory. */
#define NBRHOOD_WALK_BASE ((uintptr_t) 1 << 40)

/* All fields but `from` are zero at first. */
typedef struct nbrhood_walk_t {
    const nbrhood_mirrored_t *from;
    nbrhood_type_facts_t facts;
    nbrhood_element_t element;
    size_t next, next_null;
    /* The current block. */
    void *address;
    size_t count;
    uintptr_t begin, end; /* its span; equal if it is empty or of MPI_PROC_NULL */
    bool contiguous;
} nbrhood_walk_t;

/* Goes to the next block; false past the last. */
bool nbrhood_walk_step(nbrhood_walk_t *walk);
/* Finds the segments of the current element. */
int nbrhood_walk_find_segments(nbrhood_walk_t *walk);
void nbrhood_walk_end(nbrhood_walk_t *walk);

/* Whether blocks may be in several memories: those at absolute addresses (MPI_BOTTOM), or of an
 * alltoallw. Other blocks are in the memory of their buffer. */
bool nbrhood_is_scattered(const nbrhood_mirrored_t *side);
bool nbrhood_is_absolute(const nbrhood_mirrored_t *side);
/* Whether a side has a block on the device. */
bool nbrhood_is_on_device(const nbrhood_mirrored_t *side);

#endif
