/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Settings of creations and builds: all input of the core besides the graph. */
#ifndef NBRHOOD_SETTINGS_H
#define NBRHOOD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nbrhood_die_links.h"
#include "nbrhood_names.h"
#include "nbrhood_parameters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The costs of messages, for the model of auto. */
typedef struct nbrhood_costs nbrhood_costs;
/* Reads a cost file (select/costs.h). NULL if the file cannot be read or understood; then
 * `error` (of `room` bytes) has the file, the line and the reason. */
nbrhood_costs *nbrhood_costs_read(const char *file, char *error, size_t room);
void nbrhood_costs_destroy(nbrhood_costs *costs);

typedef struct nbrhood_settings {
    uint32_t presence; /* see Settings; 0: the component is not on the communicator */
    int choice[NBRHOOD_COLLECTIVES];
    uint32_t reuse;
    nbrhood_value values[NBRHOOD_MOST_PARAMETERS]; /* of all other parameters, by their numbers */
    double ranks_per_core;                         /* a fact of this rank's node */
    const nbrhood_costs *costs;                    /* NULL: the default costs */
    /* The dies of this rank's node (NULL: not known), and whether they come from a file. */
    const nbrhood_die_links *die_links;
    bool die_links_of_file;
    bool over_tcp; /* the network is TCP: if it is on any rank, the default costs are TCP's */
    int fail_rank, fail_step; /* for tests; -1: never */
    /* Microseconds since 1970, UTC, never the same twice in a process. The timestamp of rank
     * nbrhood_topology_named_by names the recording, even if that rank records nothing. */
    int64_t timestamp;
} nbrhood_settings;

/* Checksums of all settings that must be equal on the ranks of a communicator, and of those that
 * affect calls from the first one on; 0 if there is no memory. */
uint64_t nbrhood_settings_checksum(const nbrhood_settings *settings);
uint64_t nbrhood_serving_checksum(const nbrhood_settings *settings);

/* Whether a creation exchanges messages. choices: one for each collective; build_after: the value
 * of NBRHOOD_PARAMETER_BUILD_AFTER. */
bool nbrhood_builds_at_creation(const int *choices, int build_after);

#ifdef __cplusplus
}
#endif

#endif
