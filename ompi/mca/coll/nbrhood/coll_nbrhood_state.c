/* State that all files of the glue share: the component's, its totals in this process, and which
 * module of a communicator is this component's.
 */
#include "coll_nbrhood.h"

nbrhood_state_t nbrhood_state;
nbrhood_totals_t nbrhood_totals;

/* What it chose and how many messages a call takes in all are the same on every rank, calls and
 * bytes are its own. */
bool nbrhood_is_reporting_rank(void)
{
    return 0 == OMPI_PROC_MY_NAME->vpid;
}

/* Another component may sit on top of it in the function table, so it is looked up among all that
 * were selected. */
mca_coll_nbrhood_module_t *nbrhood_module_of(const ompi_communicator_t *comm)
{
    mca_coll_base_avail_coll_t *available;
    OPAL_LIST_FOREACH(available, comm->c_coll->module_list, mca_coll_base_avail_coll_t)
    {
        if (0 == strcmp(available->ac_component_name, "nbrhood")) {
            return (mca_coll_nbrhood_module_t *) available->ac_module;
        }
    }
    return NULL;
}

uint32_t nbrhood_presence(const mca_coll_nbrhood_module_t *module)
{
    if (NULL == module) {
        return 0;
    }
    uint32_t bit = 1, presence = 1;
#define LOOK(name)                                                                                 \
    bit <<= 1;                                                                                     \
    presence |= module->comm->c_coll->coll_##name##_module == &module->super ? bit : 0;
    NBRHOOD_FOR_ALL_SLOTS(LOOK)
    return presence;
}
