/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Alltoallvs and alltoallws in which only pairs of ranks with bytes exchange messages: both ranks
 * of a pair know from their own counts whether there are any. All is posted, then waited for, as in
 * direct calls of neighbourhood collectives. So the messages of a pair are in the order of calls at
 * both ends, whichever calls have some.
 */
#include "coll_nbrhood_pairs.h"
#include "coll_nbrhood_blocks.h"
#include "coll_nbrhood_direct.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_waiting.h"

#include "ompi/mca/pml/pml.h"

/* ---- The messages of a call ---- */

void nbrhood_pairs_free(nbrhood_pairs_t *pairs)
{
    if (NULL != pairs) {
        free(pairs->list);
        free(pairs->requests);
        free(pairs);
    }
}

static bool grow(nbrhood_pairs_t *pairs)
{
    const size_t room = 2 * pairs->room + 16;
    nbrhood_pair_t *list = realloc(pairs->list, room * sizeof *list);
    if (NULL == list) {
        return false;
    }
    pairs->list = list;
    ompi_request_t **requests = realloc(pairs->requests, room * sizeof *requests);
    if (NULL == requests) {
        return false;
    }
    pairs->requests = requests;
    pairs->room = room;
    return true;
}

/* The place in a list, which has others than `self`, of the first rank behind `self`, in the order
 * in which the ranks are visited. */
static size_t first_behind(const nbrhood_rank_list_t *list, int self)
{
    size_t place = 0;
    while (place < list->count && list->ranks[place] < self) {
        ++place;
    }
    return place < list->count ? place : 0;
}

/* Finds the messages of one side of a call, behind the first `count` of the list, and this rank's
 * own block. Each rank begins with the one behind it, so that they do not all send to one. */
static bool find_side(const mca_coll_nbrhood_module_t *module, const nbrhood_side_t *side,
                      const nbrhood_rank_list_t *skip, nbrhood_pairs_t *pairs, size_t *count,
                      nbrhood_pair_t *own, uint64_t *bytes)
{
    const int ranks = ompi_comm_size(module->comm), self = ompi_comm_rank(module->comm);
    nbrhood_type_facts_t facts = {NULL, 0, 0};
    size_t next = NULL != skip ? first_behind(skip, self) : 0;
    own->count = 0;
    for (int i = 1; i <= ranks; ++i) {
        nbrhood_pair_t pair = {.rank = self + i < ranks ? self + i : self + i - ranks};
        if (NULL != skip && 0 != skip->count && skip->ranks[next] == pair.rank) {
            next = next + 1 < skip->count ? next + 1 : 0;
            continue;
        }
        if (0 == nbrhood_count_at(side->counts, (size_t) pair.rank)) {
            continue;
        }
        nbrhood_find_block(side, (size_t) pair.rank, &facts, &pair.address, &pair.count);
        pair.type = facts.type;
        if (0 == facts.size) {
            continue;
        }
        if (pair.rank == self) {
            *own = pair;
            continue;
        }
        if (*count == pairs->room && !grow(pairs)) {
            return false;
        }
        pairs->list[(*count)++] = pair;
        *bytes += pair.count * facts.size;
        pairs->distant += nbrhood_on_node(module, pair.rank) ? 0 : 1;
    }
    return true;
}

int nbrhood_pairs_find(const mca_coll_nbrhood_module_t *module, const nbrhood_side_t *send,
                       const nbrhood_side_t *receive, const nbrhood_graph_ranks_t *skip,
                       nbrhood_pairs_t *pairs)
{
    size_t count = 0;
    uint64_t received = 0;
    pairs->distant = 0;
    pairs->bytes = 0;
    bool found = find_side(module, receive, NULL != skip ? &skip->from : NULL, pairs, &count,
                           &pairs->to, &received);
    pairs->receives = count;
    found = found
            && find_side(module, send, NULL != skip ? &skip->to : NULL, pairs, &count, &pairs->from,
                         &pairs->bytes);
    pairs->sends = count - pairs->receives;
    return found ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

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
