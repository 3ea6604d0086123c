/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The GPUs of this node from AMD's libraries. Plain C without Open MPI, also for nbrhood-explain
 * and tests. */
#ifndef COLL_NBRHOOD_ROCM_H
#define COLL_NBRHOOD_ROCM_H

#include "core/capi/nbrhood_die_links.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The location of the current device of this thread, from HIP. False, with the reason in `why`,
 * if the program has not loaded HIP, or there is no device. */
bool nbrhood_hip_current(nbrhood_gpu *gpu, char *why, size_t room);

/* The GPU dies of this node and the links between them, from rocm_smi_lib. NULL, with the reason
 * in `why`, if there are none, or their links are not known. Takes milliseconds, because the
 * library reads many files of the kernel. */
nbrhood_die_links *nbrhood_rocm_links(char *why, size_t room);

#ifdef __cplusplus
}
#endif

#endif
