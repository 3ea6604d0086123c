/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The hook, called when a communicator gets its topology. */
#include "coll_nbrhood_topology.h"
#include "coll_nbrhood_allgather.h"
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_record.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_waiting.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "opal/util/output.h"

static void destroy_shared(void *shared)
{
    nbrhood_topology_destroy(((nbrhood_shared_t *) shared)->topology);
    free(shared);
}

/* ---- The first call ---- */

/* Attaches the topology to the module, with the first call. The lock is held. */
static int attach(mca_coll_nbrhood_module_t *module)
{
    nbrhood_shared_t *shared = module->shared;
    if (NULL == module->local.ranks && OMPI_SUCCESS != nbrhood_find_local_ranks(module)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (NULL == shared->topology) {
        const int rc =
            nbrhood_create_direct_topology(module->comm, shared->choice, &shared->topology);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    if (NULL == module->region.ranks
        && OMPI_SUCCESS != nbrhood_find_region(module, shared->topology)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    nbrhood_record_t *record = OBJ_NEW(nbrhood_record_t);
    if (NULL == record) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    record->cid = nbrhood_communicator_number(module->comm);
    record->ranks = ompi_comm_size(module->comm);
    record->stands_for = module->stands_for;
    record->creation_seconds = module->creation_seconds;
    nbrhood_record_describe(record, shared->topology);
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        nbrhood_note_choice(record, c, shared->topology);
    }
    module->record = record;
    module->topology = shared->topology;
    return OMPI_SUCCESS;
}

int nbrhood_prepare(mca_coll_nbrhood_module_t *module, int collective)
{
    int rc = OMPI_SUCCESS;
    const nbrhood_decision_t *inherited = nbrhood_inherited_decisions(module);
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (NULL == module->topology) {
        rc = attach(module);
    }
    if (OMPI_SUCCESS == rc && NULL == module->calls[collective]) {
        nbrhood_calls_t *calls = nbrhood_topology_prepare(module->topology, collective)
                                     ? nbrhood_calls_make(module, collective)
                                     : NULL;
        rc = NULL != calls ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
        if (NULL != calls && NULL != inherited && inherited[collective].decided) {
            nbrhood_inherit(&calls->change, &inherited[collective]);
            nbrhood_tell_inherited(module, collective, &inherited[collective]);
        }
        opal_atomic_wmb();
        module->calls[collective] = calls;
        if (0 == module->record->info->synchronisations) { /* otherwise the creation printed it */
            nbrhood_verbose_choice(module->record, collective);
        }
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return rc;
}

/* ---- Creation ---- */

/* All ranks of the communicator build, or learn that some ranks lack the component. */
static int create(mca_coll_nbrhood_module_t *module, nbrhood_shared_t *shared)
{
    nbrhood_settings settings;
    nbrhood_recording recording;
    nbrhood_prepare_recording(module, 0, &recording);
    nbrhood_find_settings(module, shared, &settings);
    settings.timestamp = nbrhood_timestamp();
    int rc = nbrhood_find_local_ranks(module);
    if (OMPI_SUCCESS == rc) {
        rc = nbrhood_create_topology(module, &settings, &recording, &shared->topology);
    }
    if (OMPI_SUCCESS == rc) {
        module->shared = shared;
        rc = attach(module);
    }
    if (OMPI_SUCCESS == rc
        && NBRHOOD_DIAGNOSTIC_NOT_EVERYWHERE == module->record->info->diagnostic) {
        module->alltoallvs_displaced[0] = module->alltoallvs_displaced[1] = true;
        rc = module->takes_allgathers ? nbrhood_allgathers_stay_out(module) : OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS == rc) {
        nbrhood_report_diagnostic(module->comm, module->record->info,
                                  0 == ompi_comm_rank(module->comm));
        nbrhood_verbose_topology(module->record);
        nbrhood_tell_recording(module, &recording);
    }
    return rc;
}

static int tell_absence(ompi_communicator_t *comm)
{
    nbrhood_topology_info info;
    const int rc = nbrhood_tell_absence(comm, &info);
    if (OMPI_SUCCESS == rc) {
        nbrhood_report_diagnostic(comm, &info, 0 == ompi_comm_rank(comm));
    }
    return rc;
}

static void tell_stalled(const void *context, double seconds)
{
    ompi_communicator_t *comm = *(ompi_communicator_t *const *) context;
    opal_show_help("help-mpi-coll-nbrhood.txt", "creation stalled", true, ompi_comm_rank(comm),
                   ompi_comm_size(comm), nbrhood_communicator_number(comm), seconds);
}

/* If info keys differ, some ranks do not come here, and the others wait forever. */
static int build_with_all(ompi_communicator_t *comm, mca_coll_nbrhood_module_t *module,
                          nbrhood_shared_t *shared)
{
    nbrhood_waiter_t waiter = {
        .wait = NBRHOOD_WAIT_CREATION, .tell = tell_stalled, .context = &comm};
    nbrhood_watch(&waiter);
    const int rc = NULL != module ? create(module, shared) : tell_absence(comm);
    nbrhood_unwatch(&waiter);
    return rc;
}

int mca_coll_nbrhood_topology_created(ompi_communicator_t *comm,
                                      const mca_coll_nbrhood_keys_t *keys, void **result,
                                      void (**destroy)(void *topology))
{
    const double start = nbrhood_now();
    mca_coll_nbrhood_module_t *module = nbrhood_module_of(comm);
    int rc = OMPI_SUCCESS;

    *result = NULL;
    nbrhood_build_release();
    nbrhood_shared_t *shared = nbrhood_make_shared(comm, keys);
    if (NULL == shared) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const bool builds =
        nbrhood_builds_at_creation(shared->choice, nbrhood_number(NBRHOOD_PARAMETER_BUILD_AFTER));
    if (NULL == module) {
        free(shared);
        return builds ? build_with_all(comm, NULL, NULL) : OMPI_SUCCESS;
    }
    /* From here on the topo module owns the shared state, even if this communicator fails. */
    *result = shared;
    *destroy = destroy_shared;
    if (builds) {
        rc = build_with_all(comm, module, shared);
    }
    module->shared = shared;
    if (OMPI_SUCCESS != rc) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "creation failed", true, rc);
        return rc;
    }
    const double seconds = nbrhood_now() - start;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    module->creation_seconds = seconds;
    if (NULL != module->record) {
        module->record->creation_seconds = seconds;
    }
    ++nbrhood_totals.topologies;
    nbrhood_totals.creation_seconds += seconds;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return OMPI_SUCCESS;
}
