/* Mirrors of one side of a call: which blocks are on a device, where they go in host memory, and
 * which bytes are copied.
 */
#include "coll_nbrhood_mirror.h"

#include "opal/datatype/opal_convertor.h"

#include "coll_nbrhood_blocks.h"
#include "coll_nbrhood_device.h"

/* ---- Where the bytes of a block are ---- */

/* Of one element of a datatype. */
typedef struct element_t {
    ompi_datatype_t *type;
    ptrdiff_t true_lb, true_extent;
    struct iovec *segments; /* relative to BASE; NULL until they are needed */
    uint32_t count;
} element_t;

/* Any address: the convertor gets one, and touches nothing. */
#define BASE ((uintptr_t) 1 << 40)

static int find_segments(element_t *element)
{
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
            ompi_mpi_local_convertor, &element->type->super, 1, (void *) BASE, 0, &convertor);
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

static void set_element(element_t *element, ompi_datatype_t *type)
{
    if (element->type != type) {
        free(element->segments);
        element->type = type;
        element->segments = NULL;
        ompi_datatype_get_true_extent(type, &element->true_lb, &element->true_extent);
    }
}

/* ---- One side of a call ---- */

typedef struct walk_t {
    const nbrhood_mirrored_t *from;
    nbrhood_type_facts_t facts;
    element_t element;
    size_t next, next_null;
    /* The block it has come to. */
    void *address;
    size_t count;
    uintptr_t begin, end; /* what it spans; the same where it is empty, or nobody touches it */
    bool contiguous;
} walk_t;

static bool step(walk_t *walk)
{
    const nbrhood_mirrored_t *from = walk->from;
    const size_t i = walk->next++;
    if (i >= from->blocks) {
        return false;
    }
    nbrhood_find_block(from->side, i, &walk->facts, &walk->address, &walk->count);
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

static void end_walk(walk_t *walk)
{
    free(walk->element.segments);
}

/* Blocks at addresses of their own, by MPI_BOTTOM or in an alltoallw, may be in several memories;
 * others are in that of their buffer. */
static bool is_scattered(const nbrhood_side_t *side)
{
    return NULL == side->buffer || NBRHOOD_ARRAY_GIVEN(side->byte_displacements);
}

bool nbrhood_mirror_is_needed(const nbrhood_mirrored_t *side)
{
    walk_t walk = {.from = side};
    bool found = false;
    int id;
    while (!found && step(&walk)) {
        if (walk.begin == walk.end) {
            continue;
        }
        found = nbrhood_device->holds((void *) walk.begin, &id);
        if (!is_scattered(side->side)) {
            break;
        }
    }
    end_walk(&walk);
    return found;
}

/* What one copy may take. */
typedef struct allocation_t {
    uintptr_t begin, end;
} allocation_t;

static void find_allocation(const walk_t *walk, int id, allocation_t *allocation)
{
    if (walk->begin >= allocation->begin && walk->end <= allocation->end) {
        return;
    }
    allocation->begin = walk->begin;
    allocation->end = is_scattered(walk->from->side) ? walk->end : UINTPTR_MAX;
    if (NULL != nbrhood_device->find_allocation) {
        (void) nbrhood_device->find_allocation((void *) walk->begin, id, &allocation->begin,
                                               &allocation->end);
    }
}

static int add_segments(nbrhood_mirror_layout *layout, walk_t *walk, uintptr_t allocation_end)
{
    if (walk->contiguous) {
        return nbrhood_mirror_layout_add_segment(layout, walk->begin, walk->end, allocation_end)
                   ? OMPI_SUCCESS
                   : OMPI_ERR_OUT_OF_RESOURCE;
    }
    const int rc = NULL == walk->element.segments ? find_segments(&walk->element) : OMPI_SUCCESS;
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    for (size_t i = 0; i < walk->count; ++i) {
        const uintptr_t origin =
            (uintptr_t) walk->address + (uintptr_t) ((ptrdiff_t) i * walk->facts.extent) - BASE;
        for (uint32_t k = 0; k < walk->element.count; ++k) {
            const struct iovec *segment = &walk->element.segments[k];
            const uintptr_t begin = origin + (uintptr_t) segment->iov_base;
            if (0 != segment->iov_len
                && !nbrhood_mirror_layout_add_segment(layout, begin, begin + segment->iov_len,
                                                      allocation_end)) {
                return OMPI_ERR_OUT_OF_RESOURCE;
            }
        }
    }
    return OMPI_SUCCESS;
}

/* An absolute datatype may reach into several memories: that has no mirror. */
static int check_segments(walk_t *walk, bool on_device)
{
    if (walk->contiguous || NULL != walk->from->side->buffer) {
        return OMPI_SUCCESS;
    }
    const int rc = NULL == walk->element.segments ? find_segments(&walk->element) : OMPI_SUCCESS;
    for (uint32_t k = 0; OMPI_SUCCESS == rc && k < walk->element.count; ++k) {
        const uintptr_t at =
            (uintptr_t) walk->address + (uintptr_t) walk->element.segments[k].iov_base - BASE;
        int id;
        if (nbrhood_device->holds((void *) at, &id) != on_device) {
            opal_show_help("help-mpi-coll-nbrhood.txt", "two memories", true, nbrhood_device->name);
            return MPI_ERR_TYPE;
        }
    }
    return rc;
}

/* Lays out what is on the device. `gap`: what copies may take along. has_host_blocks: others. */
static int lay_out(nbrhood_mirror_side_t *mirror, const nbrhood_mirrored_t *from, size_t gap,
                   bool *has_host_blocks)
{
    walk_t walk = {.from = from};
    allocation_t allocation = {0, 0};
    const bool scattered = is_scattered(from->side);
    bool found = false;
    int rc = OMPI_SUCCESS;
    *has_host_blocks = false;
    while (OMPI_SUCCESS == rc && step(&walk)) {
        if (walk.begin == walk.end) {
            continue;
        }
        if (scattered || !found) {
            int id = mirror->device;
            const bool on_device = nbrhood_device->holds((void *) walk.begin, &id);
            rc = check_segments(&walk, on_device);
            if (!on_device) {
                *has_host_blocks = true;
                continue;
            }
            mirror->several_devices |= found && id != mirror->device;
            mirror->device = id;
            found = true;
        }
        if (OMPI_SUCCESS != rc) {
            break;
        }
        find_allocation(&walk, mirror->device, &allocation);
        rc = nbrhood_mirror_layout_add_span(mirror->layout, walk.begin, walk.end)
                 ? add_segments(mirror->layout, &walk, allocation.end)
                 : OMPI_ERR_OUT_OF_RESOURCE;
    }
    end_walk(&walk);
    if (OMPI_SUCCESS == rc && !nbrhood_mirror_layout_finish(mirror->layout, gap, from->as_one)) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    return rc;
}

/* Where a byte on the device is mirrored. */
static uintptr_t place_of(const nbrhood_mirror_side_t *mirror, uintptr_t address)
{
    return (uintptr_t) mirror->memory->data + nbrhood_mirror_layout_offset(mirror->layout, address);
}

/* Gives each block an address: one in the mirror, or its own where it is not on the device. */
static int rewrite_blocks(nbrhood_mirror_side_t *mirror, const nbrhood_mirrored_t *from)
{
    walk_t walk = {.from = from};
    int id;
    mirror->addresses = malloc(from->blocks * sizeof *mirror->addresses);
    if (NULL == mirror->addresses) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    while (step(&walk)) {
        uintptr_t address = (uintptr_t) walk.address;
        if (walk.begin != walk.end
            && (!is_scattered(from->side) || nbrhood_device->holds((void *) walk.begin, &id))) {
            address += place_of(mirror, walk.begin) - walk.begin;
        }
        mirror->addresses[walk.next - 1] = (ptrdiff_t) address;
    }
    end_walk(&walk);
    from->side->buffer = NULL;
    from->side->byte_displacements = nbrhood_byte_displacements(mirror->addresses);
    return OMPI_SUCCESS;
}

int nbrhood_mirror_side(nbrhood_mirror_side_t *mirror, const nbrhood_mirrored_t *from, size_t gap)
{
    bool has_host_blocks;
    const nbrhood_mirror_copy *first;
    mirror->layout = nbrhood_mirror_layout_create();
    if (NULL == mirror->layout) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const int rc = lay_out(mirror, from, gap, &has_host_blocks);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    mirror->memory = nbrhood_mirror_memory_take(nbrhood_mirror_layout_bytes(mirror->layout));
    if (NULL == mirror->memory) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (has_host_blocks || !nbrhood_mirror_layout_keeps_distances(mirror->layout)) {
        return rewrite_blocks(mirror, from);
    }
    (void) nbrhood_mirror_layout_copies(mirror->layout, &first);
    from->side->buffer =
        (char *) ((uintptr_t) from->side->buffer + (place_of(mirror, first->at) - first->at));
    return OMPI_SUCCESS;
}

void nbrhood_mirror_find_block(const nbrhood_side_t *side, size_t block, uintptr_t *begin,
                               uintptr_t *end)
{
    nbrhood_side_t copy = *side;
    nbrhood_mirrored_t from = {.side = &copy, .blocks = block + 1};
    walk_t walk = {.from = &from, .next = block};
    (void) step(&walk);
    *begin = walk.begin;
    *end = walk.end;
    end_walk(&walk);
}
