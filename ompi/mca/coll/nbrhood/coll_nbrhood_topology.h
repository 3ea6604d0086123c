/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Creation of topologies: parameters and info keys, the hook, messages. */
#ifndef COLL_NBRHOOD_TOPOLOGY_H
#define COLL_NBRHOOD_TOPOLOGY_H

#include "coll_nbrhood_hook.h"
#include "coll_nbrhood_module.h"

/* coll_nbrhood_settings.c */
/* Values of the info keys for a communicator; NULL if there is no memory. The caller frees them. */
nbrhood_shared_t *nbrhood_make_shared(ompi_communicator_t *comm,
                                      const mca_coll_nbrhood_keys_t *keys);
/* The parameters, overridden by info keys. */
void nbrhood_find_settings(const mca_coll_nbrhood_module_t *module, const nbrhood_shared_t *shared,
                           nbrhood_settings *settings);
/* The choice that a value of the info key nbrhood_allgather_algorithm names; `usual` if it is
 * NULL or no such choice, which rank 0 reports. */
int nbrhood_allgather_choice(ompi_communicator_t *comm, const char *value, int usual);

/* coll_nbrhood_topology.c: the hook. */
int mca_coll_nbrhood_topology_created(ompi_communicator_t *comm,
                                      const mca_coll_nbrhood_keys_t *keys, void **topology,
                                      void (**destroy)(void *topology));
/* Prepares the module of a communicator with a topology for calls of a collective. */
int nbrhood_prepare(mca_coll_nbrhood_module_t *module, int collective);

/* coll_nbrhood_creation.c: the core's interface to a communicator during creation. */
int nbrhood_create_topology(mca_coll_nbrhood_module_t *module, const nbrhood_settings *settings,
                            nbrhood_recording *recording, nbrhood_topology **topology);
/* The same without any message. */
int nbrhood_create_direct_topology(ompi_communicator_t *comm, const int *choices,
                                   nbrhood_topology **topology);
/* For a communicator without the component: tells the other ranks, which may be waiting. */
int nbrhood_tell_absence(ompi_communicator_t *comm, nbrhood_topology_info *info);

/* The neighbours of this rank, in the order of its slots. The arrays are NULL before; the caller
 * frees them, even after a failure. */
int nbrhood_find_neighbours(ompi_communicator_t *comm, int **sources, int *in_degree,
                            int **destinations, int *out_degree);

#endif
