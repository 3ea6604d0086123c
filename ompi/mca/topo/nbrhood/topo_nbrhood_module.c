/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The constructors: each lets Open MPI create the communicator and then tells coll/nbrhood. */
#include "topo_nbrhood.h"

#include "ompi/mca/coll/nbrhood/coll_nbrhood_compat.h"
#include "ompi/mca/coll/nbrhood/coll_nbrhood_hook.h"
#include "ompi/mca/topo/base/base.h"

/* The values of this component's info keys, for one communicator. */
typedef struct info_values_t {
    mca_coll_nbrhood_keys_t keys;
    char algorithm[NBRHOOD_INFO_LENGTH];
    char block_bytes[NBRHOOD_INFO_LENGTH];
    char reuse[NBRHOOD_INFO_LENGTH];
    char allgather_algorithm[NBRHOOD_INFO_LENGTH];
} info_values_t;

static const mca_coll_nbrhood_keys_t no_keys = {NULL, NULL, NULL, NULL};

/* NULL if there is no such key. */
static const char *read_key(opal_info_t *info, const char *key, char *value)
{
    return nbrhood_info_get(info, key, value, NBRHOOD_INFO_LENGTH) ? value : NULL;
}

static void read_info(opal_info_t *info, info_values_t *values)
{
    values->keys.algorithm = read_key(info, "nbrhood_algorithm", values->algorithm);
    values->keys.block_bytes = read_key(info, "nbrhood_block_bytes", values->block_bytes);
    values->keys.reuse = read_key(info, "nbrhood_reuse", values->reuse);
    values->keys.allgather_algorithm =
        read_key(info, "nbrhood_allgather_algorithm", values->allgather_algorithm);
}

/* Tells coll/nbrhood that a communicator of this rank has its topology now. Collective over the
 * communicator. */
static int topology_created(ompi_communicator_t *comm, const mca_coll_nbrhood_keys_t *keys)
{
    const mca_coll_nbrhood_hook_t *hook = mca_coll_nbrhood_find_hook();
    if (MPI_COMM_NULL == comm || NULL == comm->c_topo || NULL == hook) {
        return OMPI_SUCCESS; /* this rank is not in the Cartesian grid */
    }
    mca_topo_nbrhood_module_t *module = (mca_topo_nbrhood_module_t *) comm->c_topo;
    const int rc = hook->topology_created(comm, keys, &module->topology, &module->destroy);
    if (NULL != module->topology) {
        module->group = comm->c_local_group;
        OBJ_RETAIN(module->group);
    }
    return rc;
}

/* Ends a constructor: on failure the new communicator is freed. */
static int finish(int rc, ompi_communicator_t **comm, const mca_coll_nbrhood_keys_t *keys)
{
    if (OMPI_SUCCESS == rc) {
        rc = topology_created(*comm, keys);
        if (OMPI_SUCCESS != rc) {
            ompi_comm_free(comm);
        }
    }
    return rc;
}

static int cart_create(mca_topo_base_module_t *module, ompi_communicator_t *old_comm, int ndims,
                       const int *dims, const int *periods, bool reorder,
                       ompi_communicator_t **comm)
{
    return finish(mca_topo_base_cart_create(module, old_comm, ndims, dims, periods, reorder, comm),
                  comm, &no_keys);
}

static int cart_sub(ompi_communicator_t *old_comm, const int *remain_dims,
                    ompi_communicator_t **comm)
{
    return finish(mca_topo_base_cart_sub(old_comm, remain_dims, comm), comm, &no_keys);
}

static int graph_create(mca_topo_base_module_t *module, ompi_communicator_t *old_comm, int nnodes,
                        const int *index, const int *edges, bool reorder,
                        ompi_communicator_t **comm)
{
    return finish(mca_topo_base_graph_create(module, old_comm, nnodes, index, edges, reorder, comm),
                  comm, &no_keys);
}

/* Begins a constructor of distributed graphs: *base is the communicator to start from. Open MPI may
 * duplicate the old communicator together with its topology, and then mistake the new graph for the
 * old topology. In that case *base is a copy without topology, and *copy is to be freed at the end.
 */
static int begin_dist_graph(ompi_communicator_t *old_comm, ompi_communicator_t **base,
                            ompi_communicator_t **copy)
{
    *base = old_comm;
    *copy = MPI_COMM_NULL;
    if (!NBRHOOD_DIST_GRAPH_INHERITS || !OMPI_COMM_IS_TOPO(old_comm)) {
        return OMPI_SUCCESS;
    }
    const int rc = ompi_comm_create(old_comm, old_comm->c_local_group, copy);
    *base = *copy;
    return rc;
}

static void end_dist_graph(ompi_communicator_t **copy)
{
    if (MPI_COMM_NULL != *copy) {
        ompi_comm_free(copy);
    }
}

static int dist_graph_create_adjacent(mca_topo_base_module_t *module, ompi_communicator_t *old_comm,
                                      int indegree, const int sources[], const int sourceweights[],
                                      int outdegree, const int destinations[],
                                      const int destweights[], opal_info_t *info, int reorder,
                                      ompi_communicator_t **comm)
{
    info_values_t values;
    read_info(info, &values);
    ompi_communicator_t *base, *copy;
    int rc = begin_dist_graph(old_comm, &base, &copy);
    if (OMPI_SUCCESS == rc) {
        rc = mca_topo_base_dist_graph_create_adjacent(module, base, indegree, sources,
                                                      sourceweights, outdegree, destinations,
                                                      destweights, info, reorder, comm);
    }
    end_dist_graph(&copy);
    return finish(rc, comm, &values.keys);
}

/* The module that would create distributed graphs without this component, for reordering. */
static mca_topo_base_module_t *displaced_module(const ompi_communicator_t *comm)
{
    mca_base_component_list_item_t *item;
    mca_topo_base_module_t *best = NULL;
    int best_priority = -1;
    OPAL_LIST_FOREACH(item, &ompi_topo_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        mca_topo_base_component_t *component = (mca_topo_base_component_t *) item->cli_component;
        int priority = -1;
        if (&mca_topo_nbrhood_component == component || NULL == component->NBRHOOD_TOPOC_QUERY) {
            continue;
        }
        mca_topo_base_module_t *module =
            nbrhood_topo_query(component, comm, &priority, OMPI_COMM_DIST_GRAPH);
        if (NULL == module) {
            continue;
        }
        module->topo_component = component;
        if (priority > best_priority && NULL != module->topo.dist_graph.dist_graph_create) {
            if (NULL != best) {
                OBJ_RELEASE(best);
            }
            best = module;
            best_priority = priority;
        } else {
            OBJ_RELEASE(module);
        }
    }
    return best;
}

/* Replaces the module that another component left on the communicator by ours. */
static void take_over(mca_topo_base_module_t *ours, ompi_communicator_t *comm)
{
    mca_topo_base_module_t *theirs = comm->c_topo;
    ours->mtc = theirs->mtc;
    ours->reorder = theirs->reorder;
    theirs->mtc.dist_graph = NULL;
    comm->c_topo = ours;
    OBJ_RELEASE(theirs);
}

static int dist_graph_create(mca_topo_base_module_t *module, ompi_communicator_t *old_comm, int n,
                             const int nodes[], const int degrees[], const int targets[],
                             const int weights[], opal_info_t *info, int reorder,
                             ompi_communicator_t **comm)
{
    info_values_t values;
    read_info(info, &values);
    ompi_communicator_t *base, *copy;
    int rc = begin_dist_graph(old_comm, &base, &copy);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    mca_topo_base_module_t *other = reorder ? displaced_module(base) : NULL;
    if (NULL != other) {
        rc = other->topo.dist_graph.dist_graph_create(other, base, n, nodes, degrees, targets,
                                                      weights, info, reorder, comm);
        if (OMPI_SUCCESS == rc) {
            take_over(module, *comm);
        }
    } else {
        rc = mca_topo_base_dist_graph_create(module, base, n, nodes, degrees, targets, weights,
                                             info, reorder, comm);
    }
    end_dist_graph(&copy);
    return finish(rc, comm, &values.keys);
}

void mca_topo_nbrhood_set_constructors(mca_topo_base_module_t *module, uint32_t type)
{
    if (OMPI_COMM_CART == type) {
        module->topo.cart.cart_create = cart_create;
        module->topo.cart.cart_sub = cart_sub;
    } else if (OMPI_COMM_GRAPH == type) {
        module->topo.graph.graph_create = graph_create;
    } else {
        module->topo.dist_graph.dist_graph_create = dist_graph_create;
        module->topo.dist_graph.dist_graph_create_adjacent = dist_graph_create_adjacent;
    }
}
