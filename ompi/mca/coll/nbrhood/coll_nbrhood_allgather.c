/* MPI_Allgather, MPI_Iallgather and MPI_Allgather_init. The module takes these slots only on
 * communicators that span nodes, and does nothing more when they are created: the first blocking
 * call lets the displaced module gather where all ranks run (an agreement), unless a larger group,
 * or the creation of a topology, did. Until then nonblocking and persistent calls are the displaced
 * module's. Which ranks have agreed is the same for all that make a blocking call, because blocking
 * collectives come in one order; of nonblocking ones that is not so.
 */
#include "coll_nbrhood_blocks.h"
#include "coll_nbrhood_device.h"
#include "coll_nbrhood_mirror.h"

#include "ompi/runtime/mpiruntime.h"
#include "opal/util/output.h"

enum { NOT_ASKED, AGREED, NEVER };

/* Bytes of the largest result that auto serves. Since 5.0 Open MPI's own (coll/han) knows nodes,
 * too, and is as fast or faster beyond that (docs/results.md). */
enum { MOST_RESULT = NBRHOOD_OPEN_MPI < 500 ? 1 << 24 : 1 << 15 };

struct nbrhood_allgathers_t {
    int state;
    nbrhood_allgather_member *told; /* what all ranks told in a creation, if any */
    nbrhood_allgather *agreed;
    /* By row. */
    nbrhood_request_t *blocking[NBRHOOD_ALLGATHER_ROWS];
    nbrhood_request_t *idle[NBRHOOD_ALLGATHER_ROWS]; /* of nonblocking calls */
    uint32_t nonblocking_calls, persistent_inits;
};

void nbrhood_allgathers_free(nbrhood_allgathers_t *allgathers)
{
    if (NULL == allgathers) {
        return;
    }
    for (int row = 0; row < NBRHOOD_ALLGATHER_ROWS; ++row) {
        nbrhood_requests_free(&allgathers->idle[row]);
        if (NULL != allgathers->blocking[row]) {
            OBJ_RELEASE(allgathers->blocking[row]);
        }
    }
    nbrhood_allgather_destroy(allgathers->agreed);
    free(allgathers->told);
    free(allgathers);
}

/* False when there is no memory. */
static bool have_own(mca_coll_nbrhood_module_t *module)
{
    if (NULL == module->allgathers) {
        module->allgathers = calloc(1, sizeof *module->allgathers);
    }
    return NULL != module->allgathers;
}

int nbrhood_allgathers_stay_out(mca_coll_nbrhood_module_t *module)
{
    if (!have_own(module)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    module->allgathers->state = NEVER;
    return OMPI_SUCCESS;
}

/* ---- The agreement ---- */

/* A process by its number in the job; the component serves no communicators of several jobs. */
static uint64_t name_of(const ompi_communicator_t *comm, int rank)
{
    return ompi_group_get_proc_name(comm->c_local_group, rank).vpid;
}

nbrhood_allgather_member nbrhood_allgather_own_member(mca_coll_nbrhood_module_t *module)
{
    const nbrhood_place place = nbrhood_find_place(module);
    nbrhood_allgather_member own = {.node = place.node,
                                    .ranks_per_core = (float) nbrhood_ranks_per_core(),
                                    .threads = opal_using_threads()};
    memcpy(own.domains, place.domains, sizeof own.domains);
    if (!module->synthetic) {
        own.node = (int) name_of(module->comm, module->local.ranks[0]);
    }
    return own;
}

/* By rank; NULL when there is no memory. */
static uint64_t *find_names(ompi_communicator_t *comm)
{
    const size_t ranks = (size_t) ompi_comm_size(comm);
    uint64_t *names = malloc(ranks * sizeof *names);
    for (size_t rank = 0; NULL != names && rank < ranks; ++rank) {
        names[rank] = name_of(comm, (int) rank);
    }
    return names;
}

int nbrhood_allgathers_told(mca_coll_nbrhood_module_t *module, nbrhood_allgather_member *members)
{
    uint64_t *names = find_names(module->comm);
    const bool kept =
        NULL != names && have_own(module)
        && nbrhood_agreements_add(names, (size_t) ompi_comm_size(module->comm), members);
    free(names);
    if (!kept) {
        free(members);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    module->allgathers->told = members;
    return OMPI_SUCCESS;
}

/* Fills in what all ranks tell. A rank without memory cannot tell the others. */
static int ask(mca_coll_nbrhood_module_t *module, const uint64_t *names,
               nbrhood_allgather_member *members)
{
    const size_t ranks = (size_t) ompi_comm_size(module->comm);
    if (NULL != module->allgathers->told) {
        memcpy(members, module->allgathers->told, ranks * sizeof *members);
        return OMPI_SUCCESS;
    }
    if (nbrhood_agreements_find(names, ranks, members)) {
        return OMPI_SUCCESS;
    }
    const nbrhood_allgather_member own = nbrhood_allgather_own_member(module);
    const int rc =
        module->displaced.coll_allgather(&own, sizeof own, MPI_BYTE, members, sizeof own, MPI_BYTE,
                                         module->comm, module->displaced.coll_allgather_module);
    if (OMPI_SUCCESS == rc && !nbrhood_agreements_add(names, ranks, members)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return rc;
}

static void tell(const mca_coll_nbrhood_module_t *module)
{
    const nbrhood_allgather *agreed = module->allgathers->agreed;
    const int row = nbrhood_allgather_row(agreed, 1);
    const size_t most = nbrhood_allgather_most_bytes(agreed);
    char sizes[64] = "";
    if (!nbrhood_is_reporting_rank()) {
        return;
    }
    if (row >= 0 && 0 != most) {
        snprintf(sizes, sizeof sizes, " up to %lu bytes, above default", (unsigned long) most);
    }
    opal_output_verbose(1, nbrhood_state.output,
                        "nbrhood: communicator %u (%d ranks, %lu regions): allgather: %s%s",
                        (unsigned) nbrhood_communicator_number(module->comm),
                        ompi_comm_size(module->comm),
                        (unsigned long) nbrhood_allgather_regions(agreed),
                        nbrhood_allgather_choice_name(row < 0 ? NBRHOOD_ALLGATHER_DEFAULT
                                                              : NBRHOOD_ALLGATHER_FIRST_ROW + row),
                        sizes);
}

int nbrhood_allgather_choice(ompi_communicator_t *comm, const char *value, int usual)
{
    if (NULL == value) {
        return usual;
    }
    for (int choice = 0; NULL != nbrhood_allgather_choice_name(choice); ++choice) {
        if (0 == strcmp(value, nbrhood_allgather_choice_name(choice))) {
            return choice;
        }
    }
    if (0 == ompi_comm_rank(comm)) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "bad value", true,
                       "the info key nbrhood_allgather_algorithm", value,
                       "a value of coll_nbrhood_allgather_algorithm");
    }
    return usual;
}

/* What the parameter says, or the info key of the topology's creation, or of a duplicate's. */
static int find_choice(const mca_coll_nbrhood_module_t *module)
{
    ompi_communicator_t *comm = module->comm;
    char value[NBRHOOD_INFO_LENGTH];
    const bool has_key =
        nbrhood_info_get(comm->super.s_info, "nbrhood_allgather_algorithm", value, sizeof value);
    return nbrhood_allgather_choice(comm, has_key ? value : NULL,
                                    NULL != module->shared
                                        ? module->shared->allgather_choice
                                        : nbrhood_number(NBRHOOD_PARAMETER_ALLGATHER_ALGORITHM));
}

static int agree(mca_coll_nbrhood_module_t *module)
{
    nbrhood_allgathers_t *own = module->allgathers;
    const size_t ranks = (size_t) ompi_comm_size(module->comm);
    if (NULL == own->told && !nbrhood_everywhere_for_allgathers(module->comm->c_local_group)) {
        own->state = NEVER;
        return OMPI_SUCCESS;
    }
    uint64_t *names = find_names(module->comm);
    nbrhood_allgather_member *members = malloc(ranks * sizeof *members);
    int rc = NULL != names && NULL != members ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (OMPI_SUCCESS == rc && NULL == module->local.ranks) {
        rc = nbrhood_find_local_ranks(module);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    if (OMPI_SUCCESS == rc) {
        rc = ask(module, names, members);
    }
    if (OMPI_SUCCESS == rc) {
        own->agreed =
            nbrhood_allgather_create(ompi_comm_rank(module->comm), ranks, members,
                                     nbrhood_state.values, find_choice(module), MOST_RESULT);
        rc = NULL != own->agreed ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
    }
    free(names);
    free(members);
    if (OMPI_SUCCESS == rc) {
        own->state = AGREED;
        tell(module);
    }
    return rc;
}

/* ---- Calls ---- */

enum { DISPLACED = -1 }; /* no row */

/* Finds the row that serves a call; fails for want of memory. Nothing but its size, which all ranks
 * give alike, decides; a call with MPI_IN_PLACE has one, too. */
static int find_row(mca_coll_nbrhood_module_t *module, nbrhood_count_t count, ompi_datatype_t *type,
                    bool blocking, int *row)
{
    size_t size;
    *row = DISPLACED;
    ompi_datatype_type_size(type, &size);
    const size_t bytes = (size_t) count * size;
    if (0 == bytes) {
        return OMPI_SUCCESS;
    }
    if (!have_own(module)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (NOT_ASKED == module->allgathers->state && (blocking || NULL != module->allgathers->told)) {
        const int rc = agree(module);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    if (AGREED == module->allgathers->state) {
        *row = nbrhood_allgather_row(module->allgathers->agreed, bytes);
    }
    return OMPI_SUCCESS;
}

static nbrhood_block bind_block(const void *buffer, nbrhood_count_t count, ompi_datatype_t *type,
                                bool with_others)
{
    nbrhood_block block = {.address = (void *) buffer, .count = (size_t) count, .type = type};
    ptrdiff_t true_lb, true_extent;
    size_t size;
    ompi_datatype_type_size(type, &size);
    block.bytes = block.count * size;
    /* Of the count it matters only whether it is one; it may not fit. */
    if (opal_datatype_is_contiguous_memory_layout(&type->super,
                                                  1 == count && !with_others ? 1 : 2)) {
        ompi_datatype_get_true_extent(type, &true_lb, &true_extent);
        block.data = (char *) buffer + true_lb;
    }
    return block;
}

static void bind_call(nbrhood_request_t *request, const nbrhood_side_t *send,
                      const nbrhood_side_t *receive)
{
    ptrdiff_t lb, extent;
    nbrhood_block from, to = bind_block(receive->buffer, receive->count, receive->type, true);
    const bool in_place = MPI_IN_PLACE == send->buffer;
    if (!in_place) {
        from = bind_block(send->buffer, send->count, send->type, false);
    }
    ompi_datatype_get_extent(receive->type, &lb, &extent);
    nbrhood_allgather_bind(request->plan, in_place ? NULL : &from, &to,
                           (ptrdiff_t) receive->count * extent);
}

static nbrhood_request_t *make(mca_coll_nbrhood_module_t *module, int row)
{
    nbrhood_request_t *request = OBJ_NEW(nbrhood_request_t);
    if (NULL == request) {
        return NULL;
    }
    request->module = module;
    request->comm = module->comm;
    request->collective = NBRHOOD_COLLECTIVES;
    request->home = &module->allgathers->idle[row];
    request->plan =
        nbrhood_allgather_plan(module->allgathers->agreed, row, &nbrhood_pml_transport, request);
    if (NULL == request->plan) {
        OBJ_RELEASE(request);
    }
    return request;
}

static void tell_stalled(const void *context, double seconds)
{
    const nbrhood_request_t *request = context;
    nbrhood_tell_stalled(request->module, request->collective, seconds, "(not known)",
                         "(not known)");
}

/* Makes a call one of host memory where its buffers are on a device; whether a row serves it does
 * not depend on that. */
static int leave_device(const mca_coll_nbrhood_module_t *module, int row, nbrhood_side_t *send,
                        nbrhood_side_t *receive, int variant, nbrhood_mirror_t **mirror)
{
    *mirror = NULL;
    if (NULL == nbrhood_device) {
        return OMPI_SUCCESS;
    }
    if (DISPLACED == row) {
        return nbrhood_mirror_displaced_allgather(module->comm, send, receive, variant, mirror);
    }
    const int rc = nbrhood_mirror_allgather(module->comm, send, receive, mirror);
    return OMPI_SUCCESS == rc ? nbrhood_mirror_prepare(mirror, variant) : rc;
}

static int run(mca_coll_nbrhood_module_t *module, int row, const nbrhood_side_t *send,
               const nbrhood_side_t *receive)
{
    nbrhood_request_t **request = &module->allgathers->blocking[row];
    if (NULL == *request) {
        *request = make(module, row);
        if (NULL == *request) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    nbrhood_request_open(*request);
    bind_call(*request, send, receive);
    nbrhood_start(*request, nbrhood_tag_allgather(), 0);
    nbrhood_wait(&(*request)->super.super, tell_stalled, *request);
    return (*request)->error;
}

static int begin(mca_coll_nbrhood_module_t *module, int row, const nbrhood_side_t *send,
                 const nbrhood_side_t *receive, nbrhood_mirror_t *mirror, ompi_request_t **request)
{
    nbrhood_request_t *own = nbrhood_request_take(&module->allgathers->idle[row]);
    if (NULL == own) {
        own = make(module, row);
    }
    if (NULL == own) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    nbrhood_request_open(own);
    own->mirror = mirror;
    bind_call(own, send, receive);
    OBJ_RETAIN(module->comm); /* the application may free it while the operation is in flight */
    const uint32_t number =
        (uint32_t) OPAL_THREAD_ADD_FETCH32((int32_t *) &module->allgathers->nonblocking_calls, 1)
        - 1;
    nbrhood_start(own, nbrhood_tag_iallgather(number), number);
    *request = &own->super.super;
    return OMPI_SUCCESS;
}

static int init(mca_coll_nbrhood_module_t *module, int row, const nbrhood_side_t *send,
                const nbrhood_side_t *receive, nbrhood_mirror_t *mirror, ompi_request_t **request)
{
    const uint32_t number =
        (uint32_t) OPAL_THREAD_ADD_FETCH32((int32_t *) &module->allgathers->persistent_inits, 1)
        - 1;
    const int tag = nbrhood_tag_allgather_init(number);
    if (0 == tag) {
        return OMPI_ERR_NOT_AVAILABLE; /* on all ranks */
    }
    nbrhood_request_t *own = make(module, row);
    if (NULL == own) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    bind_call(own, send, receive);
    ompi_datatype_t *const types[] = {receive->type, send->type};
    const int rc = nbrhood_request_keep(own, tag, types, MPI_IN_PLACE == send->buffer ? 1 : 2);
    if (OMPI_SUCCESS != rc) {
        OBJ_RELEASE(own);
        return rc;
    }
    own->mirror = mirror;
    *request = &own->super.super;
    return OMPI_SUCCESS;
}

/* ---- The entry points ---- */

/* The sides of a call, and the same in host memory; `rc` tells whether the call can be made. */
#define SIDES(variant)                                                                             \
    mca_coll_nbrhood_module_t *module = (mca_coll_nbrhood_module_t *) base;                        \
    nbrhood_side_t send = {.buffer = sbuf, .count = scount, .type = stype};                        \
    nbrhood_side_t receive = {.buffer = rbuf, .count = rcount, .type = rtype};                     \
    nbrhood_mirror_t *mirror;                                                                      \
    int row, rc = find_row(module, rcount, rtype, NBRHOOD_BLOCKING == (variant), &row);            \
    if (OMPI_SUCCESS == rc) {                                                                      \
        rc = leave_device(module, row, &send, &receive, variant, &mirror);                         \
    }                                                                                              \
    if (OMPI_SUCCESS != rc) {                                                                      \
        return rc;                                                                                 \
    }

int nbrhood_allgather_call(const void *sbuf, nbrhood_count_t scount, struct ompi_datatype_t *stype,
                           void *rbuf, nbrhood_count_t rcount, struct ompi_datatype_t *rtype,
                           struct ompi_communicator_t *comm, nbrhood_base_module_t *base)
{
    SIDES(NBRHOOD_BLOCKING)
    if (DISPLACED == row) {
        rc = module->displaced.coll_allgather(send.buffer, scount, stype, (void *) receive.buffer,
                                              rcount, rtype, comm,
                                              module->displaced.coll_allgather_module);
    } else {
        rc = run(module, row, &send, &receive);
    }
    return NULL == mirror ? rc : nbrhood_mirror_end(mirror, rc);
}

int nbrhood_iallgather_call(const void *sbuf, nbrhood_count_t scount, struct ompi_datatype_t *stype,
                            void *rbuf, nbrhood_count_t rcount, struct ompi_datatype_t *rtype,
                            struct ompi_communicator_t *comm, ompi_request_t **request,
                            nbrhood_base_module_t *base)
{
    SIDES(NBRHOOD_NONBLOCKING)
    if (DISPLACED == row) {
        rc = module->displaced.coll_iallgather(send.buffer, scount, stype, (void *) receive.buffer,
                                               rcount, rtype, comm, request,
                                               module->displaced.coll_iallgather_module);
        return NULL == mirror ? rc : nbrhood_mirror_request(mirror, rc, comm, request);
    }
    rc = begin(module, row, &send, &receive, mirror, request);
    if (OMPI_SUCCESS != rc) {
        nbrhood_mirror_free(mirror);
    }
    return rc;
}

int nbrhood_allgather_init_call(const void *sbuf, nbrhood_count_t scount,
                                struct ompi_datatype_t *stype, void *rbuf, nbrhood_count_t rcount,
                                struct ompi_datatype_t *rtype, struct ompi_communicator_t *comm,
                                nbrhood_info_t info, ompi_request_t **request,
                                nbrhood_base_module_t *base)
{
    SIDES(NBRHOOD_PERSISTENT)
    if (DISPLACED != row) {
        rc = init(module, row, &send, &receive, mirror, request);
        if (OMPI_SUCCESS == rc) {
            return rc;
        }
        nbrhood_mirror_free(mirror);
        if (OMPI_ERR_NOT_AVAILABLE != rc) {
            return rc;
        }
        send.buffer = sbuf;
        receive.buffer = rbuf;
        rc = leave_device(module, DISPLACED, &send, &receive, NBRHOOD_PERSISTENT, &mirror);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    rc = module->displaced.coll_allgather_init(send.buffer, scount, stype, (void *) receive.buffer,
                                               rcount, rtype, comm, info, request,
                                               module->displaced.coll_allgather_init_module);
    return NULL == mirror ? rc : nbrhood_mirror_request(mirror, rc, comm, request);
}
