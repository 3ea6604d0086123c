/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The walk over the counts of an alltoallv or alltoallw: the pairs with bytes, as messages of the
 * call and for a survey. Calls no other file of the glue, so that nbrhood-walk can time it without
 * MPI.
 */
#include "coll_nbrhood_blocks.h"
#include "coll_nbrhood_pairs.h"

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

int nbrhood_pairs_note(const mca_coll_nbrhood_module_t *module, const nbrhood_side_t *send,
                       const nbrhood_side_t *receive, nbrhood_pairs_t *pairs,
                       nbrhood_pair_switch *core)
{
    if (OMPI_SUCCESS != nbrhood_pairs_find(module, send, receive, NULL, pairs)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const size_t count = pairs->receives + pairs->sends;
    int *ranks = malloc((count + 1) * sizeof *ranks);
    for (size_t i = 0; NULL != ranks && i < count; ++i) {
        ranks[i] = pairs->list[i].rank;
    }
    const bool noted = NULL != ranks
                       && nbrhood_pair_switch_note(core, ranks + pairs->receives, pairs->sends,
                                                   ranks, pairs->receives, pairs->bytes);
    free(ranks);
    return noted ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}
