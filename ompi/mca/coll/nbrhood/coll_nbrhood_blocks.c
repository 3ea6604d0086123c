/* Binds the arguments of a call to the blocks of a plan. */
#include "coll_nbrhood.h"

#include "ompi/datatype/ompi_datatype.h"

/* What does not change from block to block of one type. */
typedef struct type_facts_t {
    ompi_datatype_t *type;
    ptrdiff_t extent, true_lb;
    size_t size;
} type_facts_t;

static void look_up(type_facts_t *facts, ompi_datatype_t *type)
{
    ptrdiff_t lb, true_extent;
    if (facts->type == type) {
        return;
    }
    facts->type = type;
    ompi_datatype_get_extent(type, &lb, &facts->extent);
    ompi_datatype_get_true_extent(type, &facts->true_lb, &true_extent);
    ompi_datatype_type_size(type, &facts->size);
}

static void bind_side(const nbrhood_side_t *side, nbrhood_block *blocks, size_t count)
{
    type_facts_t facts = {NULL, 0, 0, 0};
    for (size_t i = 0; i < count; ++i) {
        nbrhood_block *block = &blocks[i];
        look_up(&facts, NULL != side->types ? side->types[i] : side->type);
        const int elements = NULL != side->counts ? side->counts[i] : side->count;
        ptrdiff_t offset;
        if (NULL != side->byte_displacements) {
            offset = (ptrdiff_t) side->byte_displacements[i];
        } else if (NULL != side->displacements) {
            offset = side->displacements[i] * facts.extent;
        } else {
            offset = (ptrdiff_t) i * side->count * facts.extent;
        }
        block->address = (char *) side->buffer + offset;
        block->count = (size_t) elements;
        block->type = facts.type;
        block->bytes = (size_t) elements * facts.size;
        block->data = NULL;
        if (0 != block->bytes
            && opal_datatype_is_contiguous_memory_layout(&facts.type->super, elements)) {
            char *data = (char *) block->address + facts.true_lb;
            if (NBRHOOD_HOST_MEMORY(data)) {
                block->data = data;
            }
        }
    }
}

void nbrhood_bind(nbrhood_plan *plan, const nbrhood_topology *topology, const nbrhood_call_t *call)
{
    nbrhood_topology_info info;
    nbrhood_topology_describe(topology, &info);
    bind_side(&call->send, nbrhood_plan_send_blocks(plan),
              nbrhood_send_blocks(topology, call->collective));
    bind_side(&call->receive, nbrhood_plan_receive_blocks(plan), info.receive_slots);
}
