/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Alltoallvs and alltoallws as the neighbourhood collective of a graph: the pairs of ranks that
 * exchanged bytes in earlier calls. A module that is not on the communicator, and has this graph as
 * its topology, serves them; so calls go direct first, and by a pattern when the ranks have built
 * one (coll_nbrhood_switch.c). Pairs outside the graph exchange messages of their own
 * (coll_nbrhood_pairs.c). Both ends of a pair know whether the graph has it. Pairs of the graph
 * always take part, maybe with no bytes.
 */
#include "coll_nbrhood_alltoallv.h"
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_topology.h"
#include "core/capi/nbrhood_tags.h"

struct nbrhood_graph_t {
    uint32_t number;
    mca_coll_nbrhood_module_t *module;
    nbrhood_shared_t *shared; /* of the module */
    nbrhood_graph_ranks_t ranks;
    nbrhood_graph_t *older; /* requests of it may be in flight */
};

void nbrhood_graph_free(nbrhood_graph_t *graph)
{
    while (NULL != graph) {
        nbrhood_graph_t *older = graph->older;
        if (NULL != graph->module) {
            OBJ_RELEASE(graph->module);
        }
        if (NULL != graph->shared) {
            nbrhood_topology_destroy(graph->shared->topology);
        }
        free(graph->shared);
        free(graph->ranks.to.ranks);
        free(graph->ranks.from.ranks);
        free(graph);
        graph = older;
    }
}

static bool copy(nbrhood_rank_list_t *list, const int *ranks, size_t count)
{
    list->ranks = malloc((count + 1) * sizeof *ranks);
    if (NULL != list->ranks) {
        if (0 < count) { /* without ranks there may be no array */
            memcpy(list->ranks, ranks, count * sizeof *ranks);
        }
        list->count = count;
    }
    return NULL != list->ranks;
}

/* The neighbourhood collective of the same arguments. */
static int collective_of(const nbrhood_alltoallvs_t *own)
{
    return NBRHOOD_ALL_ALLTOALLV == own->background.collective ? NBRHOOD_ALLTOALLV
                                                               : NBRHOOD_ALLTOALLW;
}

static nbrhood_shared_t *make_shared(ompi_communicator_t *comm, const nbrhood_graph_ranks_t *ranks)
{
    const nbrhood_neighbours sources = {(int) ranks->from.count, ranks->from.ranks, NULL};
    const nbrhood_neighbours destinations = {(int) ranks->to.count, ranks->to.ranks, NULL};
    nbrhood_shared_t *shared = calloc(1, sizeof *shared);
    if (NULL == shared) {
        return NULL;
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        shared->choice[c] = NBRHOOD_CHOICE_AUTO;
    }
    shared->block_bytes = nbrhood_state.values[NBRHOOD_PARAMETER_BLOCK_BYTES].bytes;
    shared->topology = nbrhood_topology_create_direct(
        ompi_comm_rank(comm), false, &sources, &destinations, shared->choice, nbrhood_job_builds());
    if (NULL == shared->topology) {
        free(shared);
        return NULL;
    }
    return shared;
}

static mca_coll_nbrhood_module_t *make_module(const nbrhood_alltoallvs_t *own,
                                              const nbrhood_graph_t *graph)
{
    /* The class is in coll_nbrhood_module.c, whose functions this file must not call. */
    mca_coll_nbrhood_module_t *module =
        (mca_coll_nbrhood_module_t *) nbrhood_new_like(&own->module->super.super);
    if (NULL == module) {
        return NULL;
    }
    module->comm = own->module->comm;
    module->stands_for = own->background.collective;
    module->graph_number = graph->number;
    module->shared = graph->shared;
    if (NULL != graph->older) { /* its calls may be in flight */
        module->nonblocking_calls = graph->older->module->nonblocking_calls;
    }
    return module;
}

/* Makes the graph that serves calls from now on. */
static nbrhood_graph_t *make(const nbrhood_alltoallvs_t *own)
{
    const int *to, *from;
    size_t to_count, from_count;
    nbrhood_graph_t *graph = calloc(1, sizeof *graph);
    if (NULL == graph) {
        return NULL;
    }
    graph->number = nbrhood_pair_switch_graph_number(own->core);
    nbrhood_pair_switch_graph(own->core, &to, &to_count, &from, &from_count);
    graph->older = own->graph;
    if (copy(&graph->ranks.to, to, to_count) && copy(&graph->ranks.from, from, from_count)) {
        graph->shared = make_shared(own->module->comm, &graph->ranks);
    }
    graph->module = NULL != graph->shared ? make_module(own, graph) : NULL;
    if (NULL == graph->module
        || OMPI_SUCCESS != nbrhood_prepare(graph->module, collective_of(own))) {
        graph->older = NULL;
        nbrhood_graph_free(graph);
        return NULL;
    }
    return graph;
}

/* Fills in the call of the neighbourhood collective, and finds the messages of other pairs. */
static int prepare(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                   const nbrhood_side_t *receive, int variant, nbrhood_call_t *call)
{
    nbrhood_graph_t *graph = own->graph;
    if (NULL == graph
        || (own->calls > own->view.first
            && graph->number != nbrhood_pair_switch_graph_number(own->core))) {
        graph = make(own);
        if (NULL == graph) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        own->graph = graph;
    }
    mca_coll_nbrhood_module_t *module = graph->module;
    *call = (nbrhood_call_t){.collective = collective_of(own), .send = *send, .receive = *receive};
    call->send.entries = graph->ranks.to.ranks;
    call->receive.entries = graph->ranks.from.ranks;
    call->topology = module->topology;
    if (NULL != module->calls[call->collective]->change.core) {
        nbrhood_count_call(module, call, variant);
    }
    return nbrhood_pairs_find(own->module, send, receive, &graph->ranks, own->pairs);
}

int nbrhood_graph_run(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                      const nbrhood_side_t *receive)
{
    nbrhood_call_t call;
    size_t posted = 0;
    int rc = prepare(own, send, receive, NBRHOOD_BLOCKING, &call);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    const int posting =
        nbrhood_pairs_post(own->module, nbrhood_tag_alltoallv(), own->pairs, &posted);
    rc = nbrhood_run(own->graph->module, &call);
    return nbrhood_pairs_wait(own->module, own->background.collective, own->pairs, posted,
                              OMPI_SUCCESS != posting ? posting : rc);
}

int nbrhood_graph_begin(nbrhood_alltoallvs_t *own, const nbrhood_side_t *send,
                        const nbrhood_side_t *receive, ompi_request_t **request)
{
    nbrhood_call_t call;
    ompi_request_t *part = NULL;
    int rc = prepare(own, send, receive, NBRHOOD_NONBLOCKING, &call);
    if (OMPI_SUCCESS == rc) {
        rc = nbrhood_begin(own->graph->module, &call, &part);
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (0 == own->pairs->receives + own->pairs->sends) {
        *request = part;
        return nbrhood_pairs_copy(own->pairs);
    }
    return nbrhood_alltoallv_begin_pairs(own, &ompi_request_empty != part ? part : NULL, request);
}
