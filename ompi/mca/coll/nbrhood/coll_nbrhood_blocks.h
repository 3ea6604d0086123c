/* Where the blocks of a call lie: its arguments as addresses, counts and datatypes. */
#ifndef COLL_NBRHOOD_BLOCKS_H
#define COLL_NBRHOOD_BLOCKS_H

#include "coll_nbrhood.h"

#include "ompi/datatype/ompi_datatype.h"

/* What does not change from block to block of one type. */
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

/* A block of one side of a call; `facts` is that of the block before, at first all zero. */
static inline void nbrhood_find_block(const nbrhood_side_t *side, size_t i,
                                      nbrhood_type_facts_t *facts, void **address, size_t *elements)
{
    ompi_datatype_t *type = NULL != side->types ? side->types[i] : side->type;
    ptrdiff_t offset;
    nbrhood_find_type_facts(facts, type);
    *elements = NBRHOOD_ARRAY_GIVEN(side->counts) ? nbrhood_count_at(side->counts, i)
                                                  : (size_t) side->count;
    if (NBRHOOD_ARRAY_GIVEN(side->byte_displacements)) {
        offset = nbrhood_byte_displacement_at(side->byte_displacements, i);
    } else if (NBRHOOD_ARRAY_GIVEN(side->displacements)) {
        offset = nbrhood_displacement_at(side->displacements, i) * facts->extent;
    } else {
        offset = (ptrdiff_t) (i * *elements) * facts->extent;
    }
    /* In numbers: places relative to MPI_BOTTOM, or to the mirror of that, may be anywhere. */
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

#endif
