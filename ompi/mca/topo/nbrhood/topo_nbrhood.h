/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* topo/nbrhood: the companion of coll/nbrhood. Open MPI attaches a topology to a communicator only
 * after the collective components were selected, so coll/nbrhood cannot see the graph by itself;
 * this component tells it about new topologies, and keeps its patterns as long as the topology
 * lives.
 */
#ifndef MCA_TOPO_NBRHOOD_H
#define MCA_TOPO_NBRHOOD_H

#include "ompi_config.h"

#include "ompi/group/group.h"
#include "ompi/mca/topo/topo.h"

BEGIN_C_DECLS

/* A topology module. Communicators made by MPI_Comm_dup and its kin share it, and thus the pattern,
 * by reference counting. Communicators of other groups, such as those of MPI_Comm_create_group,
 * share it, too, but cannot use the pattern.
 */
typedef struct mca_topo_nbrhood_module_t {
    mca_topo_base_module_t super;
    void *topology;                  /* of coll/nbrhood; NULL if that is not on the communicator */
    void (*destroy)(void *topology); /* frees it, called by this module's destructor */
    ompi_group_t *group;             /* for which the pattern was built; retained */
} mca_topo_nbrhood_module_t;
OBJ_CLASS_DECLARATION(mca_topo_nbrhood_module_t);

/* Visible even if Open MPI is compiled with hidden symbols, because the loader looks for it. */
OMPI_DECLSPEC extern mca_topo_base_component_t mca_topo_nbrhood_component;

/* Sets the constructors that this component overrides; the others stay Open MPI's. */
void mca_topo_nbrhood_set_constructors(mca_topo_base_module_t *module, uint32_t type);

END_C_DECLS

#endif
