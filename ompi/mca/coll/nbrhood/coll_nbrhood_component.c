/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The component: parameters, opening and closing. */
#include "coll_nbrhood_device.h"
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_mirror.h"
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_record.h"
#include "coll_nbrhood_state.h"
#include "coll_nbrhood_topology.h"
#include "coll_nbrhood_waiting.h"
#include "core/capi/nbrhood_allgather.h"

#include <limits.h>
#include <stdio.h>

#include "opal/mca/base/mca_base_var.h"
#include "opal/util/output.h"

static int algorithm_of_all; /* coll_nbrhood_algorithm */

/* The most names that a parameter's values have. */
enum { MOST_NAMES = 31 };

static int register_parameters(void);
static int open_component(void);
static int close_component(void);
static int init_query(bool enable_progress_threads, bool enable_mpi_threads);

mca_coll_nbrhood_component_t mca_coll_nbrhood_component = {
    .super =
        {
            .collm_version =
                {
                    NBRHOOD_COLL_BASE_VERSION,
                    .mca_component_name = "nbrhood",
                    MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                                          OMPI_RELEASE_VERSION),
                    .mca_open_component = open_component,
                    .mca_close_component = close_component,
                    .mca_register_component_params = register_parameters,
                },
            .collm_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
            .collm_init_query = init_query,
            .collm_comm_query = mca_coll_nbrhood_comm_query,
        },
    .hook = {MCA_COLL_NBRHOOD_HOOK_VERSION, nbrhood_topo_initialised, nbrhood_everywhere,
             mca_coll_nbrhood_topology_created},
};
MCA_BASE_COMPONENT_INIT(ompi, coll, nbrhood)

/* The types of variables for the core's types of values. */
static const mca_base_var_type_t variable_types[] = {
    [NBRHOOD_NUMBER] = MCA_BASE_VAR_TYPE_INT,  [NBRHOOD_BYTES] = MCA_BASE_VAR_TYPE_UNSIGNED_INT,
    [NBRHOOD_FLAG] = MCA_BASE_VAR_TYPE_BOOL,   [NBRHOOD_NAME] = MCA_BASE_VAR_TYPE_INT,
    [NBRHOOD_TEXT] = MCA_BASE_VAR_TYPE_STRING,
};

static void register_variable(const char *name, const char *help, int type,
                              mca_base_var_enum_t *enumerator, int level, void *storage)
{
    (void) mca_base_component_var_register(&mca_coll_nbrhood_component.super.collm_version, name,
                                           help, variable_types[type], enumerator, 0, 0,
                                           (mca_base_var_info_lvl_t) (OPAL_INFO_LVL_1 + level - 1),
                                           MCA_BASE_VAR_SCOPE_READONLY, storage);
}

/* Registers a variable whose values have names; `values` end with an entry without a name. */
static void register_names(const char *name, const char *help,
                           const mca_base_var_enum_value_t *values, int level, int *storage)
{
    mca_base_var_enum_t *enumerator = NULL;
    char enum_name[96];
    snprintf(enum_name, sizeof enum_name, "coll_nbrhood_%ss", name);
    if (OPAL_SUCCESS == mca_base_var_enum_create(enum_name, values, &enumerator)) {
        register_variable(name, help, NBRHOOD_NAME, enumerator, level, storage);
        OBJ_RELEASE(enumerator);
    }
}

/* Registers a parameter of the core's tables, with its default. */
static void register_parameter(const nbrhood_parameter *parameter, nbrhood_value *value)
{
    *value = parameter->usual;
    if (NBRHOOD_NAME != parameter->type) {
        register_variable(parameter->name, parameter->help, parameter->type, NULL, parameter->level,
                          value);
        return;
    }
    mca_base_var_enum_value_t values[MOST_NAMES + 1] = {{0, NULL}};
    int used = 0;
    for (int i = (int) parameter->least;
         i <= parameter->most && NULL != parameter->name_of(i) && used < MOST_NAMES; ++i) {
        values[used].value = i;
        values[used++].string = parameter->name_of(i);
    }
    register_names(parameter->name, parameter->help, values, parameter->level, &value->number);
}

/* Registers a parameter whose values are the core's choices for a collective; if `collective` is
 * NBRHOOD_COLLECTIVES, its values are all choices. */
static void register_algorithm(const char *name, const char *purpose, int collective, int *choice)
{
    mca_base_var_enum_value_t values[MOST_NAMES + 1] = {{0, NULL}};
    char help[4096];
    int used = 0;
    size_t length = (size_t) snprintf(help, sizeof help,
                                      "%s. auto: direct at first; later, as "
                                      "coll_nbrhood_build_after says, the algorithm with the "
                                      "shortest predicted time if that promises a gain; default: "
                                      "Open MPI's own collectives",
                                      purpose);
    for (int i = 0; NULL != nbrhood_choice_name(i) && used < MOST_NAMES; ++i) {
        if (NBRHOOD_COLLECTIVES != collective && !nbrhood_choice_serves(i, collective)) {
            continue;
        }
        values[used].value = i;
        values[used++].string = nbrhood_choice_name(i);
        if (NULL != nbrhood_choice_summary(i) && length < sizeof help) {
            length += (size_t) snprintf(help + length, sizeof help - length, "; %s: %s",
                                        nbrhood_choice_name(i), nbrhood_choice_summary(i));
        }
    }
    *choice = NBRHOOD_CHOICE_AUTO;
    register_names(name, help, values, 4, choice);
}

/* Registers one parameter for each collective, and one for all. */
static void register_algorithms(void)
{
    char name[64], purpose[192];
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        snprintf(name, sizeof name, "%s_algorithm", nbrhood_collective_name(c));
        snprintf(purpose, sizeof purpose,
                 "Algorithm of MPI_%s, its nonblocking and its persistent variant",
                 nbrhood_collective_name(c));
        register_algorithm(name, purpose, c, &nbrhood_state.algorithm[c]);
    }
    register_algorithm("algorithm",
                       "Algorithm of all neighbourhood collectives that it serves and whose own "
                       "parameter says auto",
                       NBRHOOD_COLLECTIVES, &algorithm_of_all);
}

/* Applies the parameter of all collectives to those whose own parameter is not set. */
static void spread_algorithm(void)
{
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        if (NBRHOOD_CHOICE_AUTO == nbrhood_state.algorithm[c]
            && nbrhood_choice_serves(algorithm_of_all, c)) {
            nbrhood_state.algorithm[c] = algorithm_of_all;
        }
    }
}

static int register_parameters(void)
{
    nbrhood_parameter parameter;
    for (int i = 0; i < NBRHOOD_MOST_PARAMETERS && nbrhood_parameter_describe(i, &parameter); ++i) {
        register_parameter(&parameter, &nbrhood_state.values[i]);
    }
    register_algorithms();
    nbrhood_register_pvars(&mca_coll_nbrhood_component.super.collm_version);
    return OMPI_SUCCESS;
}

static long number_of(const nbrhood_parameter *parameter, nbrhood_value value)
{
    return NBRHOOD_BYTES == parameter->type ? (long) value.bytes : value.number;
}

/* Replaces a number outside its range by the default, with a message. */
static void check_range(const nbrhood_parameter *parameter, nbrhood_value *value)
{
    char name[80], given[32], usual[32];
    const long number = number_of(parameter, *value);
    if ((NBRHOOD_NUMBER != parameter->type && NBRHOOD_BYTES != parameter->type)
        || (number >= parameter->least && number <= parameter->most)) {
        return; /* Open MPI checks the values of other types */
    }
    *value = parameter->usual;
    snprintf(name, sizeof name, "coll_nbrhood_%s", parameter->name);
    snprintf(given, sizeof given, "%ld", number);
    snprintf(usual, sizeof usual, "%ld", number_of(parameter, *value));
    opal_show_help("help-mpi-coll-nbrhood.txt", "parameter out of range", true, name, given,
                   parameter->range, usual);
}

/* If only some ranks can read the file, a creation notices the difference. */
static void read_costs(void)
{
    char error[PATH_MAX + 256];
    nbrhood_state.costs = NULL;
    const char *file = nbrhood_text(NBRHOOD_PARAMETER_COSTS);
    if (NULL == file) {
        return;
    }
    nbrhood_state.costs = nbrhood_costs_read(file, error, sizeof error);
    if (NULL == nbrhood_state.costs) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "no costs", true, error);
    }
}

static int open_component(void)
{
#ifdef NBRHOOD_HELP_DIR
    /* The folder of the messages if the component is not in Open MPI's own folder. */
    (void) opal_show_help_add_dir(NBRHOOD_HELP_DIR);
#endif
    nbrhood_state.output = opal_output_open(NULL);
    opal_output_set_verbosity(nbrhood_state.output, nbrhood_number(NBRHOOD_PARAMETER_VERBOSE));
    nbrhood_parameter parameter;
    for (int i = 0; i < NBRHOOD_MOST_PARAMETERS && nbrhood_parameter_describe(i, &parameter); ++i) {
        check_range(&parameter, &nbrhood_state.values[i]);
    }
    spread_algorithm();
    read_costs();
    OBJ_CONSTRUCT(&nbrhood_state.lock, opal_mutex_t);
    OBJ_CONSTRUCT(&nbrhood_state.active, opal_list_t);
    nbrhood_state.polling = nbrhood_state.in_mpi = false;
    nbrhood_device_open();
    nbrhood_mirror_memory_open();
    nbrhood_machine_open();
    nbrhood_report_open();
    nbrhood_records_open();
    nbrhood_stall_open();
    nbrhood_build_open();
    nbrhood_presence_open();
    return OMPI_SUCCESS;
}

static int close_component(void)
{
    nbrhood_presence_close();
    nbrhood_agreements_forget();
    nbrhood_build_close();
    nbrhood_stall_close();
    nbrhood_report_close();
    if (nbrhood_state.in_mpi) {
        nbrhood_tell_recorded();
    }
    nbrhood_costs_destroy(nbrhood_state.costs);
    nbrhood_machine_close();
    nbrhood_mirror_memory_close();
    OBJ_DESTRUCT(&nbrhood_state.active);
    OBJ_DESTRUCT(&nbrhood_state.lock);
    opal_output_close(nbrhood_state.output);
    return OMPI_SUCCESS;
}

static int init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    nbrhood_state.in_mpi = true;
    nbrhood_report_begin();
    return OMPI_SUCCESS;
}
