/* What a communicator keeps for its allgathers. */
#ifndef COLL_NBRHOOD_AGREEMENT_H
#define COLL_NBRHOOD_AGREEMENT_H

#include "coll_nbrhood.h"

/* Whether its ranks have told each other where they run. */
enum { NBRHOOD_ALLGATHERS_NOT_ASKED, NBRHOOD_ALLGATHERS_AGREED, NBRHOOD_ALLGATHERS_NEVER };

struct nbrhood_allgathers_t {
    int state;
    nbrhood_allgather *agreed;
    /* By row. */
    nbrhood_request_t *blocking[NBRHOOD_ALLGATHER_ROWS];
    nbrhood_request_t *idle[NBRHOOD_ALLGATHER_ROWS]; /* of nonblocking calls */
    uint32_t nonblocking_calls, persistent_inits;
};

/* Whether the module has that now; false when there is no memory. */
bool nbrhood_allgathers_have(mca_coll_nbrhood_module_t *module);
/* The agreement, or the decision that there will be none. Collective over the communicator. */
int nbrhood_allgathers_agree(mca_coll_nbrhood_module_t *module);

void nbrhood_allgathers_free(nbrhood_allgathers_t *allgathers);
/* Leaves allgathers to the displaced module: a creation found that the component is not on the
 * communicator on all ranks. Fails for want of memory. */
int nbrhood_allgathers_stay_out(mca_coll_nbrhood_module_t *module);
#endif
