/* Calls of the displaced module with buffers on a device that Open MPI does not know: its functions
 * would touch them. They, too, get mirrors; what they begin is a request inside another one, which
 * is complete once the device has what was received. On a device that Open MPI knows they get the
 * program's buffers.
 */
#include "coll_nbrhood_mirror.h"

#include "opal/runtime/opal_progress.h"

#include "coll_nbrhood_device.h"

typedef struct outer_t {
    ompi_coll_base_nbc_request_t super;
    opal_list_item_t item; /* in `active` */
    ompi_request_t *inner;
    ompi_communicator_t *comm; /* retained */
    nbrhood_mirror_t *mirror;
} outer_t;
OBJ_CLASS_DECLARATION(outer_t);

static opal_mutex_t lock;
static opal_list_t active;
static bool polling;

void nbrhood_mirror_displaced_open(void)
{
    OBJ_CONSTRUCT(&lock, opal_mutex_t);
    OBJ_CONSTRUCT(&active, opal_list_t);
    polling = false;
}

void nbrhood_mirror_displaced_close(void)
{
    OBJ_DESTRUCT(&active);
    OBJ_DESTRUCT(&lock);
}

/* ---- Mirrors ---- */

/* Whether Open MPI's own functions must not get the program's buffers. */
static bool is_strange(void)
{
    return NULL != nbrhood_device && !nbrhood_device->known_to_open_mpi;
}

/* Slots of MPI_PROC_NULL, ascending. */
static size_t find_nulls(const int *ranks, int degree, uint32_t *nulls)
{
    size_t count = 0;
    for (int i = 0; i < degree; ++i) {
        if (ranks[i] < 0) {
            nulls[count++] = (uint32_t) i;
        }
    }
    return count;
}

static bool is_gather(int collective)
{
    return NBRHOOD_ALLGATHER == collective || NBRHOOD_ALLGATHERV == collective;
}

int nbrhood_mirror_displaced(ompi_communicator_t *comm, nbrhood_call_t *call, int variant)
{
    int *sources = NULL, *destinations = NULL, in = 0, out = 0;
    if (!is_strange()) {
        return OMPI_SUCCESS;
    }
    int rc = nbrhood_find_neighbours(comm, &sources, &in, &destinations, &out);
    uint32_t *nulls = malloc((size_t) (in + out + 1) * sizeof *nulls);
    if (OMPI_SUCCESS == rc && NULL == nulls) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS == rc) {
        /* The module gets the same arrays; only those of an alltoallw can say where blocks are. */
        const bool as_one = NBRHOOD_ALLTOALLW != call->collective;
        const bool gathers = is_gather(call->collective);
        nbrhood_mirrored_t send = {.side = &call->send,
                                   .blocks = (size_t) (gathers && out > 1 ? 1 : out),
                                   .nulls = nulls,
                                   .as_one = as_one};
        nbrhood_mirrored_t receive = {
            .side = &call->receive, .blocks = (size_t) in, .nulls = nulls + out, .as_one = as_one};
        send.null_count = gathers ? 0 : find_nulls(destinations, out, nulls);
        receive.null_count = find_nulls(sources, in, nulls + out);
        rc = nbrhood_mirror_create(&send, &receive, &call->mirror);
    }
    free(sources);
    free(destinations);
    free(nulls);
    return OMPI_SUCCESS == rc ? nbrhood_mirror_prepare(&call->mirror, variant) : rc;
}

int nbrhood_mirror_displaced_allgather(ompi_communicator_t *comm, nbrhood_side_t *send,
                                       nbrhood_side_t *receive, int variant,
                                       nbrhood_mirror_t **mirror)
{
    *mirror = NULL;
    if (!is_strange()) {
        return OMPI_SUCCESS;
    }
    const int rc = nbrhood_mirror_allgather(comm, send, receive, mirror);
    return OMPI_SUCCESS == rc ? nbrhood_mirror_prepare(mirror, variant) : rc;
}

/* ---- Requests ---- */

static void complete(outer_t *outer)
{
    ompi_request_t *inner = outer->inner;
    int error = inner->req_status.MPI_ERROR;
    if (inner->req_persistent) {
        inner->req_state = OMPI_REQUEST_INACTIVE;
    }
    if (OMPI_SUCCESS == error) {
        error = nbrhood_mirror_hand_out(outer->mirror);
    }
    outer->super.super.req_status.MPI_ERROR = error;
    ompi_request_complete(&outer->super.super, true);
}

static int progress(void)
{
    opal_list_item_t *item, *next;
    opal_list_t done;
    int events = 0;
    if (0 != opal_mutex_trylock(&lock)) {
        return 0; /* another thread is here */
    }
    OBJ_CONSTRUCT(&done, opal_list_t);
    for (item = opal_list_get_first(&active); item != opal_list_get_end(&active); item = next) {
        const outer_t *outer = (outer_t *) ((char *) item - offsetof(outer_t, item));
        next = opal_list_get_next(item);
        if (REQUEST_COMPLETE(outer->inner)) {
            opal_list_remove_item(&active, item);
            opal_list_append(&done, item);
        }
    }
    if (opal_list_is_empty(&active) && polling) {
        polling = false;
        opal_progress_unregister(progress);
    }
    opal_mutex_unlock(&lock);
    opal_atomic_rmb();
    while (NULL != (item = opal_list_remove_first(&done))) {
        complete((outer_t *) ((char *) item - offsetof(outer_t, item)));
        ++events;
    }
    OBJ_DESTRUCT(&done);
    return events;
}

static void watch(outer_t *outer)
{
    opal_mutex_lock(&lock);
    opal_list_append(&active, &outer->item);
    if (!polling) {
        polling = true;
        nbrhood_register_progress(progress, outer->comm);
    }
    opal_mutex_unlock(&lock);
}

static int start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; ++i) {
        outer_t *outer = (outer_t *) requests[i];
        if (OMPI_REQUEST_ACTIVE == outer->super.super.req_state
            || !REQUEST_COMPLETE(&outer->super.super)) {
            return MPI_ERR_REQUEST;
        }
        int rc = nbrhood_mirror_take_in(outer->mirror);
        if (OMPI_SUCCESS == rc) {
            rc = outer->inner->req_start(1, &outer->inner);
        }
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        outer->super.super.req_state = OMPI_REQUEST_ACTIVE;
        outer->super.super.req_complete = REQUEST_PENDING;
        watch(outer);
    }
    return OMPI_SUCCESS;
}

static int free_outer(ompi_request_t **request)
{
    outer_t *outer = (outer_t *) *request;
    ompi_communicator_t *comm = outer->comm;
    if (!REQUEST_COMPLETE(&outer->super.super)) {
        return MPI_ERR_REQUEST;
    }
    outer->inner->req_free(&outer->inner);
    nbrhood_mirror_free(outer->mirror);
    OMPI_REQUEST_FINI(&outer->super.super);
    OBJ_RELEASE(outer);
    OBJ_RELEASE(comm);
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int cancel_outer(ompi_request_t *request, int flag)
{
    (void) request;
    (void) flag;
    return MPI_ERR_REQUEST;
}

int nbrhood_mirror_request(nbrhood_mirror_t *mirror, int rc, ompi_communicator_t *comm,
                           ompi_request_t **request)
{
    if (OMPI_SUCCESS != rc) {
        nbrhood_mirror_free(mirror);
        return rc;
    }
    ompi_request_t *inner = *request;
    if (inner == &ompi_request_empty) { /* nothing to do, now or in any start */
        nbrhood_mirror_free(mirror);
        return OMPI_SUCCESS;
    }
    outer_t *outer = OBJ_NEW(outer_t);
    if (NULL == outer) {
        return OMPI_ERR_OUT_OF_RESOURCE; /* and what was begun goes on, in the mirror */
    }
    const bool persistent = inner->req_persistent;
    outer->inner = inner;
    outer->mirror = mirror;
    outer->comm = comm;
    OBJ_RETAIN(comm);
    OMPI_REQUEST_INIT(&outer->super.super, persistent);
    outer->super.super.req_type = OMPI_REQUEST_COLL;
    outer->super.super.req_mpi_object.comm = comm;
    outer->super.super.req_start = start;
    *request = &outer->super.super;
    if (!persistent) {
        outer->super.super.req_state = OMPI_REQUEST_ACTIVE;
        watch(outer);
    }
    return OMPI_SUCCESS;
}

static void construct(outer_t *outer)
{
    memset((char *) outer + sizeof outer->super, 0, sizeof *outer - sizeof outer->super);
    OBJ_CONSTRUCT(&outer->item, opal_list_item_t);
    outer->super.super.req_status = (ompi_status_public_t){
        .MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG, .MPI_ERROR = MPI_SUCCESS};
    outer->super.super.req_free = free_outer;
    outer->super.super.req_cancel = cancel_outer;
}

static void destruct(outer_t *outer)
{
    OBJ_DESTRUCT(&outer->item);
}

OBJ_CLASS_INSTANCE(outer_t, ompi_coll_base_nbc_request_t, construct, destruct);
