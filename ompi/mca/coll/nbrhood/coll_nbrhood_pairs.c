/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Alltoallvs and alltoallws in which only pairs of ranks with bytes exchange messages: both ranks
 * of a pair know from their own counts whether there are any. All is posted, then waited for, as in
 * direct calls of neighbourhood collectives. So the messages of a pair are in the order of calls at
 * both ends, whichever calls have some.
 */
#include "coll_nbrhood_pairs.h"
#include "coll_nbrhood_direct.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_waiting.h"

#include "ompi/mca/pml/pml.h"

/* ---- Posting ---- */

int nbrhood_pairs_copy(const nbrhood_pairs_t *pairs)
{
    const nbrhood_pair_t *from = &pairs->from, *to = &pairs->to;
    if (0 == from->count || 0 == to->count) {
        return OMPI_SUCCESS;
    }
    return ompi_datatype_sndrcv(from->address, (nbrhood_count_t) from->count, from->type,
                                to->address, (nbrhood_count_t) to->count, to->type);
}

/* Posts all messages, and copies this rank's own block. */
static void post(ompi_communicator_t *comm, int tag, const nbrhood_pairs_t *pairs,
                 nbrhood_keep_t keep, void *kept, int *error)
{
    for (size_t i = 0; i < pairs->receives + pairs->sends; ++i) {
        const nbrhood_pair_t *pair = &pairs->list[i];
        ompi_request_t *request;
        const int rc = i < pairs->receives
                           ? MCA_PML_CALL(irecv(pair->address, pair->count, pair->type, pair->rank,
                                                tag, comm, &request))
                           : MCA_PML_CALL(isend(pair->address, pair->count, pair->type, pair->rank,
                                                tag, MCA_PML_BASE_SEND_STANDARD, comm, &request));
        if (OMPI_SUCCESS == rc) {
            keep(kept, request);
        } else {
            nbrhood_note_error(rc, error);
        }
    }
    nbrhood_note_error(nbrhood_pairs_copy(pairs), error);
}

/* ---- Blocking calls ---- */

int nbrhood_pairs_post(const mca_coll_nbrhood_module_t *module, int tag, nbrhood_pairs_t *pairs,
                       size_t *posted)
{
    ompi_request_t **request = pairs->requests;
    int error = OMPI_SUCCESS;
    post(module->comm, tag, pairs, nbrhood_keep_in_order, &request, &error);
    *posted = (size_t) (request - pairs->requests);
    return error;
}

static int peer_of(const void *messages, size_t i)
{
    return ((const nbrhood_pair_t *) messages)[i].rank;
}

int nbrhood_pairs_wait(const mca_coll_nbrhood_module_t *module, int collective,
                       const nbrhood_pairs_t *pairs, size_t count, int error)
{
    const nbrhood_posted_t posted = {module,          collective, pairs->requests, count,
                                     pairs->receives, peer_of,    pairs->list};
    return nbrhood_wait_for_posted(&posted, error);
}

/* ---- Calls that do not block ---- */

void nbrhood_pairs_count_call(void)
{
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    ++nbrhood_totals.alltoallvs;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
}

static void post_call(const nbrhood_request_t *request, void *context, nbrhood_keep_t keep,
                      void *kept, int *error)
{
    post(request->comm, request->tag, context, keep, kept, error);
}

int nbrhood_pairs_begin(nbrhood_request_t *request, const nbrhood_pairs_t *pairs)
{
    const nbrhood_posting_t posting = {post_call, (void *) pairs, pairs->distant};
    if (opal_using_threads()) {
        const size_t count = pairs->receives + pairs->sends;
        ompi_request_t **posted = realloc(request->posted, (count + 1) * sizeof *request->posted);
        if (NULL == posted) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        request->posted = posted;
    }
    request->bypasses_plan = true;
    request->direct = true;
    nbrhood_start_posting(request, &posting);
    return OMPI_SUCCESS;
}

int nbrhood_pairs_start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; ++i) {
        nbrhood_request_t *request = (nbrhood_request_t *) requests[i];
        if (OMPI_REQUEST_ACTIVE == request->super.super.req_state
            || !REQUEST_COMPLETE(&request->super.super)) {
            return MPI_ERR_REQUEST;
        }
        request->super.super.req_state = OMPI_REQUEST_ACTIVE;
        request->super.super.req_complete = REQUEST_PENDING;
        nbrhood_pairs_count_call();
        const int rc = nbrhood_pairs_begin(request, request->pairs);
        if (OMPI_SUCCESS != rc) {
            request->super.super.req_state = OMPI_REQUEST_INACTIVE;
            request->super.super.req_complete = REQUEST_COMPLETED;
            return rc;
        }
    }
    return OMPI_SUCCESS;
}
