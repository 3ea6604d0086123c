/* Walks over the blocks of one side of a call. */
#include "coll_nbrhood_walk.h"

#include "opal/datatype/opal_convertor.h"

#include "coll_nbrhood_device.h"

/* ---- Where the bytes of a block are ---- */

int nbrhood_walk_find_segments(nbrhood_walk_t *walk)
{
    nbrhood_element_t *element = &walk->element;
    size_t size;
    ompi_datatype_type_size(element->type, &size);
    for (uint32_t room = 16; NULL == element->segments; room *= 4) {
        opal_convertor_t convertor;
        size_t bytes = size;
        uint32_t count = room;
        struct iovec *segments = malloc(room * sizeof *segments);
        if (NULL == segments) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        OBJ_CONSTRUCT(&convertor, opal_convertor_t);
        int rc = opal_convertor_copy_and_prepare_for_send(
            ompi_mpi_local_convertor, &element->type->super, 1, (void *) NBRHOOD_WALK_BASE, 0,
            &convertor);
        const bool all = OPAL_SUCCESS == rc
                         && 1 == opal_convertor_raw(&convertor, segments, &count, &bytes)
                         && bytes == size;
        OBJ_DESTRUCT(&convertor);
        if (all) {
            element->segments = segments;
            element->count = count;
        } else {
            free(segments);
            if (OPAL_SUCCESS != rc || room > size) {
                return OMPI_ERROR;
            }
        }
    }
    return OMPI_SUCCESS;
}

static void set_element(nbrhood_element_t *element, ompi_datatype_t *type)
{
    if (element->type != type) {
        free(element->segments);
        element->type = type;
        element->segments = NULL;
        ompi_datatype_get_true_extent(type, &element->true_lb, &element->true_extent);
    }
}

/* ---- One side of a call ---- */

bool nbrhood_walk_step(nbrhood_walk_t *walk)
{
    const nbrhood_mirrored_t *from = walk->from;
    const size_t i = walk->next++;
    if (i >= from->blocks) {
        return false;
    }
    if (NULL != from->list) {
        nbrhood_find_type_facts(&walk->facts, (ompi_datatype_t *) from->list[i].type);
        walk->address = from->list[i].address;
        walk->count = from->list[i].count;
    } else {
        nbrhood_find_block(from->side, i, &walk->facts, &walk->address, &walk->count);
    }
    walk->begin = walk->end = 0;
    if (walk->next_null < from->null_count && from->nulls[walk->next_null] == i) {
        ++walk->next_null;
        return true;
    }
    if (0 == walk->count * walk->facts.size) {
        return true;
    }
    set_element(&walk->element, walk->facts.type);
    const ptrdiff_t last = (ptrdiff_t) (walk->count - 1) * walk->facts.extent;
    walk->begin = (uintptr_t) walk->address + (uintptr_t) walk->element.true_lb
                  + (uintptr_t) (last < 0 ? last : 0);
    walk->end =
        walk->begin + (uintptr_t) (last < 0 ? -last : last) + (uintptr_t) walk->element.true_extent;
    /* Of the count it matters only whether it is one; it may not fit. */
    walk->contiguous = opal_datatype_is_contiguous_memory_layout(&walk->facts.type->super,
                                                                 1 == walk->count ? 1 : 2);
    return true;
}

void nbrhood_walk_end(nbrhood_walk_t *walk)
{
    free(walk->element.segments);
}

bool nbrhood_is_absolute(const nbrhood_mirrored_t *side)
{
    return NULL != side->list ? side->absolute : NULL == side->side->buffer;
}

bool nbrhood_is_scattered(const nbrhood_mirrored_t *side)
{
    return NULL != side->list
               ? side->scattered
               : NULL == side->side->buffer || NBRHOOD_ARRAY_GIVEN(side->side->byte_displacements);
}

bool nbrhood_is_on_device(const nbrhood_mirrored_t *side)
{
    nbrhood_walk_t walk = {.from = side};
    bool found = false;
    int id;
    while (!found && nbrhood_walk_step(&walk)) {
        if (walk.begin == walk.end) {
            continue;
        }
        found = nbrhood_device->holds((void *) walk.begin, &id);
        if (!nbrhood_is_scattered(side)) {
            break;
        }
    }
    nbrhood_walk_end(&walk);
    return found;
}
