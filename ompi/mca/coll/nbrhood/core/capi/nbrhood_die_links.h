/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The GPU dies of a node and the links between them. */
#ifndef NBRHOOD_DIE_LINKS_H
#define NBRHOOD_DIE_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nbrhood_machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The contents of a regular file, zero-terminated, for the caller to free(); NULL, with "FILE:
 * reason" in `error`, if the file cannot be read or is far too large. */
char *nbrhood_read_file(const char *file, size_t *length, char *error, size_t room);

/* A GPU or a die: its place on the PCI bus, and the nearest NUMA node (-1: not known). */
typedef struct nbrhood_gpu {
    uint32_t domain, bus, device, function;
    int numa;
} nbrhood_gpu;

/* The GPU dies of a node and the links between them (see struct DieTable). */
typedef struct nbrhood_die_links nbrhood_die_links;
enum { NBRHOOD_MOST_DIES = 64 };
/* Reads a table of links (core/machine/die_links_file.h). NULL if the file cannot be read or
 * understood; then `error` (of `room` bytes) has the file, the line and the reason. */
nbrhood_die_links *nbrhood_die_links_read(const char *file, char *error, size_t room);
/* Makes the table from a library's answers: links[a * dies + b], and where each die is. NULL if
 * they contradict each other, or there is no memory. */
nbrhood_die_links *nbrhood_die_links_create(int dies, const int *links, const nbrhood_gpu *where,
                                            char *why, size_t room);
void nbrhood_die_links_destroy(nbrhood_die_links *links);
/* Adds the places of the same GPUs from another source, in any order; false if they contradict
 * the table, or there is no memory. */
bool nbrhood_die_links_add_gpus(nbrhood_die_links *links, const nbrhood_gpu *gpus, size_t count,
                                char *why, size_t room);
/* Whether the nodes of a synthetic machine may have these dies. */
bool nbrhood_die_links_fit(const nbrhood_die_links *links, const nbrhood_machine *machine,
                           char *why, size_t room);
int nbrhood_die_links_dies(const nbrhood_die_links *links);
/* The die at the place of `gpu`; -1: none. */
int nbrhood_die_links_find(const nbrhood_die_links *links, const nbrhood_gpu *gpu);
/* Put a rank on a die: the die of its slot, counted within the node, or the given one. */
void nbrhood_die_links_put(const nbrhood_die_links *links, int slot, nbrhood_place *place);
void nbrhood_die_links_put_die(const nbrhood_die_links *links, int die, nbrhood_place *place);
/* Writes the table in the file format; returns its length, which may exceed the room. */
size_t nbrhood_die_links_write(const nbrhood_die_links *links, char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
