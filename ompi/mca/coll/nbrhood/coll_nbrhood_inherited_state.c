/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* What duplicates of a communicator inherit: what serves the calls of its collectives for good.
 *
 * MPI_Comm_dup is ordered against the calls on the communicator that it duplicates, so at that
 * moment all ranks of a connected component have begun the same number of calls there, and the
 * number from which on calls are served for good is one that they agreed on. Only these two are
 * compared, never what a rank happens to know already (docs/wire.md, section 8). Open MPI copies
 * attributes at that moment, so what is inherited is one that no user sees.
 */
#include "coll_nbrhood_request.h"
#include "coll_nbrhood_state.h"

#include <stdlib.h>

#include "opal/runtime/opal_progress.h"

/* The attribute of a communicator for which a build was begun, or that inherited something. */
typedef struct heritage_t {
    bool own;                     /* left by this communicator, not copied to it */
    mca_topo_base_module_t *topo; /* for whose ranks it is; retained */
    nbrhood_settled_t settled[NBRHOOD_COLLECTIVES]; /* what it inherited itself */
} heritage_t;

static int key = MPI_KEYVAL_INVALID; /* protected by nbrhood_state.lock */

static void destroy(heritage_t *heritage)
{
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        nbrhood_topology_destroy(heritage->settled[c].built);
    }
    OBJ_RELEASE(heritage->topo);
    free(heritage);
}

static heritage_t *make(mca_topo_base_module_t *topo)
{
    heritage_t *heritage = calloc(1, sizeof *heritage);
    if (NULL != heritage) {
        heritage->topo = topo;
        OBJ_RETAIN(topo);
    }
    return heritage;
}

/* Open MPI hands attributes on in MPI_Comm_create_group, too, which is not ordered against calls:
 * there nothing is inherited. */
static bool is_valid(const heritage_t *heritage, const mca_coll_nbrhood_module_t *module)
{
    return heritage->topo == module->comm->c_topo && (heritage->own || module->is_duplicate);
}

static nbrhood_settled_t share(const nbrhood_settled_t *settled)
{
    return (nbrhood_settled_t){settled->settled, nbrhood_topology_share(settled->built)};
}

/* Finds what the calls so far say of a duplicate; *settled: what it inherits. */
static int look_at_heir(const nbrhood_switch_t *sw, nbrhood_settled_t *settled)
{
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    const int heir = nbrhood_switch_heir(sw->core, sw->calls);
    if (NBRHOOD_HEIR_INHERITS == heir) {
        const int pattern = nbrhood_switch_bequest(sw->core);
        settled->settled = true;
        settled->built = NBRHOOD_DIRECT_MESSAGES != pattern
                             ? nbrhood_topology_share(sw->patterns[pattern])
                             : NULL;
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return heir;
}

static nbrhood_settled_t settled_of(const nbrhood_switch_t *sw)
{
    nbrhood_settled_t settled = {false, NULL};
    /* Others may know already; all take part. */
    while (NULL != sw->core && NBRHOOD_HEIR_NOT_KNOWN == look_at_heir(sw, &settled)) {
        opal_progress();
    }
    return settled;
}

static int copy(MPI_Comm comm, int copied, void *extra, void *from, void *to, int *given)
{
    const heritage_t *heritage = from;
    mca_coll_nbrhood_module_t *module = nbrhood_module_of(comm);
    (void) copied;
    (void) extra;
    *given = 0;
    if (NULL == module || !is_valid(heritage, module)) {
        return MPI_SUCCESS;
    }
    heritage_t *made = make(heritage->topo);
    if (NULL == made) {
        return MPI_ERR_NO_MEM; /* other ranks go by what they inherit */
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        nbrhood_calls_t *calls = module->calls[c];
        made->settled[c] =
            NULL != calls ? settled_of(&calls->change) : share(&heritage->settled[c]);
        *given |= made->settled[c].settled;
    }
    if (*given) {
        *(heritage_t **) to = made;
    } else {
        destroy(made);
    }
    return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int dropped, void *value, void *extra)
{
    (void) comm;
    (void) dropped;
    (void) extra;
    destroy(value);
    return MPI_SUCCESS;
}

static bool make_key(void)
{
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    const bool made = MPI_KEYVAL_INVALID != key || nbrhood_make_key(copy, drop, &key);
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return made;
}

static heritage_t *find(const mca_coll_nbrhood_module_t *module)
{
    heritage_t *heritage = MPI_KEYVAL_INVALID != key ? nbrhood_attribute(module->comm, key) : NULL;
    return NULL != heritage && is_valid(heritage, module) ? heritage : NULL;
}

bool nbrhood_heritage_leave(const mca_coll_nbrhood_module_t *module)
{
    if (!make_key()) {
        return false;
    }
    if (NULL != find(module)) {
        return true;
    }
    heritage_t *heritage = make(module->comm->c_topo);
    if (NULL == heritage) {
        return false;
    }
    heritage->own = true;
    return nbrhood_set_attribute(module->comm, key, heritage);
}

const nbrhood_settled_t *nbrhood_heritage_take(const mca_coll_nbrhood_module_t *module)
{
    const heritage_t *heritage = module->is_duplicate ? find(module) : NULL;
    return NULL != heritage ? heritage->settled : NULL;
}

void nbrhood_inherit(nbrhood_switch_t *sw, const nbrhood_settled_t *settled)
{
    if (NULL == sw->core) {
        return;
    }
    nbrhood_switch_inherit(sw->core, NULL != settled->built);
    if (NULL != settled->built) {
        sw->patterns[sw->pattern_count++] = nbrhood_topology_share(settled->built);
    }
}
