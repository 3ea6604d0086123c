/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Values of parameters and info keys for a communicator. */
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_topology.h"
#include "core/capi/nbrhood_allgather.h"

#include <stdio.h>
#include <stdlib.h>

/* Rank 0 reports that the value of an info key is not valid; the parameter stays in effect. */
static void tell_bad_key(ompi_communicator_t *comm, const char *key, const char *value,
                         const char *wanted)
{
    if (0 == ompi_comm_rank(comm)) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "bad value", true, key, value, wanted);
    }
}

/* Reads the info key nbrhood_algorithm, if given. For collectives that the algorithm does not
 * serve the core takes it as auto. */
static void read_algorithm(ompi_communicator_t *comm, const char *value, nbrhood_shared_t *shared)
{
    if (NULL == value) {
        return;
    }
    const int choice = nbrhood_find_choice(value);
    if (choice < 0) {
        tell_bad_key(comm, "the info key nbrhood_algorithm", value,
                     "auto, default or an algorithm that ompi_info lists");
        return;
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        shared->choice[c] = choice;
    }
}

/* Reads a number from 0 to `most`, only digits, after which `stop` must follow. Returns the
 * place of `stop`, or NULL. */
static const char *read_number(const char *text, char stop, long most, long *number)
{
    char *end;
    if (text[0] < '0' || text[0] > '9') { /* strtol would accept blanks and signs */
        return NULL;
    }
    *number = strtol(text, &end, 10);
    return *end == stop && *number <= most ? end : NULL;
}

/* Reads the info key nbrhood_block_bytes, if given. */
static void read_block_bytes(ompi_communicator_t *comm, const char *value, nbrhood_shared_t *shared)
{
    if (NULL == value) {
        return;
    }
    long bytes;
    char wanted[128];
    nbrhood_parameter parameter;
    if (!nbrhood_parameter_describe(NBRHOOD_PARAMETER_BLOCK_BYTES, &parameter)) {
        return;
    }
    if (NULL == read_number(value, '\0', parameter.most, &bytes)) {
        snprintf(wanted, sizeof wanted, "a number of bytes, %s", parameter.range);
        tell_bad_key(comm, "the info key nbrhood_block_bytes", value, wanted);
        return;
    }
    shared->block_bytes = (unsigned) bytes;
}

/* Reads the info key nbrhood_reuse, if given. */
static uint32_t read_reuse(ompi_communicator_t *comm, const char *value)
{
    long calls;
    if (NULL == value) {
        return 0;
    }
    if (0 == strcmp(value, "many")) {
        return UINT32_MAX;
    }
    if (NULL == read_number(value, '\0', INT_MAX, &calls)) {
        tell_bad_key(comm, "the info key nbrhood_reuse", value,
                     "many, or the number of calls of a collective");
        return 0;
    }
    return (uint32_t) calls;
}

/* Reads coll_nbrhood_inject_failure, if given. */
static void read_failure(ompi_communicator_t *comm, nbrhood_settings *settings)
{
    const char *value = nbrhood_text(NBRHOOD_PARAMETER_INJECT_FAILURE);
    long rank, step;
    settings->fail_rank = settings->fail_step = -1;
    if (NULL == value) {
        return;
    }
    const char *colon = read_number(value, ':', INT_MAX, &rank);
    if (NULL == colon || NULL == read_number(colon + 1, '\0', INT_MAX, &step)) {
        tell_bad_key(comm, "coll_nbrhood_inject_failure", value, "RANK:STEP");
        return;
    }
    settings->fail_rank = (int) rank;
    settings->fail_step = (int) step;
}

int nbrhood_allgather_choice(ompi_communicator_t *comm, const char *value, int usual)
{
    if (NULL == value) {
        return usual;
    }
    for (int choice = 0; NULL != nbrhood_allgather_choice_name(choice); ++choice) {
        if (0 == strcmp(value, nbrhood_allgather_choice_name(choice))) {
            return choice;
        }
    }
    if (0 == ompi_comm_rank(comm)) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "bad value", true,
                       "the info key nbrhood_allgather_algorithm", value,
                       "a value of coll_nbrhood_allgather_algorithm");
    }
    return usual;
}

/* The parameters, overridden by the info keys of this communicator. */
nbrhood_shared_t *nbrhood_make_shared(ompi_communicator_t *comm,
                                      const mca_coll_nbrhood_keys_t *keys)
{
    nbrhood_shared_t *shared = malloc(sizeof *shared);
    if (NULL != shared) {
        shared->topology = NULL;
        memcpy(shared->choice, nbrhood_state.algorithm, sizeof shared->choice);
        shared->block_bytes = nbrhood_state.values[NBRHOOD_PARAMETER_BLOCK_BYTES].bytes;
        read_algorithm(comm, keys->algorithm, shared);
        read_block_bytes(comm, keys->block_bytes, shared);
        shared->reuse = read_reuse(comm, keys->reuse);
        shared->allgather_choice = nbrhood_allgather_choice(
            comm, keys->allgather_algorithm, nbrhood_number(NBRHOOD_PARAMETER_ALLGATHER_ALGORITHM));
    }
    return shared;
}

void nbrhood_find_settings(const mca_coll_nbrhood_module_t *module, const nbrhood_shared_t *shared,
                           nbrhood_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    settings->presence = nbrhood_presence(module);
    memcpy(settings->values, nbrhood_state.values, sizeof settings->values);
    settings->values[NBRHOOD_PARAMETER_BLOCK_BYTES].bytes = shared->block_bytes;
    settings->ranks_per_core = nbrhood_ranks_per_core();
    settings->costs = nbrhood_state.costs;
    settings->over_tcp = nbrhood_over_tcp();
    nbrhood_gpu_settings(settings);
    memcpy(settings->choice, shared->choice, sizeof settings->choice);
    settings->reuse = shared->reuse;
    read_failure(module->comm, settings);
}
