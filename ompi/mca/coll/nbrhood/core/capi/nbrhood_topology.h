/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* A communicator's topology on one rank: its creation, and the algorithms of its collectives.
 *
 * Functions that can fail return 0 or an error code; those of the core are NBRHOOD_ERR_*, those of
 * the callbacks are passed through unchanged.
 */
#ifndef NBRHOOD_TOPOLOGY_H
#define NBRHOOD_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nbrhood_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NBRHOOD_ERR_MEMORY (-20001)
#define NBRHOOD_ERR_INTERNAL (-20002)

/* The folder in which the patterns of a topology are to be recorded (see core/engine/recording.h),
 * and the outcome. */
typedef struct nbrhood_recording {
    const char *directory; /* in; NULL: nowhere */
    uint32_t job, number;  /* in: job of rank nbrhood_topology_named_by, and its number there */
    int files;             /* out: files that this rank wrote */
    bool failed;           /* out: some could not be written */
    char text[1024]; /* out: the directory of this recording; if failed, the file and the reason */
} nbrhood_recording;

/* Interface of the core to a communicator during creation (see class CreationBuild). */
typedef struct nbrhood_creation {
    void *context;
    int (*locality)(void *context, int rank);
    /* Starts sending `words` words (copied or kept until flush) to a rank. */
    int (*send)(void *context, int rank, const int32_t *words, size_t count);
    /* Waits for the next message of a rank and calls take(sink, count), which returns memory for
     * it. */
    int (*receive)(void *context, int rank, int32_t *(*take)(void *sink, size_t count), void *sink);
    /* Waits until everything sent so far has left its buffers. */
    int (*flush)(void *context);
} nbrhood_creation;

typedef struct nbrhood_topology nbrhood_topology;

/* Diagnostics, in the order of enum class Diagnostic. */
enum {
    NBRHOOD_DIAGNOSTIC_NONE,
    NBRHOOD_DIAGNOSTIC_PARAMETERS_DIFFER,
    NBRHOOD_DIAGNOSTIC_EDGES_DO_NOT_MATCH,
    NBRHOOD_DIAGNOSTIC_CANNOT_BUILD,
    NBRHOOD_DIAGNOSTIC_NOT_EVERYWHERE
};

/* The neighbours of a rank in one direction: ranks, negative for MPI_PROC_NULL; and the weights
 * of edges, NULL if the user gave none. */
typedef struct nbrhood_neighbours {
    int degree;
    const int *ranks;
    const int *weights;
} nbrhood_neighbours;

/* Creates one rank's topology; collective. A Cartesian topology passes its 2*ndims neighbours as
 * sources; its destinations are ignored. Then records the patterns, if asked to; a failure there
 * does not prevent the creation. */
int nbrhood_topology_create(int rank, int ranks, nbrhood_place place, bool cartesian,
                            const nbrhood_neighbours *sources,
                            const nbrhood_neighbours *destinations,
                            const nbrhood_settings *settings, const nbrhood_creation *creation,
                            nbrhood_recording *recording, nbrhood_topology **topology);
/* The same without any message, if nbrhood_builds_at_creation() is false. `auto` serves calls
 * with direct messages until a pattern is built; for good unless may_build is set. NULL if there
 * is no memory. */
nbrhood_topology *nbrhood_topology_create_direct(int rank, bool cartesian,
                                                 const nbrhood_neighbours *sources,
                                                 const nbrhood_neighbours *destinations,
                                                 const int *choices, bool may_build);
/* To be called before the first call of a collective, for either kind of creation. False if
 * there is no memory. */
bool nbrhood_topology_prepare(nbrhood_topology *topology, int collective);
void nbrhood_topology_destroy(nbrhood_topology *topology);
/* Adds an owner to the topology, which is freed when all owners have destroyed it. NULL is
 * shared as NULL. */
nbrhood_topology *nbrhood_topology_share(nbrhood_topology *topology);

/* Prediction of the model for an algorithm and one kind of blocks. */
enum { NBRHOOD_ONE_PER_RANK, NBRHOOD_ONE_PER_EDGE }; /* allgather, alltoall */
typedef struct nbrhood_expectation {
    int choice; /* the algorithm */
    int kind;
    /* Messages of a call, all ranks; an upper bound for local ones. */
    int64_t messages_local, messages_nonlocal;
    double block_bytes;
    double direct_seconds, relayed_seconds; /* of a call with blocks of that size */
    size_t combining_threshold;             /* T, bytes */
} nbrhood_expectation;
enum { NBRHOOD_EXPECTATIONS = 16 };

typedef struct nbrhood_topology_info {
    int diagnostic;
    /* With not_everywhere: the lowest rank whose presence differs from that of rank 0, and the
     * presence of both. */
    int differing_rank;
    uint32_t first_presence, differing_presence;
    int synchronisations;
    int regions;
    int whole_nodes; /* not divided, because one of their ranks has no domain */
    char costs[64];  /* the name of the costs from which auto decided; empty: none */
    int64_t ranks_with_edges;
    int64_t edges, edges_nonlocal; /* messages of a direct call, all ranks */
    /* Predictions for all algorithms that were counted; none on ranks without edges. */
    int expectations;
    nbrhood_expectation expected[NBRHOOD_EXPECTATIONS];
} nbrhood_topology_info;
void nbrhood_topology_describe(const nbrhood_topology *topology, nbrhood_topology_info *info);

/* Whether this rank has edges. A rank without edges may skip calls, so no rank waits for it, and
 * its calls are not counted. */
bool nbrhood_has_edges(const nbrhood_topology *topology);

/* The ranks of this rank's region, ascending; they live as long as the topology. Returns their
 * number. */
size_t nbrhood_topology_region(const nbrhood_topology *topology, const int **ranks);

/* If all ranks know the size of the blocks of a call, different sizes may be served in different
 * ways: intervals of sizes have the numbers from 0 on. At most NBRHOOD_INTERVALS; one if sizes are
 * not known. */
enum { NBRHOOD_INTERVALS = 4 };
int nbrhood_intervals(const nbrhood_topology *topology, int collective);
/* The interval of a call in which this rank sends blocks of `sent` and receives blocks of
 * `received` bytes: by the direction in which it has edges. All ranks of a component find the
 * same interval. */
int nbrhood_interval(const nbrhood_topology *topology, int collective, size_t sent,
                     size_t received);

/* The rank of the communicator that names the recording of the topology: 0 unless it was built
 * while the program runs. */
int nbrhood_topology_named_by(const nbrhood_topology *topology);

/* The choice that serves a collective, and the reason, a static string; of the first interval if
 * there are several. */
int nbrhood_served_choice(const nbrhood_topology *topology, int collective);
const char *nbrhood_served_reason(const nbrhood_topology *topology, int collective);
/* The other intervals in words: "above 2048 bytes direct"; empty if there is one interval. */
void nbrhood_served_sizes(const nbrhood_topology *topology, int collective, char *text,
                          size_t room);
/* Whether plans can be made for a collective's calls; otherwise the displaced module serves
 * them. */
bool nbrhood_serves(const nbrhood_topology *topology, int collective);
/* Blocks that this rank sends and receives in one call of a collective, for sizing arrays. */
size_t nbrhood_receive_blocks(const nbrhood_topology *topology);
size_t nbrhood_send_blocks(const nbrhood_topology *topology, int collective);
/* The slots of MPI_PROC_NULL, ascending, and their number. Their buffers stay untouched. */
size_t nbrhood_null_receives(const nbrhood_topology *topology, const uint32_t **slots);
size_t nbrhood_null_sends(const nbrhood_topology *topology, int collective, const uint32_t **slots);

#ifdef __cplusplus
}
#endif

#endif
