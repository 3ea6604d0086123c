/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* MPI_Allgather, MPI_Iallgather and MPI_Allgather_init. The module takes these slots only on
 * communicators that span nodes, and does nothing more when they are created: the first blocking
 * call makes an agreement (coll_nbrhood_agreement.c). Until then the displaced module serves
 * nonblocking and persistent calls. In a blocking call all ranks agree whether there is an
 * agreement, because blocking collectives have one order on all ranks; nonblocking ones do not.
 */
#include "coll_nbrhood_allgather.h"
#include "coll_nbrhood_device.h"
#include "coll_nbrhood_mirror.h"
#include "coll_nbrhood_transport.h"
#include "coll_nbrhood_waiting.h"
#include "core/capi/nbrhood_tags.h"

#include "ompi/runtime/mpiruntime.h"

enum { DISPLACED = -1 }; /* no row */

/* Finds the row that serves a call; fails if there is no memory. It depends only on the size of
 * blocks, which is equal on all ranks, also with MPI_IN_PLACE. */
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
    if (!nbrhood_allgathers_have(module)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (blocking && NBRHOOD_ALLGATHERS_NOT_ASKED == module->allgathers->state) {
        const int rc = nbrhood_allgathers_agree(module);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    if (NBRHOOD_ALLGATHERS_AGREED == module->allgathers->state) {
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
    /* Only whether the count is one matters; the count itself may not fit. */
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
    request->collective = NBRHOOD_ALL_ALLGATHER;
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

/* Replaces buffers on a device by host memory. The choice of the row does not depend on that. Open
 * MPI's own functions get the program's buffers, except in blocking calls on a device that they do
 * not support. (Nonblocking calls would need another request around Open MPI's.) */
static int leave_device(const mca_coll_nbrhood_module_t *module, int row, nbrhood_side_t *send,
                        nbrhood_side_t *receive, int variant, nbrhood_mirror_t **mirror)
{
    *mirror = NULL;
    if (NULL == nbrhood_device
        || (DISPLACED == row
            && (NBRHOOD_BLOCKING != variant || nbrhood_device->known_to_open_mpi))) {
        return OMPI_SUCCESS;
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

/* The two sides of a call as the program gave them, and as buffers in host memory. `rc` tells
 * whether the call can be made. */
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
        return module->displaced.coll_iallgather(sbuf, scount, stype, rbuf, rcount, rtype, comm,
                                                 request, module->displaced.coll_iallgather_module);
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
    }
    return module->displaced.coll_allgather_init(sbuf, scount, stype, rbuf, rcount, rtype, comm,
                                                 info, request,
                                                 module->displaced.coll_allgather_init_module);
}
