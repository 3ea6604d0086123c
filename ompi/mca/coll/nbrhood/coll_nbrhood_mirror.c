/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Calls with buffers in device memory. Only an accelerator's copy functions may touch such memory,
 * and some PMLs do not take it. So host memory mirrors the blocks, and the call uses the mirror.
 * Messages are the same, so only this rank knows of the mirror. It costs two copies.
 */
#include "coll_nbrhood_mirror.h"
#include "coll_nbrhood_device.h"
#include "coll_nbrhood_state.h"
#include "core/capi/nbrhood_mirror.h"

#include "opal/util/output.h"

/* A copy from the device includes gaps of up to this many bytes between blocks, because that
 * takes less time than another copy. */
enum { TAKEN_ALONG = 1 << 14 };

/* The mirror of one side of a call. */
typedef struct side_mirror_t {
    nbrhood_mirror_layout *layout; /* NULL: all of the side is host memory */
    nbrhood_mirror_memory_t *memory;
    ptrdiff_t *addresses; /* of the mirrored blocks; NULL if the buffer's address suffices */
    int device;
    bool several_devices;
} side_mirror_t;

struct nbrhood_mirror_t {
    side_mirror_t send, receive;
    uintptr_t kept_begin, kept_end; /* received block that is also input */
};

/* ---- One side: the blocks on a device, their places in host memory, and the bytes that are
 * copied ---- */

/* The range that one copy may span. */
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

/* Fails for an absolute datatype that reaches into several memories, which cannot be mirrored. */
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

/* Lays out the mirror of blocks on the device. gap: bytes between blocks that a copy may
 * include. has_host_blocks: whether the side also has blocks in host memory. */
static int lay_out(side_mirror_t *mirror, const nbrhood_mirrored_t *from, size_t gap,
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

/* Finds the host address that mirrors a byte on the device. */
static uintptr_t place_of(const side_mirror_t *mirror, uintptr_t address)
{
    return (uintptr_t) mirror->memory->data + nbrhood_mirror_layout_offset(mirror->layout, address);
}

/* The distance of the current block to its mirror; 0 if it is not on the device. */
static uintptr_t distance(const side_mirror_t *mirror, const nbrhood_walk_t *walk)
{
    int id;
    return walk->begin != walk->end
                   && (!nbrhood_is_scattered(walk->from)
                       || nbrhood_device->holds((void *) walk->begin, &id))
               ? place_of(mirror, walk->begin) - walk->begin
               : 0;
}

/* Gives each block of a side an address. */
static int rewrite_side(side_mirror_t *mirror, const nbrhood_mirrored_t *from)
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
static void rewrite_list(const side_mirror_t *mirror, const nbrhood_mirrored_t *from)
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

/* Mirrors a side with blocks on the device, and changes the side to host memory. gap: bytes
 * between blocks that a copy may include. After an error the caller frees the incomplete mirror. */
static int mirror_side(side_mirror_t *mirror, const nbrhood_mirrored_t *from, size_t gap)
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

/* Finds the span of a block, from its lowest to its highest byte. */
static void find_block(const nbrhood_side_t *side, size_t block, uintptr_t *begin, uintptr_t *end)
{
    nbrhood_side_t copy = *side;
    nbrhood_mirrored_t from = {.side = &copy, .blocks = block + 1};
    nbrhood_walk_t walk = {.from = &from, .next = block};
    (void) nbrhood_walk_step(&walk);
    *begin = walk.begin;
    *end = walk.end;
    nbrhood_walk_end(&walk);
}

/* ---- Copies ---- */

static int failed(int error, const char *direction, size_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%d", error);
    opal_show_help("help-mpi-coll-nbrhood.txt", "device copy failed", true, (unsigned long) bytes,
                   direction, nbrhood_device->name, text);
    return MPI_ERR_OTHER;
}

/* Makes one copy, limited to the bytes between two addresses. */
static int copy(const side_mirror_t *side, const nbrhood_mirror_copy *all, bool out,
                uintptr_t begin, uintptr_t end)
{
    begin = begin > all->at ? begin : all->at;
    end = end < all->at + all->bytes ? end : all->at + all->bytes;
    if (begin >= end) {
        return OMPI_SUCCESS;
    }
    char *host = side->memory->data + all->offset + (begin - all->at);
    void *device = (void *) begin;
    int id = side->device;
    if (side->several_devices) {
        (void) nbrhood_device->holds(device, &id);
    }
    const size_t bytes = end - begin;
    const int error = out ? nbrhood_device->copy_out(host, device, id, bytes)
                          : nbrhood_device->copy_in(device, id, host, bytes);
    return 0 == error ? OMPI_SUCCESS
                      : failed(error, out ? "from memory of" : "to memory of", bytes);
}

static int copy_all(const side_mirror_t *side, bool out, uintptr_t begin, uintptr_t end)
{
    const nbrhood_mirror_copy *copies = NULL;
    int rc = OMPI_SUCCESS;
    const size_t count =
        NULL != side->layout ? nbrhood_mirror_layout_copies(side->layout, &copies) : 0;
    size_t bytes = 0;
    for (size_t i = 0; OMPI_SUCCESS == rc && i < count; ++i) {
        rc = copy(side, &copies[i], out, begin, end);
        bytes += copies[i].bytes;
    }
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    nbrhood_totals.device_copies[out ? 0 : 1] += count;
    nbrhood_totals.device_bytes[out ? 0 : 1] += bytes;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return rc;
}

int nbrhood_mirror_take_in(const nbrhood_mirror_t *mirror)
{
    const int rc = copy_all(&mirror->send, true, 0, UINTPTR_MAX);
    return OMPI_SUCCESS == rc && 0 != mirror->kept_end
               ? copy_all(&mirror->receive, true, mirror->kept_begin, mirror->kept_end)
               : rc;
}

int nbrhood_mirror_hand_out(const nbrhood_mirror_t *mirror)
{
    return copy_all(&mirror->receive, false, 0, UINTPTR_MAX);
}

/* ---- Mirrors ---- */

static void free_side(side_mirror_t *side)
{
    if (NULL != side->layout) {
        nbrhood_mirror_layout_destroy(side->layout);
        nbrhood_mirror_memory_give_back(side->memory);
        free(side->addresses);
    }
}

void nbrhood_mirror_free(nbrhood_mirror_t *mirror)
{
    if (NULL != mirror) {
        free_side(&mirror->send);
        free_side(&mirror->receive);
        free(mirror);
    }
}

static void tell(void)
{
    static bool told;
    if (!told && nbrhood_is_reporting_rank()) {
        told = true;
        opal_output_verbose(1, nbrhood_state.output,
                            "nbrhood: buffers are in device memory (%s): calls are made on host "
                            "memory, with copies before and after",
                            nbrhood_device->name);
    }
}

int nbrhood_mirror_create(const nbrhood_mirrored_t *send, const nbrhood_mirrored_t *receive,
                          nbrhood_mirror_t **mirror)
{
    const bool sends = nbrhood_is_on_device(send), receives = nbrhood_is_on_device(receive);
    *mirror = NULL;
    if (!sends && !receives) {
        return OMPI_SUCCESS;
    }
    nbrhood_mirror_t *made = calloc(1, sizeof *made);
    if (NULL == made) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    int rc = sends ? mirror_side(&made->send, send, TAKEN_ALONG) : OMPI_SUCCESS;
    if (OMPI_SUCCESS == rc && receives) {
        rc = mirror_side(&made->receive, receive, 0);
    }
    if (OMPI_SUCCESS != rc) {
        nbrhood_mirror_free(made);
        return rc;
    }
    tell();
    *mirror = made;
    return OMPI_SUCCESS;
}

void nbrhood_mirror_keep(nbrhood_mirror_t *mirror, const nbrhood_side_t *receive, size_t block)
{
    find_block(receive, block, &mirror->kept_begin, &mirror->kept_end);
}

int nbrhood_mirror_allgather(ompi_communicator_t *comm, nbrhood_side_t *send,
                             nbrhood_side_t *receive, nbrhood_mirror_t **mirror)
{
    const nbrhood_side_t given = *receive;
    const bool in_place = MPI_IN_PLACE == send->buffer;
    const nbrhood_mirrored_t sent = {.side = send, .blocks = in_place ? 0 : 1, .as_one = true};
    const nbrhood_mirrored_t received = {
        .side = receive, .blocks = (size_t) ompi_comm_size(comm), .as_one = true};
    const int rc = nbrhood_mirror_create(&sent, &received, mirror);
    if (NULL != *mirror && in_place) {
        nbrhood_mirror_keep(*mirror, &given, (size_t) ompi_comm_rank(comm));
    }
    return rc;
}

int nbrhood_mirror_prepare(nbrhood_mirror_t **mirror, int variant)
{
    const int rc = NULL != *mirror && NBRHOOD_PERSISTENT != variant
                       ? nbrhood_mirror_take_in(*mirror)
                       : OMPI_SUCCESS;
    if (OMPI_SUCCESS != rc) {
        nbrhood_mirror_free(*mirror);
        *mirror = NULL;
    }
    return rc;
}

int nbrhood_mirror_end(nbrhood_mirror_t *mirror, int rc)
{
    if (OMPI_SUCCESS == rc) {
        rc = nbrhood_mirror_hand_out(mirror);
    }
    nbrhood_mirror_free(mirror);
    return rc;
}
