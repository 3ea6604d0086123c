/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The blocks of calls: binding the arguments of a call to the blocks of a plan, packing by Open
 * MPI's convertor, and walks over the blocks of one side of a call.
 */
#include "coll_nbrhood_blocks.h"
#include "coll_nbrhood_device.h"

#include "opal/datatype/opal_convertor.h"

/* ---- Binding ---- */

static void bind_side(const nbrhood_side_t *side, nbrhood_block *blocks, size_t count)
{
    nbrhood_type_facts_t facts = {NULL, 0, 0};
    ompi_datatype_t *last = NULL;
    ptrdiff_t true_lb = 0, true_extent;
    for (size_t i = 0; i < count; ++i) {
        nbrhood_block *block = &blocks[i];
        nbrhood_find_block(side, i, &facts, &block->address, &block->count);
        if (facts.type != last) {
            last = facts.type;
            ompi_datatype_get_true_extent(last, &true_lb, &true_extent);
        }
        block->type = facts.type;
        block->bytes = block->count * facts.size;
        block->data = NULL;
        /* Only whether the count is one matters; the count itself may not fit. */
        if (0 != block->bytes
            && opal_datatype_is_contiguous_memory_layout(&facts.type->super,
                                                         1 == block->count ? 1 : 2)) {
            block->data = (char *) ((uintptr_t) block->address + (uintptr_t) true_lb);
        }
    }
}

/* Whether equal arguments mean equal blocks in any later call: the arguments are a few numbers,
 * without arrays that may have changed. */
static bool is_simple(const nbrhood_side_t *side)
{
    return !NBRHOOD_ARRAY_GIVEN(side->counts) && !NBRHOOD_ARRAY_GIVEN(side->displacements)
           && !NBRHOOD_ARRAY_GIVEN(side->byte_displacements) && NULL == side->types
           && ompi_datatype_is_predefined(side->type);
}

/* Whether blocks differ at most in the address of their buffer. */
static bool is_same(const nbrhood_side_t *bound, const nbrhood_side_t *side)
{
    return bound->count == side->count && bound->type == side->type && is_simple(side);
}

static ptrdiff_t distance(const nbrhood_side_t *bound, const nbrhood_side_t *side)
{
    return (ptrdiff_t) ((uintptr_t) side->buffer - (uintptr_t) bound->buffer);
}

void nbrhood_bind(nbrhood_request_t *request, const nbrhood_call_t *call)
{
    const nbrhood_topology *topology = request->module->topology;
    request->on_device = call->on_device;
    if (request->bound_simply && is_same(&request->bound.send, &call->send)
        && is_same(&request->bound.receive, &call->receive)) {
        nbrhood_plan_move(request->plan, distance(&request->bound.send, &call->send),
                          distance(&request->bound.receive, &call->receive));
        request->bound = *call;
        return;
    }
    bind_side(&call->send, nbrhood_plan_send_blocks(request->plan),
              nbrhood_send_blocks(topology, call->collective));
    bind_side(&call->receive, nbrhood_plan_receive_blocks(request->plan),
              nbrhood_receive_blocks(topology));
    nbrhood_plan_rebind(request->plan);
    request->bound = *call;
    request->bound_simply = is_simple(&call->send) && is_simple(&call->receive);
}

/* ---- The bytes of a block ---- */

int nbrhood_block_pack(void *context, const nbrhood_block *from, void *to)
{
    opal_convertor_t convertor;
    struct iovec vector = {.iov_base = to, .iov_len = from->bytes};
    uint32_t vectors = 1;
    size_t bytes = from->bytes;
    (void) context;
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    int rc = opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor,
                                                      &((ompi_datatype_t *) from->type)->super,
                                                      from->count, from->address, 0, &convertor);
    if (OPAL_SUCCESS == rc) {
        rc = opal_convertor_pack(&convertor, &vector, &vectors, &bytes) < 0 ? OMPI_ERROR
                                                                            : OMPI_SUCCESS;
    }
    OBJ_DESTRUCT(&convertor);
    return rc;
}

int nbrhood_block_unpack(void *context, const void *from, size_t bytes, const nbrhood_block *to)
{
    opal_convertor_t convertor;
    struct iovec vector = {.iov_base = (void *) from, .iov_len = bytes};
    uint32_t vectors = 1;
    (void) context;
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    int rc = opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor,
                                                      &((ompi_datatype_t *) to->type)->super,
                                                      to->count, to->address, 0, &convertor);
    if (OPAL_SUCCESS == rc) {
        rc = opal_convertor_unpack(&convertor, &vector, &vectors, &bytes) < 0 ? OMPI_ERROR
                                                                              : OMPI_SUCCESS;
    }
    OBJ_DESTRUCT(&convertor);
    return rc;
}

bool nbrhood_block_flatten(void *context, const nbrhood_block *block, size_t most,
                           bool (*take)(void *sink, void *at, size_t bytes), void *sink)
{
    opal_convertor_t convertor;
    uint32_t count = most < UINT32_MAX ? (uint32_t) most : UINT32_MAX;
    size_t bytes = block->bytes;
    (void) context;
    if (0 == most) {
        return false;
    }
    /* One call with room for all segments, because the convertor cannot continue in the middle. */
    struct iovec *vectors = malloc(count * sizeof *vectors);
    if (NULL == vectors) {
        return false;
    }
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    bool flat =
        OPAL_SUCCESS
            == opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor,
                                                        &((ompi_datatype_t *) block->type)->super,
                                                        block->count, block->address, 0, &convertor)
        && 1 == opal_convertor_raw(&convertor, vectors, &count, &bytes) && bytes == block->bytes;
    OBJ_DESTRUCT(&convertor);
    for (uint32_t i = 0; flat && i < count; ++i) {
        flat = take(sink, vectors[i].iov_base, vectors[i].iov_len);
    }
    free(vectors);
    return flat;
}

/* ---- Walks ---- */

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
    /* Only whether the count is one matters; the count itself may not fit. */
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
    return NULL != side->list ? side->scattered
                              : NULL == side->side->buffer || side->side->in_bytes
                                    || NBRHOOD_ARRAY_GIVEN(side->side->byte_displacements);
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
