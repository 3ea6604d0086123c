/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The places of ranks. */
#ifndef NBRHOOD_MACHINE_H
#define NBRHOOD_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A region is a domain of one of these levels of the machine, in the order of enum class Level. */
enum {
    NBRHOOD_REGION_NODE,
    NBRHOOD_REGION_SOCKET,
    NBRHOOD_REGION_NUMA,
    NBRHOOD_REGION_L3,
    NBRHOOD_REGION_GPU,
    NBRHOOD_REGION_DIE,
    NBRHOOD_REGION_KINDS
};
const char *nbrhood_region_name(int level); /* NULL past the last */

/* The place where a rank runs (see struct Place); domains[kind - 1] for all kinds but the node. */
typedef struct nbrhood_place {
    int node;
    int16_t domains[NBRHOOD_REGION_KINDS - 1];
} nbrhood_place;
#define NBRHOOD_NO_DOMAIN (-1) /* not bound, bound to several domains, or not known */

/* How near another rank is, in the order of enum class Locality. */
enum { NBRHOOD_ELSEWHERE, NBRHOOD_SAME_NODE, NBRHOOD_SAME_REGION };

/* A machine from a description such as "node:4 socket:2 core:8" (see class SyntheticMachine).
 * NULL if the description is not understood or there is no memory; `why` then has the reason. */
typedef struct nbrhood_machine nbrhood_machine;
nbrhood_machine *nbrhood_machine_create(const char *text, char *why, size_t room);
void nbrhood_machine_destroy(nbrhood_machine *machine);
/* The number of ranks that it holds; the place of the rank with this number in the job. */
int nbrhood_machine_slots(const nbrhood_machine *machine);
nbrhood_place nbrhood_machine_place(const nbrhood_machine *machine, int slot);
int nbrhood_machine_slots_of_node(const nbrhood_machine *machine);

#ifdef __cplusplus
}
#endif

#endif
