/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The core's interface to a communicator while a topology is created. */
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_topology.h"
#include "core/capi/nbrhood_tags.h"

#include "ompi/mca/pml/pml.h"
#include "ompi/mca/topo/base/base.h"
#include "ompi/proc/proc.h"

typedef struct creation_t {
    ompi_communicator_t *comm;
    mca_coll_nbrhood_module_t *module; /* NULL: the component is not on the communicator */
    ompi_request_t **requests;         /* of sends in flight */
    size_t count, room;
} creation_t;

static int locality(void *context, int rank)
{
    return nbrhood_locality(((creation_t *) context)->module, rank);
}

static int send_words(void *context, int rank, const int32_t *words, size_t count)
{
    creation_t *creation = (creation_t *) context;
    if (creation->count == creation->room) {
        const size_t room = 2 * creation->room + 16;
        ompi_request_t **requests = realloc(creation->requests, room * sizeof *requests);
        if (NULL == requests) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        creation->requests = requests;
        creation->room = room;
    }
    return MCA_PML_CALL(isend((void *) words, count, MPI_INT32_T, rank, nbrhood_tag_creation(),
                              MCA_PML_BASE_SEND_STANDARD, creation->comm,
                              &creation->requests[creation->count++]));
}

/* The communicator is new, so no other receive has this tag, and a probe and its receive see the
 * same message. */
static int receive_words(void *context, int rank, int32_t *(*take)(void *sink, size_t count),
                         void *sink)
{
    ompi_communicator_t *comm = ((creation_t *) context)->comm;
    ompi_status_public_t status;
    int rc = MCA_PML_CALL(probe(rank, nbrhood_tag_creation(), comm, &status));
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    /* A message that is not a whole number of words is received, too; the core refuses it. */
    const size_t count = (status._ucount + sizeof(int32_t) - 1) / sizeof(int32_t);
    int32_t *words = take(sink, count);
    if (NULL == words && 0 != count) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return MCA_PML_CALL(recv(words, count * sizeof(int32_t), MPI_BYTE, rank, nbrhood_tag_creation(),
                             comm, MPI_STATUS_IGNORE));
}

static int flush(void *context)
{
    creation_t *creation = (creation_t *) context;
    const int rc = 0 == creation->count ? OMPI_SUCCESS
                                        : ompi_request_wait_all(creation->count, creation->requests,
                                                                MPI_STATUSES_IGNORE);
    creation->count = 0;
    return rc;
}

/* The weights that the user gave the edges of a distributed graph, or none. */
static void find_weights(ompi_communicator_t *comm, nbrhood_neighbours *sources,
                         nbrhood_neighbours *destinations)
{
    if (OMPI_COMM_IS_DIST_GRAPH(comm) && comm->c_topo->mtc.dist_graph->weighted) {
        sources->weights = comm->c_topo->mtc.dist_graph->inw;
        destinations->weights = comm->c_topo->mtc.dist_graph->outw;
    }
}

int nbrhood_find_neighbours(ompi_communicator_t *comm, int **sources, int *in_degree,
                            int **destinations, int *out_degree)
{
    int rc = mca_topo_base_neighbor_count(comm, in_degree, out_degree);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    *sources = calloc((size_t) *in_degree + 1, sizeof(int));
    *destinations = calloc((size_t) *out_degree + 1, sizeof(int));
    if (NULL == *sources || NULL == *destinations) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_COMM_IS_CART(comm)) {
        const mca_topo_base_comm_cart_t *cart = comm->c_topo->mtc.cart;
        for (int d = 0; d < cart->ndims && OMPI_SUCCESS == rc; ++d) {
            int *pair = *sources + 2 * d;
            rc = mca_topo_base_cart_shift(comm, d, 1, &pair[0], &pair[1]);
        }
        memcpy(*destinations, *sources, (size_t) *in_degree * sizeof(int));
    } else if (OMPI_COMM_IS_GRAPH(comm)) {
        rc = mca_topo_base_graph_neighbors(comm, ompi_comm_rank(comm), *in_degree, *sources);
        memcpy(*destinations, *sources, (size_t) *in_degree * sizeof(int));
    } else {
        const mca_topo_base_comm_dist_graph_t *graph = comm->c_topo->mtc.dist_graph;
        if (*in_degree > 0) {
            memcpy(*sources, graph->in, (size_t) *in_degree * sizeof(int));
        }
        if (*out_degree > 0) {
            memcpy(*destinations, graph->out, (size_t) *out_degree * sizeof(int));
        }
    }
    return rc;
}

static nbrhood_creation callbacks_of(creation_t *creation)
{
    return (nbrhood_creation){creation, locality, send_words, receive_words, flush};
}

/* Converts the core's errors to Open MPI's. */
static int error_of(int rc)
{
    return NBRHOOD_ERR_MEMORY == rc     ? OMPI_ERR_OUT_OF_RESOURCE
           : NBRHOOD_ERR_INTERNAL == rc ? OMPI_ERROR
                                        : rc;
}

int nbrhood_tell_absence(ompi_communicator_t *comm, nbrhood_topology_info *info)
{
    creation_t creation = {comm, NULL, NULL, 0, 0};
    const nbrhood_creation callbacks = callbacks_of(&creation);
    const nbrhood_neighbours none = {0, NULL, NULL};
    const nbrhood_settings settings = {.presence = nbrhood_presence(NULL)};
    nbrhood_recording recording = {.directory = NULL};
    nbrhood_topology *topology;
    const int rc =
        nbrhood_topology_create(ompi_comm_rank(comm), ompi_comm_size(comm), (nbrhood_place){0},
                                false, &none, &none, &settings, &callbacks, &recording, &topology);
    if (0 == rc) {
        nbrhood_topology_describe(topology, info);
        nbrhood_topology_destroy(topology);
    }
    free(creation.requests);
    return error_of(rc);
}

/* The neighbours of this rank, for the core. */
typedef struct neighbours_t {
    int *ranks[2];
    nbrhood_neighbours sources, destinations;
} neighbours_t;

static int describe_neighbours(ompi_communicator_t *comm, neighbours_t *neighbours)
{
    int in_degree = 0, out_degree = 0;
    memset(neighbours, 0, sizeof *neighbours);
    const int rc = nbrhood_find_neighbours(comm, &neighbours->ranks[0], &in_degree,
                                           &neighbours->ranks[1], &out_degree);
    neighbours->sources = (nbrhood_neighbours){in_degree, neighbours->ranks[0], NULL};
    neighbours->destinations = (nbrhood_neighbours){out_degree, neighbours->ranks[1], NULL};
    if (OMPI_SUCCESS == rc) {
        find_weights(comm, &neighbours->sources, &neighbours->destinations);
    }
    return rc;
}

static void free_neighbours(neighbours_t *neighbours)
{
    free(neighbours->ranks[0]);
    free(neighbours->ranks[1]);
}

int nbrhood_create_topology(mca_coll_nbrhood_module_t *module, const nbrhood_settings *settings,
                            nbrhood_recording *recording, nbrhood_topology **topology)
{
    ompi_communicator_t *comm = module->comm;
    creation_t creation = {comm, module, NULL, 0, 0};
    const nbrhood_creation callbacks = callbacks_of(&creation);
    neighbours_t neighbours;
    int rc = describe_neighbours(comm, &neighbours);
    if (OMPI_SUCCESS == rc) {
        rc = error_of(nbrhood_topology_create(ompi_comm_rank(comm), ompi_comm_size(comm),
                                              nbrhood_find_place(module), OMPI_COMM_IS_CART(comm),
                                              &neighbours.sources, &neighbours.destinations,
                                              settings, &callbacks, recording, topology));
    }
    free_neighbours(&neighbours);
    free(creation.requests);
    return rc;
}

int nbrhood_create_direct_topology(ompi_communicator_t *comm, const int *choices,
                                   nbrhood_topology **topology)
{
    neighbours_t neighbours;
    int rc = describe_neighbours(comm, &neighbours);
    if (OMPI_SUCCESS == rc) {
        *topology = nbrhood_topology_create_direct(ompi_comm_rank(comm), OMPI_COMM_IS_CART(comm),
                                                   &neighbours.sources, &neighbours.destinations,
                                                   choices, nbrhood_job_builds());
        rc = NULL != *topology ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
    }
    free_neighbours(&neighbours);
    return rc;
}
