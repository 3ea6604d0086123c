/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* State that all files of the glue share: the component's state, the component's module of a
 * communicator, and the totals of this process with their performance variables (MPI_T).
 */
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_request.h"

#include "opal/mca/base/mca_base_pvar.h"

nbrhood_state_t nbrhood_state;
nbrhood_totals_t nbrhood_totals;

/* One rank suffices: choices and the total number of messages are the same on all ranks. Its calls
 * and bytes are its own.
 */
bool nbrhood_is_reporting_rank(void)
{
    return 0 == OMPI_PROC_MY_NAME->vpid;
}

/* Searches all selected modules, because another component may have displaced this one in the
 * function table. */
mca_coll_nbrhood_module_t *nbrhood_module_of(const ompi_communicator_t *comm)
{
    mca_coll_base_avail_coll_t *available;
    OPAL_LIST_FOREACH(available, comm->c_coll->module_list, mca_coll_base_avail_coll_t)
    {
        if (0 == strcmp(available->ac_component_name, "nbrhood")) {
            return (mca_coll_nbrhood_module_t *) available->ac_module;
        }
    }
    return NULL;
}

uint32_t nbrhood_presence(const mca_coll_nbrhood_module_t *module)
{
    if (NULL == module) {
        return 0;
    }
    uint32_t bit = 1, presence = 1;
#define LOOK(name)                                                                                 \
    bit <<= 1;                                                                                     \
    presence |= module->comm->c_coll->coll_##name##_module == &module->super ? bit : 0;
    NBRHOOD_FOR_ALL_SLOTS(LOOK)
    return presence;
}

/* ---- Totals of this process. The performance variables are bound to no object and run from the
 * start, so that reading one needs no preparation. The values are plain counters; under
 * MPI_THREAD_MULTIPLE they change under the component's lock ---- */

static const mca_base_component_t *component;

static void register_pvar(const char *name, const char *help, int class, mca_base_var_type_t type,
                          void *value)
{
    (void) mca_base_component_pvar_register(
        component, name, help, OPAL_INFO_LVL_4, class, type, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, NULL, NULL, NULL, value);
}

void nbrhood_register_pvars(const mca_base_component_t *of)
{
    component = of;
    const mca_base_var_type_t number = MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG;
    register_pvar("calls",
                  "Neighbourhood operations started by this process and served by the component: "
                  "blocking and nonblocking calls, and starts of persistent requests, on all "
                  "communicators. Operations handed to Open MPI's own functions are not counted",
                  MCA_BASE_PVAR_CLASS_COUNTER, number, &nbrhood_totals.calls);
    register_pvar("calls_on_device",
                  "Neighbourhood operations that passed addresses on a device to Open MPI's "
                  "messaging layer",
                  MCA_BASE_PVAR_CLASS_COUNTER, number, &nbrhood_totals.calls_on_device);
    register_pvar("allgathers",
                  "Operations of MPI_Allgather and its variants that this process started and the "
                  "component served. Neither they nor their messages are in the other counters",
                  MCA_BASE_PVAR_CLASS_COUNTER, number, &nbrhood_totals.allgathers);
    register_pvar("alltoallvs",
                  "Operations of MPI_Alltoallv, MPI_Alltoallw and their variants that this process "
                  "started and the component served. They are in no other counter; messages "
                  "between pairs outside a graph neither",
                  MCA_BASE_PVAR_CLASS_COUNTER, number, &nbrhood_totals.alltoallvs);
    register_pvar(
        "messages_local",
        "Messages that this process sent within its region in neighbourhood operations, relayed "
        "messages included, on all communicators",
        MCA_BASE_PVAR_CLASS_COUNTER, number, &nbrhood_totals.messages[0]);
    register_pvar(
        "messages_nonlocal",
        "Messages that this process sent to other regions in neighbourhood operations, relayed "
        "messages included, on all communicators",
        MCA_BASE_PVAR_CLASS_COUNTER, number, &nbrhood_totals.messages[1]);
    register_pvar("bytes_local",
                  "Bytes of the messages that messages_local counts, headers of relayed messages "
                  "included",
                  MCA_BASE_PVAR_CLASS_AGGREGATE, number, &nbrhood_totals.bytes[0]);
    register_pvar(
        "bytes_nonlocal",
        "Bytes of the messages that messages_nonlocal counts, headers of relayed messages "
        "included",
        MCA_BASE_PVAR_CLASS_AGGREGATE, number, &nbrhood_totals.bytes[1]);
    register_pvar("topologies",
                  "Topologies that this process created with the component; duplicates of a "
                  "communicator share one",
                  MCA_BASE_PVAR_CLASS_COUNTER, number, &nbrhood_totals.topologies);
    register_pvar(
        "inherited",
        "Collectives of duplicates that are served from the first call on as those of the "
        "communicator that was duplicated, without a build of their own",
        MCA_BASE_PVAR_CLASS_COUNTER, number, &nbrhood_totals.inherited);
    register_pvar("creation_time", "Seconds that the component took to create topologies, in all",
                  MCA_BASE_PVAR_CLASS_TIMER, MCA_BASE_VAR_TYPE_DOUBLE,
                  &nbrhood_totals.creation_seconds);
    register_pvar("buffer_bytes",
                  "Most bytes that the buffers of all plans of this process had at one time. "
                  "Sampled in the 1st, 2nd, 4th, 8th ... start of each plan and at its end",
                  MCA_BASE_PVAR_CLASS_HIGHWATERMARK, number, &nbrhood_totals.most_plan_bytes);
}

void nbrhood_measure_plan(nbrhood_request_t *request, size_t bytes)
{
    nbrhood_totals.plan_bytes += bytes;
    nbrhood_totals.plan_bytes -= request->plan_bytes;
    request->plan_bytes = bytes;
    if (nbrhood_totals.plan_bytes > nbrhood_totals.most_plan_bytes) {
        nbrhood_totals.most_plan_bytes = nbrhood_totals.plan_bytes;
    }
}
