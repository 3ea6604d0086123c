/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Whether the component is the same in all processes: coll_nbrhood_presence.c decides,
 * coll_nbrhood_representatives.c finds whom all processes look at, coll_nbrhood_differences.c tells
 * the user of differences.
 */
#ifndef COLL_NBRHOOD_PRESENCE_H
#define COLL_NBRHOOD_PRESENCE_H

#include "coll_nbrhood_compat.h"

/* Opens the topo framework and tells the other processes what this one has. */
void nbrhood_presence_open(void);
void nbrhood_presence_close(void);
void nbrhood_topo_initialised(int priority);                   /* of the hook */
bool nbrhood_everywhere(ompi_group_t *group);                  /* of the hook */
bool nbrhood_everywhere_without_topology(ompi_group_t *group); /* for collectives of all ranks */
/* Whether the component serves no communicator of this job, since its nodes or app contexts differ
 * in what serves calls; rank 0 has said so. The first call, in MPI_Init, compares them; that of
 * MPI_COMM_WORLD also asks what creations and allgathers will ask, while no rank waits for another.
 */
bool nbrhood_stays_out_of_job(ompi_communicator_t *comm);
/* Whether patterns may be built while the program runs: not where nodes or app contexts differ in
 * the parameters that steer builds. */
bool nbrhood_job_builds(void);
/* Whether all processes of the job have the same parameters, as far as asking pays. */
bool nbrhood_all_build_identically(void);
/* A number for all of this process's parameters that must be equal on all ranks. */
uint32_t nbrhood_parameters_number(void);
/* coll_nbrhood_differences.c: shows a topic of the help file with what differs in a group. */
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
    int at_creation;  /* whether the parameters let creations exchange messages */
    uint64_t serving; /* checksum of what decides what serves calls from the first one on */
    uint64_t all;     /* of all that must be equal, that included */
} nbrhood_line_t;

/* In place of topo/nbrhood's priority where that component is missing or excluded. */
enum { NBRHOOD_NO_TOPO = -1000 };

/* Understands a line; false where it is NULL, or in a format of another version. */
bool nbrhood_line_parse(const char *text, nbrhood_line_t *line);

/* The processes that stand for a job, by their numbers in it: the first one of each node and of
 * each app context. */
typedef struct nbrhood_representatives_t {
    uint32_t *numbers; /* the caller frees them */
    int count, room;
} nbrhood_representatives_t;

/* Finds them, none where the run-time system names no nodes and one app context; false without
 * memory. */
bool nbrhood_find_representatives(nbrhood_representatives_t *to);

/* The most processes whose parameters are looked at for a message. */
enum { NBRHOOD_MOST_TOLD = 1024 };

/* Room for the differences of one message. */
enum { NBRHOOD_DIFFERENCES_ROOM = 4096 };

/* A checksum of what users gave the variables of the coll and topo frameworks. */
uint64_t nbrhood_frameworks_checksum(void);

/* Tells the others, under a key of its own, which parameters are not at their defaults. */
void nbrhood_differences_put(void);

/* Writes what differs between processes of this job, each difference between `before` and `after`;
 * "" where none is found. numbers: theirs in the job. ranks: the numbers by which the user is told
 * of them. */
void nbrhood_differences_write(const uint32_t *numbers, const int *ranks, int count,
                               const char *before, const char *after, char *result, size_t room);

#endif
