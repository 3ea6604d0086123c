/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The module: its selection, the functions that it displaces, and its end. */
#include "coll_nbrhood_allgather.h"
#include "coll_nbrhood_alltoallv.h"
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_record.h"
#include "coll_nbrhood_state.h"

#include "ompi/mca/topo/nbrhood/topo_nbrhood.h"
#include "opal/util/output.h"

/* Whether two groups have the same processes in the same order. All processes of a communicator
 * get the same answer. */
static bool same_group(ompi_group_t *a, ompi_group_t *b)
{
    const int size = ompi_group_size(a);
    bool same = size == ompi_group_size(b);
    for (int rank = 0; a != b && same && rank < size; ++rank) {
        same = 0
               == opal_compare_proc(ompi_group_get_proc_name(a, rank),
                                    ompi_group_get_proc_name(b, rank));
    }
    return same;
}

/* The topology that a communicator inherited from another one, or NULL. Duplicates share it.
 * Open MPI also copies topologies in MPI_Comm_create_group, to any part of the ranks in any
 * order, and to the local part of an intercommunicator; a pattern for other ranks is useless
 * there. */
static nbrhood_shared_t *inherited_topology(const ompi_communicator_t *comm)
{
    if (NULL == comm->c_topo || NULL == comm->c_topo->topo_component
        || 0 != strcmp(comm->c_topo->topo_component->topoc_version.mca_component_name, "nbrhood")) {
        return NULL;
    }
    const mca_topo_nbrhood_module_t *topo = (const mca_topo_nbrhood_module_t *) comm->c_topo;
    if (NULL == topo->topology) {
        return NULL;
    }
    if (!same_group(topo->group, comm->c_local_group)) {
        opal_output_verbose(10, nbrhood_state.output,
                            "nbrhood: leaves communicator %u to Open MPI: its topology was created "
                            "for other ranks",
                            (unsigned) nbrhood_communicator_number(comm));
        return NULL;
    }
    return (nbrhood_shared_t *) topo->topology;
}

/* For collectives of all ranks: checks for a function to displace; takes a slot. */
#define CHECK_SLOT(name)                                                                           \
    complete = complete && NULL != comm->c_coll->coll_##name                                       \
               && NULL != comm->c_coll->coll_##name##_module;
#define TAKE_SLOT(name)                                                                            \
    module->displaced.coll_##name = comm->c_coll->coll_##name;                                     \
    module->displaced.coll_##name##_module = comm->c_coll->coll_##name##_module;                   \
    OBJ_RETAIN(module->displaced.coll_##name##_module);                                            \
    base->coll_##name = nbrhood_##name##_call;                                                     \
    NBRHOOD_INSTALL(comm, name, base->coll_##name, base);

/* Takes the slots of allgathers if these may gain. */
static void take_allgathers(mca_coll_nbrhood_module_t *module)
{
    ompi_communicator_t *comm = module->comm;
    mca_coll_base_module_t *base = &module->super;
    bool complete =
        NBRHOOD_ALLGATHER_DEFAULT != nbrhood_number(NBRHOOD_PARAMETER_ALLGATHER_ALGORITHM)
        && nbrhood_spans_nodes(comm);
    NBRHOOD_FOR_ALLGATHER_SLOTS(CHECK_SLOT)
    if (complete) {
        module->takes_allgathers = true;
        NBRHOOD_FOR_ALLGATHER_SLOTS(TAKE_SLOT)
    }
}

/* The same for alltoallvs and alltoallws. */
static void take_alltoallvs(mca_coll_nbrhood_module_t *module)
{
    ompi_communicator_t *comm = module->comm;
    mca_coll_base_module_t *base = &module->super;
    bool complete =
        NBRHOOD_ALLTOALLV_DEFAULT != nbrhood_number(NBRHOOD_PARAMETER_ALLTOALLV_ALGORITHM)
        && nbrhood_spans_nodes(comm);
    NBRHOOD_FOR_ALLTOALLV_SLOTS(CHECK_SLOT)
    if (complete) {
        module->takes_alltoallvs = true;
        NBRHOOD_FOR_ALLTOALLV_SLOTS(TAKE_SLOT)
    }
}

static int enable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    mca_coll_nbrhood_module_t *module = (mca_coll_nbrhood_module_t *) base;
    bool complete = true;

    module->comm = comm;
#define CHECK(name)                                                                                \
    module->displaced.coll_##name = comm->c_coll->coll_##name;                                     \
    module->displaced.coll_##name##_module = comm->c_coll->coll_##name##_module;                   \
    complete = complete && NULL != module->displaced.coll_##name                                   \
               && NULL != module->displaced.coll_##name##_module;
    NBRHOOD_FOR_ALL_SLOTS(CHECK)
    if (!complete) {
        opal_output_verbose(10, nbrhood_state.output,
                            "nbrhood: declines communicator %u: nothing to fall back to",
                            (unsigned) nbrhood_communicator_number(comm));
        return OMPI_ERROR;
    }
#define RETAIN(name) OBJ_RETAIN(module->displaced.coll_##name##_module);
    NBRHOOD_FOR_ALL_SLOTS(RETAIN)
    module->enabled = true;
#define INSTALL(name) NBRHOOD_INSTALL(comm, name, base->coll_##name, base);
    NBRHOOD_FOR_ALL_SLOTS(INSTALL)
    take_allgathers(module);
    take_alltoallvs(module);

    module->shared = inherited_topology(comm);
    /* Open MPI has already named the communicator. This name tells duplicates from the
     * communicators of MPI_Comm_create_group. */
    module->is_duplicate = NULL != module->shared && NULL != strstr(comm->c_name, " DUP FROM ");
    return OMPI_SUCCESS;
}

#if NBRHOOD_INSTALLS_ITSELF
/* Gives those slots that this module still has back to the displaced modules. */
static int disable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    const mca_coll_nbrhood_module_t *module = (const mca_coll_nbrhood_module_t *) base;
#define UNINSTALL(name)                                                                            \
    if (comm->c_coll->coll_##name##_module == base) {                                              \
        NBRHOOD_INSTALL(comm, name, module->displaced.coll_##name,                                 \
                        module->displaced.coll_##name##_module);                                   \
    }
    NBRHOOD_FOR_ALL_SLOTS(UNINSTALL)
    NBRHOOD_FOR_ALLGATHER_SLOTS(UNINSTALL)
    NBRHOOD_FOR_ALLTOALLV_SLOTS(UNINSTALL)
    return OMPI_SUCCESS;
}
#endif

mca_coll_base_module_t *mca_coll_nbrhood_comm_query(struct ompi_communicator_t *comm, int *priority)
{
    *priority = nbrhood_number(NBRHOOD_PARAMETER_PRIORITY);
    if (nbrhood_number(NBRHOOD_PARAMETER_PRIORITY) < 0 || OMPI_COMM_IS_INTER(comm)) {
        opal_output_verbose(10, nbrhood_state.output, "nbrhood: declines communicator %u: %s",
                            (unsigned) nbrhood_communicator_number(comm),
                            nbrhood_number(NBRHOOD_PARAMETER_PRIORITY) < 0
                                ? "its priority is negative"
                                : "an intercommunicator");
        *priority = -1;
        return NULL;
    }
    if (nbrhood_stays_out_of_job(comm)) { /* the reason was reported */
        *priority = -1;
        return NULL;
    }
    mca_coll_nbrhood_module_t *module = OBJ_NEW(mca_coll_nbrhood_module_t);
    if (NULL == module) {
        *priority = -1;
        return NULL;
    }
    module->super.coll_module_enable = enable;
#if NBRHOOD_INSTALLS_ITSELF
    module->super.coll_module_disable = disable;
#endif
    mca_coll_nbrhood_set_functions(&module->super);
    return &module->super;
}

static void construct(mca_coll_nbrhood_module_t *module)
{
    memset((char *) module + sizeof module->super, 0, sizeof *module - sizeof module->super);
}

static void destruct(mca_coll_nbrhood_module_t *module)
{
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        nbrhood_calls_free(module->calls[c]);
    }
    nbrhood_allgathers_free(module->allgathers);
    nbrhood_alltoallvs_free(module->alltoallvs[0]);
    nbrhood_alltoallvs_free(module->alltoallvs[1]);
    if (NULL != module->record) {
        nbrhood_report_add(module->record);
    }
    nbrhood_free_rank_lists(module);
    if (module->enabled) {
#define RELEASE(name) OBJ_RELEASE(module->displaced.coll_##name##_module);
        NBRHOOD_FOR_ALL_SLOTS(RELEASE)
        if (module->takes_allgathers) {
            NBRHOOD_FOR_ALLGATHER_SLOTS(RELEASE)
        }
        if (module->takes_alltoallvs) {
            NBRHOOD_FOR_ALLTOALLV_SLOTS(RELEASE)
        }
    }
}

OBJ_CLASS_INSTANCE(mca_coll_nbrhood_module_t, mca_coll_base_module_t, construct, destruct);
