/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The nodes and GPU dies on which ranks run, and the network between them. */
#ifndef COLL_NBRHOOD_MACHINE_H
#define COLL_NBRHOOD_MACHINE_H

#include "coll_nbrhood_module.h"

/* coll_nbrhood_machine.c: where ranks run. */
void nbrhood_machine_open(void);
void nbrhood_machine_close(void);
/* Ranks per core of this node, regardless of binding. */
double nbrhood_ranks_per_core(void);
/* Whether some rank of a communicator is on another node, real or synthetic. Examines at most as
 * many ranks as a node has. */
bool nbrhood_spans_nodes(ompi_communicator_t *comm);
/* Lists the ranks of this node. Processes for which Open MPI has no structure yet are on other
 * nodes. */
int nbrhood_find_local_ranks(mca_coll_nbrhood_module_t *module);
/* Lists the ranks of the region; after nbrhood_find_local_ranks. */
int nbrhood_find_region(mca_coll_nbrhood_module_t *module, const nbrhood_topology *topology);
void nbrhood_free_rank_lists(mca_coll_nbrhood_module_t *module);
/* The place of this process on the real or the synthetic machine; after nbrhood_find_local_ranks.
 * */
nbrhood_place nbrhood_find_place(mca_coll_nbrhood_module_t *module);
/* The ranks on this rank's node, real or synthetic, including itself, ascending; after
 * nbrhood_find_place. The list belongs to the module and lives as long. NULL if there is no
 * memory. */
const int *nbrhood_node_ranks(mca_coll_nbrhood_module_t *module, size_t *count);
/* How near a rank is, as far as this process knows; after nbrhood_find_place. */
int nbrhood_locality(const mca_coll_nbrhood_module_t *module, int rank);

/* coll_nbrhood_gpu.c: the GPU dies of this node. machine: the synthetic one, or NULL. */
void nbrhood_gpu_open(const nbrhood_machine *machine);
void nbrhood_gpu_close(void);
/* Sets the die and GPU of a place, if they are known: those of the slot (the process's number on
 * its node) if a file describes the dies, otherwise those that the process itself uses. */
void nbrhood_gpu_place(nbrhood_place *place, int slot);
/* Set the links between the dies: the first function only if a file gives them, the second from any
 * source. */
void nbrhood_gpu_file_settings(nbrhood_settings *settings);
void nbrhood_gpu_settings(nbrhood_settings *settings);

/* Whether messages to other nodes go over TCP. */
bool nbrhood_over_tcp(void);

#endif
