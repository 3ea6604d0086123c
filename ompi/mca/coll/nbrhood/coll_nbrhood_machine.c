/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The machine: where this process and the other ranks of a communicator run, and the network
 * between the nodes, which decides the default costs.
 */
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_state.h"

#include <dirent.h>
#include <unistd.h>

#include "ompi/mca/pml/base/base.h"
#include "ompi/proc/proc.h"
#include "opal/mca/btl/base/base.h"
#include "opal/util/output.h"

#if NBRHOOD_HAVE_HWLOC
#include "opal/mca/hwloc/base/base.h"

#include "coll_nbrhood_domain.h"
#endif

#if NBRHOOD_HAVE_HWLOC

/* The socket, the NUMA domain and the L3 cache that contain all cores to which this process is
 * bound. The topology is the one that Open MPI shares between the processes of a node. Open MPI
 * 4.1 has loaded it by now, 5.0 not always. Then it is loaded only if parameters ask for such
 * domains, because that can take long in processes that mpirun did not start. */
static void find_domains(nbrhood_place *place)
{
    if (NULL == opal_hwloc_topology && !nbrhood_asks_for_domains(nbrhood_state.values)) {
        return;
    }
    if (OPAL_SUCCESS != opal_hwloc_base_get_topology()) {
        return;
    }
    hwloc_topology_t topology = opal_hwloc_topology;
    hwloc_bitmap_t cores = hwloc_bitmap_alloc();
    if (NULL != cores && 0 == hwloc_get_cpubind(topology, cores, HWLOC_CPUBIND_PROCESS)) {
        hwloc_bitmap_and(cores, cores, hwloc_get_root_obj(topology)->cpuset);
        place->domains[NBRHOOD_REGION_SOCKET - 1] =
            nbrhood_domain_of(topology, HWLOC_OBJ_PACKAGE, cores);
        place->domains[NBRHOOD_REGION_NUMA - 1] =
            nbrhood_domain_of(topology, HWLOC_OBJ_NUMANODE, cores);
        place->domains[NBRHOOD_REGION_L3 - 1] = nbrhood_l3_of(topology, cores);
    }
    hwloc_bitmap_free(cores);
}

#else

static void find_domains(nbrhood_place *place)
{
    (void) place;
}

#endif

/* The place from this process's binding when it initialised MPI; coll_nbrhood_gpu.c adds the GPU.
 */
static nbrhood_place own_place;

/* The synthetic machine of coll_nbrhood_machine; NULL: not given. */
static nbrhood_machine *synthetic;
static bool told_too_small;
static double ranks_per_core;

void nbrhood_machine_open(void)
{
    char why[256];
    /* Found here, not when needed, because loading a topology is not thread-safe. */
    for (int kind = NBRHOOD_REGION_SOCKET; kind < NBRHOOD_REGION_KINDS; ++kind) {
        own_place.domains[kind - 1] = NBRHOOD_NO_DOMAIN;
    }
    find_domains(&own_place);
    told_too_small = false;
    /* Asked once, because the kernel's answer takes longer than the creation of a communicator. */
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    ranks_per_core = (double) nbrhood_local_processes() / (double) (cores > 0 ? cores : 1);
    const char *const text = nbrhood_text(NBRHOOD_PARAMETER_MACHINE);
    synthetic = NULL != text ? nbrhood_machine_create(text, why, sizeof why) : NULL;
    if (NULL != synthetic) {
        ranks_per_core = 1; /* a synthetic machine has a core for each slot */
    } else if (NULL != text) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "bad machine", true, text, why);
    }
    nbrhood_gpu_open(synthetic);
}

void nbrhood_machine_close(void)
{
    nbrhood_gpu_close();
    nbrhood_machine_destroy(synthetic);
    synthetic = NULL;
}

double nbrhood_ranks_per_core(void)
{
    return ranks_per_core;
}

/* ---- The synthetic machine ---- */

/* The number of a rank in its job. (A communicator may contain any part of the job in any
 * order.) */
static opal_process_name_t name_of(const mca_coll_nbrhood_module_t *module, int rank)
{
    return ompi_group_get_proc_name(module->comm->c_local_group, rank);
}

static nbrhood_place synthetic_place(const mca_coll_nbrhood_module_t *module, int rank)
{
    const int slot = (int) name_of(module, rank).vpid;
    nbrhood_place place = nbrhood_machine_place(synthetic, slot);
    nbrhood_gpu_place(&place, slot % nbrhood_machine_slots_of_node(synthetic));
    return place;
}

/* Whether the synthetic machine has a place for each rank of a communicator. All ranks see the
 * same names, so all get the same answer. */
static bool synthetic_holds(const mca_coll_nbrhood_module_t *module)
{
    const opal_process_name_t first = name_of(module, 0);
    if (NULL == synthetic) {
        return false;
    }
    for (int rank = 0; rank < ompi_comm_size(module->comm); ++rank) {
        const opal_process_name_t name = name_of(module, rank);
        const bool same_job = name.jobid == first.jobid;
        if (same_job && name.vpid < (uint32_t) nbrhood_machine_slots(synthetic)) {
            continue;
        }
        if (!told_too_small && 0 == ompi_comm_rank(module->comm)) {
            told_too_small = true;
            opal_show_help("help-mpi-coll-nbrhood.txt", "machine too small", true,
                           nbrhood_text(NBRHOOD_PARAMETER_MACHINE),
                           nbrhood_machine_slots(synthetic),
                           same_job ? "has ranks beyond that" : "spans several jobs");
        }
        return false;
    }
    return true;
}

/* ---- The real machine ---- */

static bool on_real_node(ompi_communicator_t *comm, int rank)
{
    const ompi_proc_t *proc = ompi_group_peer_lookup_existing(comm->c_local_group, rank);
    return rank == ompi_comm_rank(comm)
           || (NULL != proc && OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags));
}

/* The location of another process of this node, from the launcher. */
static bool in_own_region(const mca_coll_nbrhood_module_t *module, int rank)
{
    const ompi_proc_t *proc = ompi_group_peer_lookup_existing(module->comm->c_local_group, rank);
    switch (nbrhood_number(NBRHOOD_PARAMETER_REGION)) {
    case NBRHOOD_REGION_NODE:
        return true;
    case NBRHOOD_REGION_SOCKET:
        return NULL == proc || OPAL_PROC_ON_LOCAL_SOCKET(proc->super.proc_flags);
    case NBRHOOD_REGION_NUMA:
        return NULL == proc || OPAL_PROC_ON_LOCAL_NUMA(proc->super.proc_flags);
    case NBRHOOD_REGION_L3:
        return NULL == proc || OPAL_PROC_ON_LOCAL_L3CACHE(proc->super.proc_flags);
    default:
        return false;
    }
}

/* ---- Both ---- */

/* Adds a rank. Memory grows with the ranks of a node, not with those of the communicator. */
static bool add(nbrhood_rank_list_t *list, int rank)
{
    if (0 == (list->count & (list->count - 1))) {
        const size_t room = 0 == list->count ? 1 : 2 * list->count;
        int *ranks = realloc(list->ranks, room * sizeof *ranks);
        if (NULL == ranks) {
            return false;
        }
        list->ranks = ranks;
    }
    list->ranks[list->count++] = rank;
    return true;
}

static void forget(nbrhood_rank_list_t *list)
{
    free(list->ranks);
    *list = (nbrhood_rank_list_t){NULL, 0};
}

bool nbrhood_spans_nodes(ompi_communicator_t *comm)
{
    int rank = 0;
    while (rank < ompi_comm_size(comm) && NULL == synthetic && on_real_node(comm, rank)) {
        ++rank;
    }
    return rank < ompi_comm_size(comm);
}

int nbrhood_find_local_ranks(mca_coll_nbrhood_module_t *module)
{
    const int size = ompi_comm_size(module->comm);
    for (int rank = 0; rank < size; ++rank) {
        if (on_real_node(module->comm, rank) && !add(&module->local, rank)) {
            forget(&module->local);
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    module->spans_nodes = module->local.count < (size_t) size;
    return OMPI_SUCCESS;
}

const int *nbrhood_node_ranks(mca_coll_nbrhood_module_t *module, size_t *count)
{
    nbrhood_rank_list_t *list = module->synthetic ? &module->synthetic_node : &module->local;
    const int size = 0 == list->count ? ompi_comm_size(module->comm) : 0;
    for (int rank = 0; rank < size; ++rank) {
        if (NBRHOOD_ELSEWHERE != nbrhood_locality(module, rank) && !add(list, rank)) {
            forget(list);
            return NULL;
        }
    }
    *count = list->count;
    return list->ranks;
}

/* If the topology does not know the ranks of the region, takes those that this rank knows. */
int nbrhood_find_region(mca_coll_nbrhood_module_t *module, const nbrhood_topology *topology)
{
    const int *ranks;
    size_t count = nbrhood_topology_region(topology, &ranks);
    if (0 == count) {
        module->synthetic = synthetic_holds(module);
        ranks = nbrhood_node_ranks(module, &count);
        module->region_is_own = NBRHOOD_REGION_NODE != nbrhood_number(NBRHOOD_PARAMETER_REGION);
    }
    if (NULL == ranks) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (!module->region_is_own) {
        module->region = (nbrhood_rank_list_t){(int *) ranks, count};
        return OMPI_SUCCESS;
    }
    for (size_t i = 0; i < count; ++i) {
        if (NBRHOOD_SAME_REGION == nbrhood_locality(module, ranks[i])
            && !add(&module->region, ranks[i])) {
            forget(&module->region);
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    return OMPI_SUCCESS;
}

void nbrhood_free_rank_lists(mca_coll_nbrhood_module_t *module)
{
    if (module->region_is_own) {
        forget(&module->region);
    }
    forget(&module->synthetic_node);
    forget(&module->local);
}

nbrhood_place nbrhood_find_place(mca_coll_nbrhood_module_t *module)
{
    module->synthetic = synthetic_holds(module);
    if (module->synthetic) {
        return synthetic_place(module, ompi_comm_rank(module->comm));
    }
    nbrhood_place place = own_place;
    place.node = module->local.ranks[0]; /* the lowest rank of a node names it */
    nbrhood_gpu_place(&place, (int) nbrhood_local_number());
    return place;
}

int nbrhood_locality(const mca_coll_nbrhood_module_t *module, int rank)
{
    if (module->synthetic) {
        const nbrhood_place own = synthetic_place(module, ompi_comm_rank(module->comm));
        const nbrhood_place other = synthetic_place(module, rank);
        const int kind = nbrhood_number(NBRHOOD_PARAMETER_REGION);
        return own.node != other.node ? NBRHOOD_ELSEWHERE
               : NBRHOOD_REGION_NODE == kind || own.domains[kind - 1] == other.domains[kind - 1]
                   ? NBRHOOD_SAME_REGION
                   : NBRHOOD_SAME_NODE;
    }
    return !nbrhood_on_node(module, rank) ? NBRHOOD_ELSEWHERE
           : in_own_region(module, rank)  ? NBRHOOD_SAME_REGION
                                          : NBRHOOD_SAME_NODE;
}

/* ---- The network ---- */

/* Whether this node has an InfiniBand adapter, or an adapter with its interface. */
static bool has_verbs(void)
{
    DIR *devices = opendir("/sys/class/infiniband");
    bool any = false;
    const struct dirent *entry;
    while (NULL != devices && !any && NULL != (entry = readdir(devices))) {
        any = '.' != entry->d_name[0];
    }
    if (NULL != devices) {
        closedir(devices);
    }
    return any;
}

/* Whether ob1 has TCP and nothing faster to reach other nodes. */
static bool btls_are_tcp(void)
{
    static const char *const inside[] = {"self", "sm", "vader", "smcuda"};
    const mca_btl_base_selected_module_t *selected;
    bool tcp = false;
    OPAL_LIST_FOREACH(selected, &mca_btl_base_modules_initialized, mca_btl_base_selected_module_t)
    {
        const char *name = selected->btl_component->btl_version.mca_component_name;
        bool other = 0 != strcmp(name, "tcp");
        tcp = tcp || !other;
        for (size_t i = 0; i < sizeof inside / sizeof inside[0]; ++i) {
            other = other && 0 != strcmp(name, inside[i]);
        }
        if (other) {
            return false;
        }
    }
    return tcp;
}

bool nbrhood_over_tcp(void)
{
    static enum { NOT_LOOKED, NO, YES } found = NOT_LOOKED;
    if (NOT_LOOKED == found) {
        const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;
        found =
            (0 == strcmp(pml, "ucx") && !has_verbs()) || (0 == strcmp(pml, "ob1") && btls_are_tcp())
                ? YES
                : NO;
    }
    return YES == found;
}
