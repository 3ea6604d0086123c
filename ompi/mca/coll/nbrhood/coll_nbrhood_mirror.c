/* Calls with buffers in device memory. Nothing but an accelerator's copy functions may touch such
 * memory, and whether a PML does is not known. So host memory mirrors the blocks, the call is made
 * on that as on any other, and messages are the same: whether there is a mirror only this rank
 * knows. What it costs are two copies.
 */
#include "coll_nbrhood_mirror.h"

#include "opal/util/output.h"

#include "coll_nbrhood_device.h"

/* A copy from the device takes along up to so many bytes between blocks, which takes less time than
 * another copy. */
enum { TAKEN_ALONG = 1 << 14 };

struct nbrhood_mirror_t {
    nbrhood_mirror_side_t send, receive;
    uintptr_t kept_begin, kept_end; /* of what is received: input, too */
};

/* ---- Copies ---- */

static int failed(int error, const char *direction, size_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%d", error);
    opal_show_help("help-mpi-coll-nbrhood.txt", "device copy failed", true, (unsigned long) bytes,
                   direction, nbrhood_device->name, text);
    return MPI_ERR_OTHER;
}

/* One copy, of what lies between two addresses. */
static int copy(const nbrhood_mirror_side_t *side, const nbrhood_mirror_copy *all, bool out,
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

static int copy_all(const nbrhood_mirror_side_t *side, bool out, uintptr_t begin, uintptr_t end)
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

static void free_side(nbrhood_mirror_side_t *side)
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
    int rc = sends ? nbrhood_mirror_side(&made->send, send, TAKEN_ALONG) : OMPI_SUCCESS;
    if (OMPI_SUCCESS == rc && receives) {
        rc = nbrhood_mirror_side(&made->receive, receive, 0);
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
    nbrhood_mirror_find_block(receive, block, &mirror->kept_begin, &mirror->kept_end);
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
