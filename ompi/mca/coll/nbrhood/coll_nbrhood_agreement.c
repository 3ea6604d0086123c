/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The agreement on allgathers: all ranks of a communicator learn where all of them run. The
 * displaced module gathers these facts, unless a larger group has an agreement.
 */
#include "coll_nbrhood_allgather.h"
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_topology.h"

#include "opal/util/output.h"

/* Bytes of the largest result that auto serves. Since 5.0 Open MPI's coll/han, which is also
 * aware of nodes, is as fast or faster for larger results (docs/papers/locality-aware-bruck.md). */
enum { MOST_RESULT = NBRHOOD_OPEN_MPI < 500 ? 1 << 24 : 1 << 15 };

void nbrhood_allgathers_free(nbrhood_allgathers_t *allgathers)
{
    if (NULL == allgathers) {
        return;
    }
    for (int row = 0; row < NBRHOOD_MOST_ALLGATHER_ROWS; ++row) {
        nbrhood_requests_free(&allgathers->idle[row]);
        if (NULL != allgathers->blocking[row]) {
            OBJ_RELEASE(allgathers->blocking[row]);
        }
    }
    nbrhood_allgather_destroy(allgathers->agreed);
    free(allgathers);
}

bool nbrhood_allgathers_have(mca_coll_nbrhood_module_t *module)
{
    if (NULL == module->allgathers) {
        module->allgathers = calloc(1, sizeof *module->allgathers);
    }
    return NULL != module->allgathers;
}

int nbrhood_allgathers_stay_out(mca_coll_nbrhood_module_t *module)
{
    if (!nbrhood_allgathers_have(module)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    module->allgathers->state = NBRHOOD_ALLGATHERS_NEVER;
    return OMPI_SUCCESS;
}

/* A process by its number in the job; the component serves no communicators of several jobs. */
static uint64_t name_of(const ompi_communicator_t *comm, int rank)
{
    return ompi_group_get_proc_name(comm->c_local_group, rank).vpid;
}

/* The entry of this rank. The number of its node is that of the lowest process of the communicator
 * on the node. Requires the list of the ranks on this node. */
static nbrhood_allgather_member own_member(mca_coll_nbrhood_module_t *module)
{
    const nbrhood_place place = nbrhood_find_place(module);
    nbrhood_allgather_member own = {.node = place.node,
                                    .ranks_per_core = (float) nbrhood_ranks_per_core(),
                                    .threads = opal_using_threads(),
                                    .parameters = nbrhood_parameters_number()};
    memcpy(own.domains, place.domains, sizeof own.domains);
    if (!module->synthetic) {
        own.node = (int) name_of(module->comm, module->local.ranks[0]);
    }
    return own;
}

/* The names of all ranks; NULL if there is no memory. */
static uint64_t *find_names(ompi_communicator_t *comm)
{
    const size_t ranks = (size_t) ompi_comm_size(comm);
    uint64_t *names = malloc(ranks * sizeof *names);
    for (size_t rank = 0; NULL != names && rank < ranks; ++rank) {
        names[rank] = name_of(comm, (int) rank);
    }
    return names;
}

/* Gathers the entries of all ranks. A rank without memory cannot tell the others. */
static int ask(mca_coll_nbrhood_module_t *module, const uint64_t *names,
               nbrhood_allgather_member *members)
{
    const size_t ranks = (size_t) ompi_comm_size(module->comm);
    if (nbrhood_agreements_find(names, ranks, members)) {
        return OMPI_SUCCESS;
    }
    const nbrhood_allgather_member own = own_member(module);
    const int rc =
        module->displaced.coll_allgather(&own, sizeof own, MPI_BYTE, members, sizeof own, MPI_BYTE,
                                         module->comm, module->displaced.coll_allgather_module);
    if (OMPI_SUCCESS == rc && !nbrhood_agreements_add(names, ranks, members)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return rc;
}

/* The algorithm of a call also depends on parameters that affect builds. */
static bool have_equal_parameters(const nbrhood_allgather_member *members, size_t ranks)
{
    size_t rank = 1;
    while (rank < ranks && members[rank].parameters == members[0].parameters) {
        ++rank;
    }
    return rank == ranks;
}

static void tell_unequal(ompi_communicator_t *comm)
{
    static bool told;
    if (!told && 0 == ompi_comm_rank(comm)
        && nbrhood_job_builds()) { /* otherwise MPI_Init reported it */
        nbrhood_differences_show("parameters differ", comm->c_local_group);
    }
    told = true;
}

static void tell(const mca_coll_nbrhood_module_t *module)
{
    const nbrhood_allgather *agreed = module->allgathers->agreed;
    const int row = nbrhood_allgather_row(agreed, 1);
    const size_t most = nbrhood_allgather_most_bytes(agreed);
    char sizes[64] = "";
    if (!nbrhood_is_reporting_rank()) {
        return;
    }
    if (row >= 0 && 0 != most) {
        snprintf(sizes, sizeof sizes, " up to %lu bytes, above default", (unsigned long) most);
    }
    opal_output_verbose(1, nbrhood_state.output,
                        "nbrhood: communicator %u (%d ranks, %lu regions): allgather: %s%s",
                        (unsigned) nbrhood_communicator_number(module->comm),
                        ompi_comm_size(module->comm),
                        (unsigned long) nbrhood_allgather_regions(agreed),
                        nbrhood_allgather_choice_name(row < 0 ? NBRHOOD_ALLGATHER_DEFAULT
                                                              : NBRHOOD_ALLGATHER_FIRST_ROW + row),
                        sizes);
}

/* The choice that the parameter names or, if given, the info key with which the topology or the
 * duplicate was created.
 */
static int find_choice(const mca_coll_nbrhood_module_t *module)
{
    ompi_communicator_t *comm = module->comm;
    char value[NBRHOOD_INFO_LENGTH];
    const bool has_key =
        nbrhood_info_get(comm->super.s_info, "nbrhood_allgather_algorithm", value, sizeof value);
    return nbrhood_allgather_choice(comm, has_key ? value : NULL,
                                    NULL != module->shared
                                        ? module->shared->allgather_choice
                                        : nbrhood_number(NBRHOOD_PARAMETER_ALLGATHER_ALGORITHM));
}

int nbrhood_allgathers_agree(mca_coll_nbrhood_module_t *module)
{
    nbrhood_allgathers_t *own = module->allgathers;
    const size_t ranks = (size_t) ompi_comm_size(module->comm);
    if (!nbrhood_everywhere_without_topology(module->comm->c_local_group)) {
        own->state = NBRHOOD_ALLGATHERS_NEVER;
        return OMPI_SUCCESS;
    }
    uint64_t *names = find_names(module->comm);
    nbrhood_allgather_member *members = malloc(ranks * sizeof *members);
    int rc = NULL != names && NULL != members ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (OMPI_SUCCESS == rc && NULL == module->local.ranks) {
        rc = nbrhood_find_local_ranks(module);
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    if (OMPI_SUCCESS == rc) {
        rc = ask(module, names, members);
    }
    const bool equal = OMPI_SUCCESS == rc && have_equal_parameters(members, ranks);
    if (equal) {
        own->agreed =
            nbrhood_allgather_create(ompi_comm_rank(module->comm), ranks, members,
                                     nbrhood_state.values, find_choice(module), MOST_RESULT);
        rc = NULL != own->agreed ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
    }
    free(names);
    free(members);
    if (OMPI_SUCCESS == rc && equal) {
        own->state = NBRHOOD_ALLGATHERS_AGREED;
        tell(module);
    } else if (OMPI_SUCCESS == rc) {
        own->state = NBRHOOD_ALLGATHERS_NEVER;
        tell_unequal(module->comm);
    }
    return rc;
}
