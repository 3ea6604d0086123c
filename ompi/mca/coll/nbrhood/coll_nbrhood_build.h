/* What coll_nbrhood_switch.c and coll_nbrhood_build.c know of each other: the former serves calls,
 * the latter carries the messages by which ranks settle what serves them.
 */
#ifndef COLL_NBRHOOD_BUILD_H
#define COLL_NBRHOOD_BUILD_H

#include "coll_nbrhood.h"

BEGIN_C_DECLS

/* coll_nbrhood_build.c. The lock is held in all but the last one. */

/* For nbrhood_switch_host; their context is the switch. */
int nbrhood_build_locality(void *context, int rank);
void nbrhood_build_send(void *context, int rank, int channel, const int32_t *words, size_t count);
void nbrhood_build_expect(void *context, int rank, int channel);
/* Lets progress take the messages of a switch whose core runs. */
void nbrhood_build_run(nbrhood_switch_t *sw);
/* Ends the program: others wait for this rank's part. */
void nbrhood_build_abandon(const nbrhood_switch_t *sw, const char *reason);
/* Whether MPI_Finalize will wait for builds; calls MPI. */
bool nbrhood_wait_in_finalize(void);

/* coll_nbrhood_switch.c */

/* Starts a request that waited; without the lock. */
void nbrhood_switch_start(nbrhood_request_t *request);

END_C_DECLS

#endif
