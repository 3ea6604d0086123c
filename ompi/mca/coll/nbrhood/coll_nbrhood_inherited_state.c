/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* State that duplicates of a communicator inherit: the final decisions on its collectives.
 *
 * MPI_Comm_dup is ordered against the calls on the parent communicator, so all ranks of a connected
 * component make the duplicate after the same number of calls. The ranks also agreed on the number
 * of the first call with a final decision. Only these two numbers are compared, never the present
 * knowledge of a rank (docs/wire.md, section 8). MPI_Comm_dup copies attributes, so the inherited
 * state is an attribute, which is invisible to users.
 */
#include "coll_nbrhood_request.h"
#include "coll_nbrhood_state.h"

#include <stdlib.h>

#include "opal/runtime/opal_progress.h"

/* The attribute of a communicator for which a build began, or that inherited a decision. */
typedef struct inherited_state_t {
    bool own;                     /* made for this communicator, not copied to it */
    mca_topo_base_module_t *topo; /* of the ranks concerned; retained */
    nbrhood_decision_t decisions[NBRHOOD_COLLECTIVES]; /* inherited decisions */
} inherited_state_t;

static int key = MPI_KEYVAL_INVALID; /* protected by nbrhood_state.lock */

static void destroy(inherited_state_t *state)
{
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        nbrhood_topology_destroy(state->decisions[c].built);
    }
    OBJ_RELEASE(state->topo);
    free(state);
}

static inherited_state_t *make(mca_topo_base_module_t *topo)
{
    inherited_state_t *state = calloc(1, sizeof *state);
    if (NULL != state) {
        state->topo = topo;
        OBJ_RETAIN(topo);
    }
    return state;
}

/* Open MPI copies attributes in MPI_Comm_create_group, too. That function is not ordered against
 * calls, so its communicators inherit nothing. */
static bool is_valid(const inherited_state_t *state, const mca_coll_nbrhood_module_t *module)
{
    return state->topo == module->comm->c_topo && (state->own || module->is_duplicate);
}

static nbrhood_decision_t share(const nbrhood_decision_t *decision)
{
    return (nbrhood_decision_t){decision->decided, nbrhood_topology_share(decision->built)};
}

/* Whether a duplicate made now inherits a decision, and which (*decision). */
static int look_at_duplicate(const nbrhood_switch_t *sw, nbrhood_decision_t *decision)
{
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    const int inheritance = nbrhood_switch_inheritance(sw->core, sw->calls);
    if (NBRHOOD_INHERITANCE_DECISION == inheritance) {
        const int pattern = nbrhood_switch_inherited_pattern(sw->core);
        decision->decided = true;
        decision->built = NBRHOOD_DIRECT_MESSAGES != pattern
                              ? nbrhood_topology_share(sw->patterns[pattern])
                              : NULL;
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return inheritance;
}

static nbrhood_decision_t decision_of(const nbrhood_switch_t *sw)
{
    nbrhood_decision_t decision = {false, NULL};
    /* Other ranks may know the decision already, so this rank waits until it knows it, too. */
    while (NULL != sw->core && NBRHOOD_INHERITANCE_NOT_KNOWN == look_at_duplicate(sw, &decision)) {
        opal_progress();
    }
    return decision;
}

static int copy(MPI_Comm comm, int copied, void *extra, void *from, void *to, int *given)
{
    const inherited_state_t *state = from;
    mca_coll_nbrhood_module_t *module = nbrhood_module_of(comm);
    (void) copied;
    (void) extra;
    *given = 0;
    if (NULL == module || !is_valid(state, module)) {
        return MPI_SUCCESS;
    }
    inherited_state_t *made = make(state->topo);
    if (NULL == made) {
        return MPI_ERR_NO_MEM; /* other ranks use the inherited decision */
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        nbrhood_calls_t *calls = module->calls[c];
        made->decisions[c] =
            NULL != calls ? decision_of(&calls->change) : share(&state->decisions[c]);
        *given |= made->decisions[c].decided;
    }
    if (*given) {
        *(inherited_state_t **) to = made;
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

static inherited_state_t *find(const mca_coll_nbrhood_module_t *module)
{
    inherited_state_t *state =
        MPI_KEYVAL_INVALID != key ? nbrhood_attribute(module->comm, key) : NULL;
    return NULL != state && is_valid(state, module) ? state : NULL;
}

bool nbrhood_let_duplicates_inherit(const mca_coll_nbrhood_module_t *module)
{
    if (!make_key()) {
        return false;
    }
    if (NULL != find(module)) {
        return true;
    }
    inherited_state_t *state = make(module->comm->c_topo);
    if (NULL == state) {
        return false;
    }
    state->own = true;
    return nbrhood_set_attribute(module->comm, key, state);
}

const nbrhood_decision_t *nbrhood_inherited_decisions(const mca_coll_nbrhood_module_t *module)
{
    const inherited_state_t *state = module->is_duplicate ? find(module) : NULL;
    return NULL != state ? state->decisions : NULL;
}

void nbrhood_inherit(nbrhood_switch_t *sw, const nbrhood_decision_t *decision)
{
    if (NULL == sw->core) {
        return;
    }
    nbrhood_switch_inherit(sw->core, NULL != decision->built);
    if (NULL != decision->built) {
        sw->patterns[sw->pattern_count++] = nbrhood_topology_share(decision->built);
    }
}
