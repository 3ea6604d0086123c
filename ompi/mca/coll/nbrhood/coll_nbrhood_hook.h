/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The hook through which topo/nbrhood calls coll/nbrhood. Components are loaded into name spaces of
 * their own, so neither can call the other by symbol. The topo component finds the coll component
 * in the list of the coll framework and calls through the structure below.
 */
#ifndef COLL_NBRHOOD_HOOK_H
#define COLL_NBRHOOD_HOOK_H

#include "ompi_config.h"

#include <string.h>

#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/coll.h"

/* Raised when the structure changes. */
#define MCA_COLL_NBRHOOD_HOOK_VERSION 5

/* Values of the info keys of one communicator; NULL: not given. */
typedef struct mca_coll_nbrhood_keys_t {
    const char *algorithm;           /* nbrhood_algorithm */
    const char *block_bytes;         /* nbrhood_block_bytes */
    const char *reuse;               /* nbrhood_reuse */
    const char *allgather_algorithm; /* nbrhood_allgather_algorithm */
} mca_coll_nbrhood_keys_t;

typedef struct mca_coll_nbrhood_hook_t {
    int version;
    /* Tells that topo/nbrhood was initialised, with this priority. coll/nbrhood opens the topo
     * framework when it is opened itself, so that it can tell the other processes in MPI_Init. */
    void (*topo_initialised)(int priority);
    /* Whether all processes of a communicator's group have the same two components. All processes
     * that ask get the same answer. Sends no message. If it is false, no topology module may be
     * offered for the communicator, or for others with some of its processes. */
    bool (*everywhere)(ompi_group_t *group);
    /* Builds the patterns of a new communicator. Collective over it, even if coll/nbrhood was
     * not selected for it; then *topology stays NULL. Otherwise the caller calls
     * (*destroy)(*topology) once. */
    int (*topology_created)(ompi_communicator_t *comm, const mca_coll_nbrhood_keys_t *keys,
                            void **topology, void (**destroy)(void *topology));
} mca_coll_nbrhood_hook_t;

/* The component seen from topo/nbrhood: Open MPI's structure, then the hook. */
typedef struct mca_coll_nbrhood_component_t {
    mca_coll_base_component_t super;
    mca_coll_nbrhood_hook_t hook;
} mca_coll_nbrhood_component_t;

/* The hook of the coll component of this process, or NULL. */
static inline const mca_coll_nbrhood_hook_t *mca_coll_nbrhood_find_hook(void)
{
    mca_base_component_list_item_t *item;
    OPAL_LIST_FOREACH(item, &ompi_coll_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        if (0 == strcmp(item->cli_component->mca_component_name, "nbrhood")) {
            const mca_coll_nbrhood_component_t *component =
                (const mca_coll_nbrhood_component_t *) item->cli_component;
            return MCA_COLL_NBRHOOD_HOOK_VERSION == component->hook.version ? &component->hook
                                                                            : NULL;
        }
    }
    return NULL;
}

#endif
