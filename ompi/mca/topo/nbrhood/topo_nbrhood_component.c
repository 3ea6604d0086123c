/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The component: offers a module for each topology if all processes of the communicator have
 * coll/nbrhood. */
#include "topo_nbrhood.h"

#include "ompi/mca/coll/nbrhood/coll_nbrhood_compat.h"
#include "ompi/mca/coll/nbrhood/coll_nbrhood_hook.h"

static int own_priority = 80;

static int register_parameters(void)
{
    (void) mca_base_component_var_register(
        &mca_topo_nbrhood_component.topoc_version, "priority",
        "Priority of topo/nbrhood, which tells coll/nbrhood of new topologies. It must be the "
        "highest of all topo components (treematch has 42); reordering is still left to the "
        "component that would be selected without it. Negative: never selected, and all calls are "
        "Open MPI's own. When to change it: never. Must be equal on all ranks",
        MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY,
        &own_priority);
    return OMPI_SUCCESS;
}

static int init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    const mca_coll_nbrhood_hook_t *hook = mca_coll_nbrhood_find_hook();
    if (NULL != hook) {
        hook->topo_initialised(own_priority);
    }
    return OMPI_SUCCESS;
}

static mca_topo_base_module_t *offer(const ompi_communicator_t *comm, int *priority, uint32_t type)
{
    const mca_coll_nbrhood_hook_t *hook = mca_coll_nbrhood_find_hook();
    if (own_priority < 0 || NULL == hook || !hook->everywhere(comm->c_local_group)) {
        return NULL;
    }
    mca_topo_nbrhood_module_t *module = OBJ_NEW(mca_topo_nbrhood_module_t);
    if (NULL == module) {
        return NULL;
    }
    module->super.type = type;
    mca_topo_nbrhood_set_constructors(&module->super, type);
    *priority = own_priority;
    return &module->super;
}

NBRHOOD_DEFINE_TOPO_QUERY(query, offer)

mca_topo_base_component_t mca_topo_nbrhood_component = {
    .topoc_version =
        {
            NBRHOOD_TOPO_BASE_VERSION,
            .mca_component_name = "nbrhood",
            MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                                  OMPI_RELEASE_VERSION),
            .mca_register_component_params = register_parameters,
        },
    .topoc_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .topoc_init_query = init_query,
    .NBRHOOD_TOPOC_QUERY = query,
};
MCA_BASE_COMPONENT_INIT(ompi, topo, nbrhood)

static void construct(mca_topo_nbrhood_module_t *module)
{
    /* The base constructor does not set the function pointers; the base fills those that are NULL.
     */
    memset(&module->super.topo, 0, sizeof module->super.topo);
    module->super.reorder = false;
    module->topology = NULL;
    module->destroy = NULL;
    module->group = NULL;
}

static void destruct(mca_topo_nbrhood_module_t *module)
{
    if (NULL != module->topology) {
        module->destroy(module->topology);
        OBJ_RELEASE(module->group);
    }
}

OBJ_CLASS_INSTANCE(mca_topo_nbrhood_module_t, mca_topo_base_module_t, construct, destruct);
