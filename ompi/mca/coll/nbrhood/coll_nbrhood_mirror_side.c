/* Mirrors of one side of a call: which blocks are on a device, where they go in host memory, and
 * which bytes are copied.
 */
#include "coll_nbrhood_mirror.h"

#include "coll_nbrhood_device.h"

/* What one copy may take. */
typedef struct allocation_t {
    uintptr_t begin, end;
} allocation_t;

static void find_allocation(const nbrhood_walk_t *walk, int id, allocation_t *allocation)
{
    if (walk->begin >= allocation->begin && walk->end <= allocation->end) {
        return;
    }
    allocation->begin = walk->begin;
    allocation->end = nbrhood_is_scattered(walk->from) ? walk->end : UINTPTR_MAX;
    if (NULL != nbrhood_device->find_allocation) {
        (void) nbrhood_device->find_allocation((void *) walk->begin, id, &allocation->begin,
                                               &allocation->end);
    }
}

static int add_segments(nbrhood_mirror_layout *layout, nbrhood_walk_t *walk,
                        uintptr_t allocation_end)
{
    if (walk->contiguous) {
        return nbrhood_mirror_layout_add_segment(layout, walk->begin, walk->end, allocation_end)
                   ? OMPI_SUCCESS
                   : OMPI_ERR_OUT_OF_RESOURCE;
    }
    const int rc = NULL == walk->element.segments ? nbrhood_walk_find_segments(walk) : OMPI_SUCCESS;
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    for (size_t i = 0; i < walk->count; ++i) {
        const uintptr_t origin = (uintptr_t) walk->address
                                 + (uintptr_t) ((ptrdiff_t) i * walk->facts.extent)
                                 - NBRHOOD_WALK_BASE;
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
static int check_segments(nbrhood_walk_t *walk, bool on_device)
{
    if (walk->contiguous || !nbrhood_is_absolute(walk->from)) {
        return OMPI_SUCCESS;
    }
    const int rc = NULL == walk->element.segments ? nbrhood_walk_find_segments(walk) : OMPI_SUCCESS;
    for (uint32_t k = 0; OMPI_SUCCESS == rc && k < walk->element.count; ++k) {
        const uintptr_t at = (uintptr_t) walk->address
                             + (uintptr_t) walk->element.segments[k].iov_base - NBRHOOD_WALK_BASE;
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
    nbrhood_walk_t walk = {.from = from};
    allocation_t allocation = {0, 0};
    const bool scattered = nbrhood_is_scattered(from);
    bool found = false;
    int rc = OMPI_SUCCESS;
    *has_host_blocks = false;
    while (OMPI_SUCCESS == rc && nbrhood_walk_step(&walk)) {
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
    nbrhood_walk_end(&walk);
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

/* How far the block at hand moves: to the mirror, or not where it is not on the device. */
static uintptr_t distance(const nbrhood_mirror_side_t *mirror, const nbrhood_walk_t *walk)
{
    int id;
    return walk->begin != walk->end
                   && (!nbrhood_is_scattered(walk->from)
                       || nbrhood_device->holds((void *) walk->begin, &id))
               ? place_of(mirror, walk->begin) - walk->begin
               : 0;
}

/* Gives each block of a side an address. */
static int rewrite_side(nbrhood_mirror_side_t *mirror, const nbrhood_mirrored_t *from)
{
    nbrhood_walk_t walk = {.from = from};
    mirror->addresses = malloc(from->blocks * sizeof *mirror->addresses);
    if (NULL == mirror->addresses) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    while (nbrhood_walk_step(&walk)) {
        mirror->addresses[walk.next - 1] =
            (ptrdiff_t) ((uintptr_t) walk.address + distance(mirror, &walk));
    }
    nbrhood_walk_end(&walk);
    from->side->buffer = NULL;
    from->side->byte_displacements = nbrhood_byte_displacements(mirror->addresses);
    return OMPI_SUCCESS;
}

/* The same for blocks of a plan. */
static void rewrite_list(const nbrhood_mirror_side_t *mirror, const nbrhood_mirrored_t *from)
{
    nbrhood_walk_t walk = {.from = from};
    while (nbrhood_walk_step(&walk)) {
        nbrhood_block *block = &from->list[walk.next - 1];
        const uintptr_t moved = distance(mirror, &walk);
        block->address = (void *) ((uintptr_t) block->address + moved);
        if (NULL != block->data) {
            block->data = (char *) ((uintptr_t) block->data + moved);
        }
    }
    nbrhood_walk_end(&walk);
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
    if (NULL != from->list) {
        rewrite_list(mirror, from);
        return OMPI_SUCCESS;
    }
    if (has_host_blocks || !nbrhood_mirror_layout_keeps_distances(mirror->layout)) {
        return rewrite_side(mirror, from);
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
    nbrhood_walk_t walk = {.from = &from, .next = block};
    (void) nbrhood_walk_step(&walk);
    *begin = walk.begin;
    *end = walk.end;
    nbrhood_walk_end(&walk);
}
