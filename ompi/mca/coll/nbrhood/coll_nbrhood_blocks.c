/* Binds the arguments of a call to the blocks of a plan. */
#include "coll_nbrhood_blocks.h"

static void bind_side(const nbrhood_side_t *side, nbrhood_block *blocks, size_t count)
{
    nbrhood_type_facts_t facts = {NULL, 0, 0};
    ompi_datatype_t *last = NULL;
    ptrdiff_t true_lb = 0, true_extent;
    for (size_t i = 0; i < count; ++i) {
        nbrhood_block *block = &blocks[i];
        nbrhood_find_block(side, i, &facts, &block->address, &block->count);
        if (facts.type != last) {
            last = facts.type;
            ompi_datatype_get_true_extent(last, &true_lb, &true_extent);
        }
        block->type = facts.type;
        block->bytes = block->count * facts.size;
        block->data = NULL;
        /* Of the count it matters only whether it is one; it may not fit. */
        if (0 != block->bytes
            && opal_datatype_is_contiguous_memory_layout(&facts.type->super,
                                                         1 == block->count ? 1 : 2)) {
            block->data = (char *) ((uintptr_t) block->address + (uintptr_t) true_lb);
        }
    }
}

/* Whether equal arguments mean equal blocks whenever they come: few numbers say where the blocks
 * are, nothing behind an address can have changed. */
static bool is_simple(const nbrhood_side_t *side)
{
    return !NBRHOOD_ARRAY_GIVEN(side->counts) && !NBRHOOD_ARRAY_GIVEN(side->displacements)
           && !NBRHOOD_ARRAY_GIVEN(side->byte_displacements) && NULL == side->types
           && ompi_datatype_is_predefined(side->type);
}

/* Whether blocks differ by no more than where their buffer begins. */
static bool is_same(const nbrhood_side_t *bound, const nbrhood_side_t *side)
{
    return bound->count == side->count && bound->type == side->type && is_simple(side);
}

static ptrdiff_t distance(const nbrhood_side_t *bound, const nbrhood_side_t *side)
{
    return (ptrdiff_t) ((uintptr_t) side->buffer - (uintptr_t) bound->buffer);
}

void nbrhood_bind(nbrhood_request_t *request, const nbrhood_call_t *call)
{
    const nbrhood_topology *topology = request->module->topology;
    request->on_device = call->on_device;
    if (request->bound_simply && is_same(&request->bound.send, &call->send)
        && is_same(&request->bound.receive, &call->receive)) {
        nbrhood_plan_move(request->plan, distance(&request->bound.send, &call->send),
                          distance(&request->bound.receive, &call->receive));
        request->bound = *call;
        return;
    }
    bind_side(&call->send, nbrhood_plan_send_blocks(request->plan),
              nbrhood_send_blocks(topology, call->collective));
    bind_side(&call->receive, nbrhood_plan_receive_blocks(request->plan),
              nbrhood_receive_blocks(topology));
    nbrhood_plan_rebind(request->plan);
    request->bound = *call;
    request->bound_simply = is_simple(&call->send) && is_simple(&call->receive);
}
