/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Whether the component is the same in all processes: coll_nbrhood_presence.c decides,
 * coll_nbrhood_representatives.c finds the processes that all processes compare,
 * coll_nbrhood_differences.c tells the user about differences.
 */
#ifndef COLL_NBRHOOD_PRESENCE_H
#define COLL_NBRHOOD_PRESENCE_H

#include "coll_nbrhood_compat.h"

/* Opens the topo framework and tells the other processes this one's component and parameters. */
void nbrhood_presence_open(void);
void nbrhood_presence_close(void);
void nbrhood_topo_initialised(int priority);                   /* of the hook */
bool nbrhood_everywhere(ompi_group_t *group);                  /* of the hook */
bool nbrhood_everywhere_without_topology(ompi_group_t *group); /* for collectives of all ranks */
/* Whether the component serves no communicator of this job, because its nodes or app contexts
 * differ in the component or in parameters that affect calls; rank 0 has reported that. The first
 * call, in MPI_Init, compares them. The call for MPI_COMM_WORLD also makes the requests of later
 * creations, allgathers and alltoallvs in advance, while no rank waits for another.
 */
bool nbrhood_stays_out_of_job(ompi_communicator_t *comm);
/* Whether patterns may be built while the program runs: not if nodes or app contexts differ in
 * parameters that affect builds. */
bool nbrhood_job_builds(void);
/* Whether all processes of the job have the same parameters, as far as comparing is cheap
 * enough. */
bool nbrhood_all_build_identically(void);
/* A checksum of this process's parameters that must be equal on all ranks. */
uint32_t nbrhood_parameters_number(void);
/* coll_nbrhood_differences.c: shows a topic of the help file with the differences in a group. */
void nbrhood_differences_show(const char *topic, ompi_group_t *group);

/* ---- Between these three files ---- */

/* The line of text that each process tells the others under this key when it initialises MPI; its
 * first number is the format. */
#define NBRHOOD_LINE_KEY "coll.nbrhood"
enum { NBRHOOD_LINE_FORMAT = 5 };

typedef struct nbrhood_line_t {
    int format, core, hook;
    uint32_t names; /* of the core's algorithms and parameters */
    int coll_priority, topo_priority;
    int at_creation;  /* whether creations exchange messages with these parameters */
    uint64_t serving; /* checksum of settings that affect calls from the first one on */
    uint64_t all;     /* checksum of all settings that must be equal, `serving` included */
} nbrhood_line_t;

/* In place of topo/nbrhood's priority if that component is missing or excluded. */
enum { NBRHOOD_NO_TOPO = -1000 };

/* Parses a line; false if it is NULL, or has the format of another version. */
bool nbrhood_line_parse(const char *text, nbrhood_line_t *line);

/* The processes that stand for a job, by their numbers in it: the first one of each node and of
 * each app context. */
typedef struct nbrhood_representatives_t {
    uint32_t *numbers; /* the caller frees them */
    int count, room;
} nbrhood_representatives_t;

/* Finds them; none if the run-time system names no nodes and there is one app context. False if
 * there is no memory. */
bool nbrhood_find_representatives(nbrhood_representatives_t *to);

/* The most processes whose parameters are compared for a message. */
enum { NBRHOOD_MOST_TOLD = 1024 };

/* Room for the differences of one message. */
enum { NBRHOOD_DIFFERENCES_ROOM = 4096 };

/* A checksum of the values that users gave the variables of the coll and topo frameworks. */
uint64_t nbrhood_frameworks_checksum(void);

/* Publishes, under a second key, the parameters that are not at their defaults. */
void nbrhood_differences_put(void);

/* Writes the differences between processes of this job, each between `before` and `after`; "" if
 * there is none. numbers: of the processes in the job. ranks: their numbers in the message. */
void nbrhood_differences_write(const uint32_t *numbers, const int *ranks, int count,
                               const char *before, const char *after, char *result, size_t room);

#endif
