/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

#include "walk.h"

#include "coll_nbrhood_pairs.h"

#include "ompi/group/group.h"

#include <time.h>

#if NBRHOOD_OPEN_MPI < 600
#define AS_COUNTS(array) (array)
#define AS_DISPLACEMENTS(array) (array)
#else
#define AS_COUNTS(array) OMPI_COUNT_ARRAY_CREATE(array)
#define AS_DISPLACEMENTS(array) OMPI_DISP_ARRAY_CREATE(array)
#endif

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

/* The seconds of one call, the first that is noted on a communicator: without memory or pairs of
 * earlier calls. Negative as nbrhood_walk_seconds. */
static double measure(const mca_coll_nbrhood_module_t *module, const nbrhood_side_t *side,
                      size_t pairs)
{
    const nbrhood_pairs_terms terms = {.percent = 50, .bytes = 65536, .window = 3, .watch = 64};
    const nbrhood_pairs_host host = {NULL, NULL, NULL, NULL}; /* no survey begins */
    nbrhood_pairs_view view;
    nbrhood_pairs_t *list = calloc(1, sizeof *list);
    nbrhood_pair_switch *core =
        nbrhood_pair_switch_create(0, ompi_comm_size(module->comm), &terms, &host, &view);
    double seconds = -1;
    if (NULL != list && NULL != core) {
        const double begin = now();
        const int rc = nbrhood_pairs_note(module, side, side, list, core);
        seconds = now() - begin;
        if (OMPI_SUCCESS != rc || pairs != list->sends || pairs != list->receives
            || 8 * (uint64_t) pairs != list->bytes) {
            seconds = -1;
        }
    }
    nbrhood_pair_switch_destroy(core);
    nbrhood_pairs_free(list);
    return seconds;
}

double nbrhood_walk_seconds(int ranks, int pairs, int samples)
{
    /* All that the function asks of a communicator is its size and this rank. */
    ompi_group_t group = {.grp_proc_count = ranks};
    ompi_communicator_t comm = {.c_local_group = &group, .c_my_rank = 0};
    mca_coll_nbrhood_module_t module = {.comm = &comm};
    int *counts = calloc((size_t) ranks, sizeof *counts);
    int *displacements = calloc((size_t) ranks, sizeof *displacements);
    double least = NULL != counts && NULL != displacements ? 1e9 : -1;
    if (least > 0) {
        const nbrhood_side_t side = {.buffer = counts,
                                     .counts = AS_COUNTS(counts),
                                     .displacements = AS_DISPLACEMENTS(displacements),
                                     .type = &ompi_mpi_byte.dt};
        for (int i = 1; i <= pairs; ++i) {
            counts[i] = 8;
            displacements[i] = 8 * (i - 1);
        }
        for (int i = 0; i < samples && least > 0; ++i) {
            const double seconds = measure(&module, &side, (size_t) pairs);
            least = seconds < least ? seconds : least;
        }
    }
    free(displacements);
    free(counts);
    return least;
}
