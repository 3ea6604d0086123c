/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Shared by all files: parameters, the state of the component in this process, its totals. */
#ifndef COLL_NBRHOOD_STATE_H
#define COLL_NBRHOOD_STATE_H

#include "coll_nbrhood_compat.h"
#include "coll_nbrhood_hook.h"

#include "core/capi/nbrhood_settings.h"

#include "opal/class/opal_list.h"

/* Visible even if Open MPI is compiled with hidden symbols, because the loader looks for it. */
OMPI_DECLSPEC extern mca_coll_nbrhood_component_t mca_coll_nbrhood_component;

/* The MCA parameters and the state of the component in this process. */
typedef struct nbrhood_state_t {
    nbrhood_value values[NBRHOOD_MOST_PARAMETERS]; /* by the core's numbers of parameters */
    int algorithm[NBRHOOD_COLLECTIVES];
    int output;           /* stream of coll_nbrhood_verbose */
    nbrhood_costs *costs; /* from the file of coll_nbrhood_costs; NULL: the default costs */
    /* Under MPI_THREAD_MULTIPLE: protects all plans and the list of those in flight. */
    opal_mutex_t lock;
    opal_list_t active;
    bool polling; /* the progress function is registered */
    bool in_mpi;  /* MPI has been initialised: ompi_info opens and closes the component, too */
} nbrhood_state_t;
extern nbrhood_state_t nbrhood_state;

/* The values of parameters that the glue reads (NBRHOOD_PARAMETER_...). */
static inline int nbrhood_number(int parameter)
{
    return nbrhood_state.values[parameter].number;
}
static inline bool nbrhood_flag(int parameter)
{
    return nbrhood_state.values[parameter].flag;
}
/* NULL if the text is empty. */
static inline const char *nbrhood_text(int parameter)
{
    const char *text = nbrhood_state.values[parameter].text;
    return NULL != text && '\0' != text[0] ? text : NULL;
}

struct mca_coll_nbrhood_module_t;
struct nbrhood_request_t;

/* Whether this process is the reporting rank, which prints reports and verbose output. */
bool nbrhood_is_reporting_rank(void);
/* The module of this component on a communicator, or NULL. */
struct mca_coll_nbrhood_module_t *nbrhood_module_of(const ompi_communicator_t *comm);
/* One bit for each function of the module that is on the communicator (another component may have
 * displaced some), and one more bit that is always set. 0 if there is no module (NULL). */
uint32_t nbrhood_presence(const struct mca_coll_nbrhood_module_t *module);

/* Performance variables, totals of this process. */
typedef struct nbrhood_totals_t {
    unsigned long long calls;
    unsigned long long allgathers; /* not in `calls`; their messages are not counted, either */
    unsigned long long alltoallvs; /* not in `calls`; messages below if a graph serves them */
    unsigned long long messages[2], bytes[2]; /* sent: local, non-local */
    unsigned long long topologies;
    double creation_seconds;
    unsigned long long recordings;                  /* of creations and builds */
    unsigned long long inherited;                   /* collectives of duplicates */
    unsigned long long plan_bytes, most_plan_bytes; /* now, and at most so far */
    unsigned long long calls_on_device;             /* calls that gave the PML device addresses */
    /* Copies of mirrors, from a device and to a device. */
    unsigned long long device_copies[2], device_bytes[2];
} nbrhood_totals_t;
extern nbrhood_totals_t nbrhood_totals;
void nbrhood_register_pvars(const mca_base_component_t *of);
/* Notes the size of the buffers of a request's plan. Under MPI_THREAD_MULTIPLE the lock is held. */
void nbrhood_measure_plan(struct nbrhood_request_t *request, size_t bytes);

#endif
