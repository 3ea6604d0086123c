/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* coll/nbrhood: neighbourhood collectives by patterns built at topology creation or later. A module
 * is the component's state of one communicator. See docs/architecture.md for the path of a call
 * through these files.
 */
#ifndef COLL_NBRHOOD_MODULE_H
#define COLL_NBRHOOD_MODULE_H

#include "coll_nbrhood_compat.h"

#include "core/capi/nbrhood_topology.h"

#include "ompi/mca/coll/base/coll_base_functions.h"

/* State that communicators with the same topology share; the topo module owns it. */
typedef struct nbrhood_shared_t {
    nbrhood_topology *topology;      /* NULL: created with the first call of a collective */
    int choice[NBRHOOD_COLLECTIVES]; /* from parameters and info keys */
    unsigned block_bytes;
    uint32_t reuse; /* least number of calls of a collective that the program declares */
    int allgather_choice;
} nbrhood_shared_t;

/* Does SOMETHING(name) for the fifteen slots of a module. */
#define NBRHOOD_FOR_ALL_SLOTS(SOMETHING)                                                           \
    SOMETHING(neighbor_allgather)                                                                  \
    SOMETHING(neighbor_allgatherv)                                                                 \
    SOMETHING(neighbor_alltoall)                                                                   \
    SOMETHING(neighbor_alltoallv)                                                                  \
    SOMETHING(neighbor_alltoallw)                                                                  \
    SOMETHING(ineighbor_allgather)                                                                 \
    SOMETHING(ineighbor_allgatherv)                                                                \
    SOMETHING(ineighbor_alltoall)                                                                  \
    SOMETHING(ineighbor_alltoallv)                                                                 \
    SOMETHING(ineighbor_alltoallw)                                                                 \
    SOMETHING(neighbor_allgather_init)                                                             \
    SOMETHING(neighbor_allgatherv_init)                                                            \
    SOMETHING(neighbor_alltoall_init)                                                              \
    SOMETHING(neighbor_alltoallv_init)                                                             \
    SOMETHING(neighbor_alltoallw_init)

/* The same for the slots that it takes only on communicators that span nodes. */
#define NBRHOOD_FOR_ALLGATHER_SLOTS(SOMETHING)                                                     \
    SOMETHING(allgather)                                                                           \
    SOMETHING(iallgather)                                                                          \
    SOMETHING(allgather_init)

#define NBRHOOD_FOR_ALLTOALLV_SLOTS(SOMETHING)                                                     \
    SOMETHING(alltoallv)                                                                           \
    SOMETHING(ialltoallv)                                                                          \
    SOMETHING(alltoallv_init)                                                                      \
    SOMETHING(alltoallw)                                                                           \
    SOMETHING(ialltoallw)                                                                          \
    SOMETHING(alltoallw_init)

/* The functions and modules that a module displaced; the modules are retained. Not a whole table
 * of functions, because every communicator has this structure. */
typedef struct nbrhood_displaced_t {
#define NBRHOOD_DISPLACED(name)                                                                    \
    __typeof__(((mca_coll_base_comm_coll_t *) NULL)->coll_##name) coll_##name;                     \
    __typeof__(((mca_coll_base_comm_coll_t *) NULL)->coll_##name##_module) coll_##name##_module;
    NBRHOOD_FOR_ALL_SLOTS(NBRHOOD_DISPLACED)
    NBRHOOD_FOR_ALLGATHER_SLOTS(NBRHOOD_DISPLACED)
    NBRHOOD_FOR_ALLTOALLV_SLOTS(NBRHOOD_DISPLACED)
} nbrhood_displaced_t;

/* Ranks of a communicator, ascending. */
typedef struct nbrhood_rank_list_t {
    int *ranks;
    size_t count;
} nbrhood_rank_list_t;

typedef struct mca_coll_nbrhood_module_t {
    mca_coll_base_module_t super;
    nbrhood_displaced_t displaced;
    bool enabled;
    ompi_communicator_t *comm;
    nbrhood_shared_t *shared; /* NULL if the communicator has no topology */
    bool is_duplicate;
    /* A module that is not on its communicator, but serves an alltoallv or alltoallw of it as the
     * neighbourhood collective of a graph of pairs (coll_nbrhood_pair_graph.c):
     * NBRHOOD_ALL_ALLTOALLV or NBRHOOD_ALL_ALLTOALLW, and the number of the graph. Otherwise 0. */
    int stands_for;
    uint32_t graph_number;
    double creation_seconds;
    /* This field and the next ones are set with the first call of a neighbourhood collective. */
    nbrhood_topology *topology;
    nbrhood_rank_list_t local;          /* the ranks on this node */
    nbrhood_rank_list_t region;         /* may be shared with `local` or the topology */
    nbrhood_rank_list_t synthetic_node; /* empty until needed */
    bool region_is_own;                 /* the module frees it */
    bool spans_nodes;
    bool synthetic; /* the topology was created for the synthetic machine */
    struct nbrhood_record_t *record;
    uint32_t nonblocking_calls;
    uint32_t persistent_inits;
    struct nbrhood_calls_t *calls[NBRHOOD_COLLECTIVES]; /* NULL before the first one */
    bool takes_allgathers;                              /* the module has these slots, too */
    struct nbrhood_allgathers_t *allgathers;            /* NULL before the first one */
    bool takes_alltoallvs;                              /* likewise */
    bool alltoallvs_displaced[2]; /* alltoallv, alltoallw: left to the displaced module for good */
    struct nbrhood_alltoallvs_t *alltoallvs[2]; /* NULL before the first one, and after the last */
    uint32_t alltoallv_inits;                   /* that are served, of both */
} mca_coll_nbrhood_module_t;
OBJ_CLASS_DECLARATION(mca_coll_nbrhood_module_t);

/* The collective that the application called: the module's own one, or the one it stands for. */
static inline int nbrhood_called(const mca_coll_nbrhood_module_t *module, int collective)
{
    return 0 != module->stands_for ? module->stands_for : collective;
}

/* Called for each message. The ranks of a node are mostly consecutive; then there is no search.
 */
static inline bool nbrhood_lists(const nbrhood_rank_list_t *list, int rank)
{
    const int *first = list->ranks;
    size_t count = list->count;
    if (0 == count || rank < first[0] || rank > first[count - 1]) {
        return false;
    }
    if ((size_t) (first[count - 1] - first[0]) == count - 1) {
        return true;
    }
    while (count > 1) {
        const size_t half = count / 2;
        first += first[half] <= rank ? half : 0;
        count -= half;
    }
    return first[0] == rank;
}
/* Whether a rank is on this node, and whether its messages count as local. On a synthetic
 * machine a region need not lie on one real node. */
static inline bool nbrhood_on_node(const mca_coll_nbrhood_module_t *module, int rank)
{
    return nbrhood_lists(&module->local, rank);
}
static inline bool nbrhood_in_region(const mca_coll_nbrhood_module_t *module, int rank)
{
    return nbrhood_lists(&module->region, rank);
}

/* coll_nbrhood_module.c */
mca_coll_base_module_t *mca_coll_nbrhood_comm_query(struct ompi_communicator_t *comm,
                                                    int *priority);
void mca_coll_nbrhood_set_functions(mca_coll_base_module_t *module); /* coll_nbrhood_entry.c */

#endif
