/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Calls with buffers in device memory: decides whether a call gives the device's addresses to the
 * PML, and tracks the blocks of persistent requests from start to start. Messages are the same in
 * all cases, so only this rank knows the decision.
 */
#include "coll_nbrhood_on_device.h"
#include "coll_nbrhood_device.h"
#include "coll_nbrhood_mirror.h"
#include "coll_nbrhood_state.h"

#include "opal/util/output.h"

enum { SEND, RECEIVE, SIDES };

/* ---- Calls that stay on the device ---- */

typedef struct amount_t {
    uint64_t bytes, blocks;
} amount_t;

/* Whether the PML may have a block on the device. The PML finds the memory of a block from the
 * block's address, which need not be the address of one of its bytes. */
static bool may_have(const nbrhood_walk_t *walk, bool contiguous)
{
    int id;
    if ((uintptr_t) walk->address != walk->begin && !nbrhood_device->holds(walk->address, &id)) {
        return false;
    }
    /* Contiguous in UCX's sense: from the address on, for any count. */
    return !contiguous
           || (walk->contiguous && (uintptr_t) walk->address == walk->begin
               && opal_datatype_is_contiguous_memory_layout(&walk->facts.type->super, 2));
}

/* Whether the PML may have all blocks of a side. Adds their number and their bytes to *amount. */
static bool may_have_all(const nbrhood_mirrored_t *side, bool contiguous, amount_t *amount)
{
    const bool scattered = nbrhood_is_scattered(side);
    nbrhood_walk_t walk = {.from = side};
    bool looked = false, on_device = false, may = true;
    int id;
    while (may && nbrhood_walk_step(&walk)) {
        if (walk.begin == walk.end) {
            continue;
        }
        amount->bytes += walk.count * walk.facts.size;
        ++amount->blocks;
        if (scattered || !looked) {
            looked = true;
            on_device = nbrhood_device->holds((void *) walk.begin, &id);
        }
        /* Blocks at absolute addresses may reach into several memories unless they are
         * contiguous. */
        may = nbrhood_is_absolute(side) && !walk.contiguous ? false
              : on_device                                   ? may_have(&walk, contiguous)
                                                            : true;
    }
    nbrhood_walk_end(&walk);
    return may;
}

static void tell(int above)
{
    static bool told;
    if (!told && nbrhood_is_reporting_rank()) {
        told = true;
        opal_output_verbose(1, nbrhood_state.output,
                            "nbrhood: buffers are in device memory (%s): blocks of more than %d "
                            "bytes go from device to device",
                            nbrhood_device->name, above);
    }
}

/* Whether a call with these blocks, some of which are on the device, stays on the device. */
static bool stays(const nbrhood_topology *topology, int collective, int interval,
                  const nbrhood_mirrored_t sides[SIDES])
{
    const int above = nbrhood_number(NBRHOOD_PARAMETER_DEVICE_ABOVE);
    if (above < 0) {
        return false;
    }
    const int handling = nbrhood_handling(topology, collective, interval);
    const nbrhood_pml_reach_t reach = nbrhood_pml_reach();
    if (0 != (handling & NBRHOOD_TOUCHES) || NBRHOOD_PML_TAKES_NONE == reach
        || (0 != (handling & NBRHOOD_COPIES) && NBRHOOD_PML_TAKES_ALL != reach)) {
        return false;
    }
    const bool contiguous = 0 != (handling & NBRHOOD_CUTS) || NBRHOOD_PML_TAKES_CONTIGUOUS == reach;
    amount_t amount = {0, 0};
    if (!may_have_all(&sides[SEND], contiguous, &amount)
        || !may_have_all(&sides[RECEIVE], contiguous, &amount)
        || amount.bytes <= (uint64_t) above * amount.blocks) {
        return false;
    }
    tell(above);
    return true;
}

static void find_nulls(const mca_coll_nbrhood_module_t *module, int collective,
                       nbrhood_mirrored_t sides[SIDES])
{
    nbrhood_mirrored_t *send = &sides[SEND], *receive = &sides[RECEIVE];
    send->blocks = nbrhood_send_blocks(module->topology, collective);
    receive->blocks = nbrhood_receive_blocks(module->topology);
    send->null_count = nbrhood_null_sends(module->topology, collective, &send->nulls);
    receive->null_count = nbrhood_null_receives(module->topology, &receive->nulls);
}

int nbrhood_enter_call(const mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, int variant)
{
    nbrhood_mirrored_t sides[SIDES] = {{.side = &call->send}, {.side = &call->receive}};
    find_nulls(module, call->collective, sides);
    if (!nbrhood_is_on_device(&sides[SEND]) && !nbrhood_is_on_device(&sides[RECEIVE])) {
        return OMPI_SUCCESS;
    }
    call->on_device = stays(call->topology, call->collective, call->interval, sides);
    if (call->on_device) {
        return OMPI_SUCCESS;
    }
    const int rc = nbrhood_mirror_create(&sides[SEND], &sides[RECEIVE], &call->mirror);
    return OMPI_SUCCESS == rc ? nbrhood_mirror_prepare(&call->mirror, variant) : rc;
}

/* ---- Requests ---- */

/* The location of a block, for comparison between starts. */
typedef struct location_t {
    bool on_device;
    int id;
    uintptr_t begin, end; /* of the allocation */
} location_t;

/* One side of a persistent request, as the program gave it. */
typedef struct origin_side_t {
    nbrhood_block *blocks;
    bool scattered, absolute;
    location_t *locations; /* when last examined; only one if all blocks are in one memory */
    size_t looked;         /* the number of locations */
} origin_side_t;

struct nbrhood_origin_t {
    origin_side_t sides[SIDES];
    bool stays; /* on the device, with a plan of `topology` */
    const nbrhood_topology *topology;
    int interval;
    bool is_bound; /* the plan is bound to these locations */
};

static nbrhood_block *plan_blocks(const nbrhood_request_t *request, int side)
{
    return SEND == side ? nbrhood_plan_send_blocks(request->plan)
                        : nbrhood_plan_receive_blocks(request->plan);
}

/* Describes both sides of a request: the blocks of its plan, or those of the program. */
static void describe(const nbrhood_request_t *request, bool as_given,
                     nbrhood_mirrored_t sides[SIDES])
{
    const nbrhood_origin_t *origin = request->origin;
    memset(sides, 0, SIDES * sizeof *sides);
    find_nulls(request->module, request->collective, sides);
    for (int i = 0; i < SIDES; ++i) {
        sides[i].list = as_given ? origin->sides[i].blocks : plan_blocks(request, i);
        sides[i].scattered = NULL == origin || origin->sides[i].scattered;
        sides[i].absolute = NULL != origin && origin->sides[i].absolute;
    }
}

/* Puts a mirror in place of the plan's blocks that are on the device. */
static int mirror_plan(nbrhood_request_t *request)
{
    nbrhood_mirrored_t sides[SIDES];
    describe(request, false, sides);
    const int rc = nbrhood_mirror_create(&sides[SEND], &sides[RECEIVE], &request->mirror);
    request->on_device = false;
    nbrhood_plan_rebind(request->plan);
    return rc;
}

int nbrhood_request_leave_device(nbrhood_request_t *request)
{
    const int rc = mirror_plan(request);
    if (NULL != request->origin) {
        request->origin->is_bound = OMPI_SUCCESS == rc;
    } else {
        request->bound_simply = false; /* the next call must bind its blocks anew */
    }
    return OMPI_SUCCESS == rc ? nbrhood_mirror_take_in(request->mirror) : rc;
}

/* The arrays may be NULL if there are no blocks. */
static void copy_blocks(nbrhood_block *to, const nbrhood_block *from, size_t count)
{
    if (0 != count) {
        memcpy(to, from, count * sizeof *from);
    }
}

static int keep_side(origin_side_t *side, const nbrhood_side_t *given, const nbrhood_block *blocks,
                     size_t count)
{
    const nbrhood_mirrored_t from = {.side = (nbrhood_side_t *) given};
    side->scattered = nbrhood_is_scattered(&from);
    side->absolute = nbrhood_is_absolute(&from);
    side->blocks = malloc((count + 1) * sizeof *side->blocks);
    side->locations = calloc(side->scattered ? count + 1 : 1, sizeof *side->locations);
    if (NULL == side->blocks || NULL == side->locations) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    copy_blocks(side->blocks, blocks, count);
    return OMPI_SUCCESS;
}

int nbrhood_request_keep_origin(nbrhood_request_t *request)
{
    const nbrhood_topology *topology = request->module->topology;
    nbrhood_origin_t *origin = request->origin = calloc(1, sizeof *origin);
    if (NULL == origin) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    nbrhood_plan_keep_layout(request->plan);
    const int rc = keep_side(&origin->sides[SEND], &request->bound.send, plan_blocks(request, SEND),
                             nbrhood_send_blocks(topology, request->collective));
    return OMPI_SUCCESS == rc
               ? keep_side(&origin->sides[RECEIVE], &request->bound.receive,
                           plan_blocks(request, RECEIVE), nbrhood_receive_blocks(topology))
               : rc;
}

void nbrhood_origin_free(nbrhood_origin_t *origin)
{
    for (int i = 0; NULL != origin && i < SIDES; ++i) {
        free(origin->sides[i].blocks);
        free(origin->sides[i].locations);
    }
    free(origin);
}

static location_t locate(uintptr_t address)
{
    location_t location = {false, 0, 0, 0};
    location.on_device = nbrhood_device->holds((void *) address, &location.id);
    if (location.on_device && NULL != nbrhood_device->find_allocation) {
        (void) nbrhood_device->find_allocation((void *) address, location.id, &location.begin,
                                               &location.end);
    }
    return location;
}

static bool is_same(const location_t *a, const location_t *b)
{
    return a->on_device == b->on_device && a->id == b->id && a->begin == b->begin
           && a->end == b->end;
}

/* Finds where the blocks of a side are; *any: some are on the device. Returns whether any
 * location changed. */
static bool look_at(origin_side_t *side, const nbrhood_mirrored_t *given, bool *any)
{
    nbrhood_walk_t walk = {.from = given};
    size_t looked = 0;
    bool changed = false;
    while ((0 == looked || side->scattered) && nbrhood_walk_step(&walk)) {
        if (walk.begin == walk.end) {
            continue;
        }
        const location_t now = locate(walk.begin);
        changed |= looked >= side->looked || !is_same(&side->locations[looked], &now);
        side->locations[looked++] = now;
        *any |= now.on_device;
    }
    nbrhood_walk_end(&walk);
    side->looked = looked;
    return changed;
}

/* Binds the plan to the program's blocks, or to a mirror of those on the device. */
static int bind_again(nbrhood_request_t *request, bool mirrored)
{
    const nbrhood_mirrored_t *given;
    nbrhood_mirrored_t sides[SIDES];
    describe(request, true, sides);
    nbrhood_mirror_free(request->mirror);
    request->mirror = NULL;
    for (given = sides; given < sides + SIDES; ++given) {
        copy_blocks(plan_blocks(request, (int) (given - sides)), given->list, given->blocks);
    }
    nbrhood_plan_rebind(request->plan);
    const int rc = mirrored ? mirror_plan(request) : OMPI_SUCCESS;
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    return nbrhood_plan_find_shared(request->plan, request->indices) ? OMPI_SUCCESS
                                                                     : OMPI_ERR_OUT_OF_RESOURCE;
}

int nbrhood_request_look(nbrhood_request_t *request)
{
    nbrhood_origin_t *origin = request->origin;
    nbrhood_mirrored_t given[SIDES];
    bool any = false;
    describe(request, true, given);
    bool changed = look_at(&origin->sides[SEND], &given[SEND], &any);
    changed |= look_at(&origin->sides[RECEIVE], &given[RECEIVE], &any);
    if (changed || origin->topology != request->topology || origin->interval != request->interval) {
        origin->topology = request->topology;
        origin->interval = request->interval;
        origin->stays =
            any && stays(request->topology, request->collective, request->interval, given);
    }
    const bool mirrored = any && !origin->stays;
    request->on_device = origin->stays;
    if (origin->is_bound && !changed && mirrored == (NULL != request->mirror)) {
        return OMPI_SUCCESS;
    }
    const int rc = bind_again(request, mirrored);
    origin->is_bound = OMPI_SUCCESS == rc;
    return rc;
}
