/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The PML, and progress (coll_nbrhood_transport.c). */
#ifndef COLL_NBRHOOD_TRANSPORT_H
#define COLL_NBRHOOD_TRANSPORT_H

#include "coll_nbrhood_request.h"

extern const nbrhood_transport nbrhood_pml_transport;
/* Starts a request by calling `start`, with the lock held if there are threads. */
typedef void (*nbrhood_starter_t)(nbrhood_request_t *request, void *context);
void nbrhood_launch(nbrhood_request_t *request, nbrhood_starter_t start, void *context);
/* Starts the request's plan in this way. */
void nbrhood_start(nbrhood_request_t *request, int tag, uint32_t sequence);
/* Registers a progress function without which operations of this rank would never end. Aborts
 * the program if there is no memory. */
void nbrhood_register_progress(int (*function)(void), ompi_communicator_t *comm);

#endif
