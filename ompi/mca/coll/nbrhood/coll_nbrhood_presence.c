/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Whether the component is the same in all processes of a communicator. The messages of a rank
 * without the component, or with another version, would not match those of the others. So each
 * process publishes its version and parameters when it initialises MPI, through the run-time system
 * and not by messages.
 *
 * All processes then look at the same few lines, those of the first process of each node and of
 * each app context, so they all find the same result: if an installation or a file of parameters
 * differs between nodes, the component stays out of the whole job, or builds no patterns. Other
 * differences are found when a topology is created, by neighbouring ranks.
 */
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_waiting.h"
#include "core/capi/nbrhood_allgather.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ompi/mca/topo/base/base.h"
#include "ompi/proc/proc.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/util/output.h"

static nbrhood_line_t own;
static char own_text[160];

/* The most processes that are all compared for allgathers, which takes some 30 ms. */
enum { MOST_ASKED = 1024 };

/* The most processes that are all compared in MPI_Init. */
enum { ASKED_AT_ONCE = 64 };

/* State of the processes of this job, by their number in it. */
enum { NOT_ASKED, SAME, SERVES_IDENTICALLY, DIFFERENT };
static unsigned char *known;
static uint32_t known_room;
static opal_mutex_t lock;

/* The outcome of the comparison of representatives; all processes of the job find the same
 * result. */
static enum { NOT_COMPARED, EQUAL, NOTHING_BUILT, STAYS_OUT } job;

void nbrhood_topo_initialised(int priority)
{
    own.topo_priority = priority;
}

/* ---- The line ---- */

static void find_checksums(void)
{
    nbrhood_settings settings = {.costs = nbrhood_state.costs};
    memcpy(settings.values, nbrhood_state.values, sizeof settings.values);
    memcpy(settings.choice, nbrhood_state.algorithm, sizeof settings.choice);
    nbrhood_gpu_file_settings(&settings);
    own.serving = nbrhood_serving_checksum(&settings) + nbrhood_frameworks_checksum();
    own.all = nbrhood_settings_checksum(&settings) + own.serving;
}

void nbrhood_presence_open(void)
{
    OBJ_CONSTRUCT(&lock, opal_mutex_t);
    own = (nbrhood_line_t){.format = NBRHOOD_LINE_FORMAT,
                           .core = nbrhood_core_version(),
                           .names = nbrhood_core_names(),
                           .hook = MCA_COLL_NBRHOOD_HOOK_VERSION,
                           .coll_priority = nbrhood_number(NBRHOOD_PARAMETER_PRIORITY),
                           .topo_priority = NBRHOOD_NO_TOPO};
    own.at_creation = nbrhood_builds_at_creation(nbrhood_state.algorithm,
                                                 nbrhood_number(NBRHOOD_PARAMETER_BUILD_AFTER));
    job = NOT_COMPARED;
    if (own.coll_priority >= 0) {
        /* Open MPI would do this at the first topology, too late for the modex. If it fails now,
         * it also fails then. */
        (void) mca_topo_base_lazy_init();
    }
    find_checksums();
    snprintf(own_text, sizeof own_text, "%d %d %" PRIx32 " %d %d %d %d %" PRIx64 " %" PRIx64,
             own.format, own.core, own.names, own.hook, own.coll_priority, own.topo_priority,
             own.at_creation, own.serving, own.all);
    if (!nbrhood_modex_put(NBRHOOD_LINE_KEY, own_text)) {
        own.coll_priority = -1; /* as for the other processes */
    }
    nbrhood_differences_put();
}

void nbrhood_presence_close(void)
{
    free(known);
    known = NULL;
    known_room = 0;
    OBJ_DESTRUCT(&lock);
}

/* Compares two processes by their lines; NULL: a process without the component. */
static unsigned char compare(const char *a, const char *b)
{
    nbrhood_line_t lines[2];
    const bool known_a = nbrhood_line_parse(a, &lines[0]);
    const bool known_b = nbrhood_line_parse(b, &lines[1]);
    if (!known_a || !known_b) {
        const bool equal = NULL != a && NULL != b ? 0 == strcmp(a, b) : a == b;
        return equal ? SAME : DIFFERENT;
    }
    const bool identical =
        lines[0].core == lines[1].core && lines[0].names == lines[1].names
        && lines[0].hook == lines[1].hook && lines[0].coll_priority == lines[1].coll_priority
        && lines[0].topo_priority == lines[1].topo_priority
        && lines[0].at_creation == lines[1].at_creation && lines[0].serving == lines[1].serving;
    return !identical ? DIFFERENT : lines[0].all == lines[1].all ? SAME : SERVES_IDENTICALLY;
}

/* Whether a process with this line compares the lines of others. */
static bool takes_part(const nbrhood_line_t *line)
{
    return line->coll_priority >= 0 && line->topo_priority >= 0;
}

/* The line of a process of this job, NULL if it published none; the caller frees it. */
static char *line_of(uint32_t number)
{
    opal_process_name_t name = *OMPI_PROC_MY_NAME;
    if (number == name.vpid) {
        return strdup(own_text);
    }
    name.vpid = number;
    return nbrhood_modex_get(name, NBRHOOD_LINE_KEY, false);
}

/* ---- Single processes ---- */

/* The entry for a process of this job; NULL if there is no memory. */
static unsigned char *known_of(uint32_t number)
{
    if (number >= known_room) {
        const uint32_t room = number + number / 2 + 64;
        unsigned char *more = realloc(known, room);
        if (NULL == more) {
            return NULL;
        }
        memset(more + known_room, NOT_ASKED, room - known_room);
        known = more;
        known_room = room;
    }
    return &known[number];
}

static unsigned char look_at(uint32_t number)
{
    unsigned char *remembered = known_of(number);
    if (NULL != remembered && NOT_ASKED != *remembered) {
        return *remembered;
    }
    char *text = line_of(number);
    const unsigned char found = compare(own_text, text);
    free(text);
    if (NULL != remembered) {
        *remembered = found;
    }
    return found;
}

static uint32_t number_of(ompi_group_t *group, int rank)
{
    return ompi_group_get_proc_name(group, rank).vpid;
}

static bool serves_identically(ompi_group_t *group, int rank)
{
    return DIFFERENT != look_at(number_of(group, rank));
}

/* ---- The representatives of the job ---- */

/* Whether this process is the first representative that has the component. */
static bool is_first_with_component(const nbrhood_representatives_t *of)
{
    for (int i = 0; i < of->count; ++i) {
        nbrhood_line_t line;
        char *text = line_of(of->numbers[i]);
        const bool has = nbrhood_line_parse(text, &line) && takes_part(&line);
        free(text);
        if (has) {
            return of->numbers[i] == OMPI_PROC_MY_NAME->vpid;
        }
    }
    return false;
}

/* Tells the user, in one line. */
static void tell_job(const nbrhood_representatives_t *of, const char *what)
{
    const int count = of->count < NBRHOOD_MOST_TOLD ? of->count : NBRHOOD_MOST_TOLD;
    int *ranks = malloc((size_t) count * sizeof *ranks);
    char text[NBRHOOD_DIFFERENCES_ROOM];
    if (NULL == ranks) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        ranks[i] = (int) of->numbers[i];
    }
    nbrhood_differences_write(of->numbers, ranks, count, "", ". ", text, sizeof text);
    opal_output(0,
                "coll/nbrhood %s, because its nodes or app contexts differ: %sGive all of them the "
                "same component and parameters, on mpirun's command line or in a file that all "
                "nodes share.",
                what, text);
    free(ranks);
}

static int compare_representatives(const nbrhood_representatives_t *of)
{
    char *first = line_of(of->numbers[0]);
    int found = EQUAL;
    for (int i = 1; i < of->count && STAYS_OUT != found; ++i) {
        char *text = line_of(of->numbers[i]);
        const unsigned char other = compare(first, text);
        free(text);
        found = DIFFERENT == other            ? STAYS_OUT
                : SERVES_IDENTICALLY == other ? NOTHING_BUILT
                                              : found;
    }
    free(first);
    return found;
}

/* Compares the representatives, once. Does nothing if the run-time system names no nodes, or the
 * job has one node and one app context. */
static void compare_job(void)
{
    nbrhood_representatives_t all;
    const double begun = nbrhood_now();
    job = EQUAL;
    if (!takes_part(&own)) {
        return;
    }
    if (!nbrhood_find_representatives(&all)) {
        ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_NO_MEM); /* others may differ */
    }
    if (1 < all.count) {
        job = compare_representatives(&all);
    }
    opal_output_verbose(10, nbrhood_state.output,
                        "nbrhood: compared the first ranks of nodes and app contexts (%d) in %.0f "
                        "us",
                        all.count, 1e6 * (nbrhood_now() - begun));
    if (EQUAL != job && is_first_with_component(&all)) {
        tell_job(&all,
                 STAYS_OUT == job ? "stays out of this job" : "builds no patterns in this job");
    }
    free(all.numbers);
}

/* ---- Groups ---- */

/* The lowest rank that compares lines tells the user that the line of `odd` differs. */
static void tell_difference(ompi_group_t *group, int odd)
{
    static bool told;
    const int rank = ompi_group_rank(group);
    if (told || (odd > 0 && rank > 0)) {
        return; /* rank 0 has the same line, so it tells the user */
    }
    for (int lower = 0; lower < rank; ++lower) {
        nbrhood_line_t line;
        char *text = line_of(number_of(group, lower));
        const bool tells = nbrhood_line_parse(text, &line) && takes_part(&line);
        free(text);
        if (tells) {
            return;
        }
    }
    told = true;
    nbrhood_differences_show("not everywhere", group);
}

/* Processes of another job (MPI_Comm_spawn, MPI_Comm_connect) took no part in this job's
 * exchange of lines. Whether processes of the two jobs can ask each other depends on the
 * run-time system. */
static bool one_job(ompi_group_t *group)
{
    const opal_jobid_t jobid = OMPI_PROC_MY_NAME->jobid;
    int rank = 0;
    while (rank < ompi_group_size(group) && ompi_group_get_proc_name(group, rank).jobid == jobid) {
        ++rank;
    }
    return rank == ompi_group_size(group);
}

/* Compares all processes. All ranks find the same result: if one process differs, all stay out. */
static bool all_serve_identically(ompi_group_t *group)
{
    const int size = ompi_group_size(group), rank = ompi_group_rank(group);
    int odd = 0;
    while (odd < size && (odd == rank || serves_identically(group, odd))) {
        ++odd;
    }
    if (odd < size) {
        tell_difference(group, odd);
    }
    return odd == size;
}

/* One of the two neighbouring ranks, by number. */
static int neighbouring_rank(ompi_group_t *group, int side)
{
    const int size = ompi_group_size(group);
    return (ompi_group_rank(group) + (0 == side ? 1 : size - 1)) % size;
}

/* Compares the two neighbouring ranks. If not all ranks of the group are the same, some rank
 * with the component has a different neighbour. That rank ends the program, because it cannot
 * tell the others. A comparison takes some 30 microseconds for each process, too long to compare
 * all ranks in each creation of a topology. */
static void compare_neighbours(ompi_group_t *group)
{
    for (int side = 0; side < 2; ++side) {
        const int other = neighbouring_rank(group, side);
        if (other != ompi_group_rank(group) && !serves_identically(group, other)) {
            nbrhood_differences_show("stops", group);
            ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_OTHER);
        }
    }
}

/* Compares all processes in advance if their first allgather or alltoallv will need it and they are
 * few. During the call, while other ranks poll for messages on shared cores, it took 40 ms with
 * 16 ranks on two cores. */
static void compare_in_advance(ompi_group_t *group)
{
    const int size = ompi_group_size(group);
    const bool all =
        size <= ASKED_AT_ONCE
        && (NBRHOOD_ALLGATHER_DEFAULT != nbrhood_number(NBRHOOD_PARAMETER_ALLGATHER_ALGORITHM)
            || NBRHOOD_ALLTOALLV_DEFAULT != nbrhood_number(NBRHOOD_PARAMETER_ALLTOALLV_ALGORITHM));
    for (int other = 0; takes_part(&own) && !own.at_creation && other < size; ++other) {
        const bool near =
            other == neighbouring_rank(group, 0) || other == neighbouring_rank(group, 1);
        if (other != ompi_group_rank(group) && (all || near)) {
            (void) look_at(number_of(group, other));
        }
    }
}

bool nbrhood_stays_out_of_job(ompi_communicator_t *comm)
{
    OPAL_THREAD_LOCK(&lock);
    if (NOT_COMPARED == job) {
        compare_job();
    }
    if (EQUAL == job && &ompi_mpi_comm_world.comm == comm) {
        compare_in_advance(comm->c_local_group);
    }
    OPAL_THREAD_UNLOCK(&lock);
    return STAYS_OUT == job;
}

bool nbrhood_job_builds(void)
{
    return NOTHING_BUILT != job;
}

bool nbrhood_all_build_identically(void)
{
    ompi_group_t *world = ompi_mpi_comm_world.comm.c_local_group;
    const int size = ompi_group_size(world), rank = ompi_group_rank(world);
    int other = 0;
    OPAL_THREAD_LOCK(&lock);
    while (other < size && other < MOST_ASKED
           && (other == rank || SAME == look_at(number_of(world, other)))) {
        ++other;
    }
    OPAL_THREAD_UNLOCK(&lock);
    return other == size || other == MOST_ASKED;
}

uint32_t nbrhood_parameters_number(void)
{
    return (uint32_t) (own.all ^ (own.all >> 32));
}

static bool everywhere(ompi_group_t *group, bool ask_all)
{
    bool same = true;
    if (!takes_part(&own) || STAYS_OUT == job) {
        return false;
    }
    if (!one_job(group)) {
        opal_output_verbose(1, nbrhood_state.output,
                            "nbrhood: stays out of a communicator with processes of several jobs");
        return false;
    }
    OPAL_THREAD_LOCK(&lock);
    if (ask_all) {
        same = all_serve_identically(group);
    } else {
        compare_neighbours(group);
    }
    OPAL_THREAD_UNLOCK(&lock);
    return same;
}

bool nbrhood_everywhere(ompi_group_t *group)
{
    return everywhere(group, own.at_creation);
}

/* Compares all processes, since the component must not end a program without topologies. In
 * large jobs, where that would take longer than a call gains, compares only neighbouring ranks. */
bool nbrhood_everywhere_without_topology(ompi_group_t *group)
{
    return everywhere(group, own.at_creation || ompi_group_size(group) <= MOST_ASKED);
}
