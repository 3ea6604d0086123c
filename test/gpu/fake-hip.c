/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Replaces HIP's library in test/gpu/run: the process with number K on its node works with the
 * K-th address in NBRHOOD_TEST_GPUS, a list with commas. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE int hipGetDevice(int *device)
{
    const char *const number = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    *device = NULL != number ? atoi(number) : 0;
    return NULL != getenv("NBRHOOD_TEST_GPUS") ? 0 : 100;
}

VISIBLE int hipDeviceGetPCIBusId(char *address, int length, int device)
{
    const char *at = getenv("NBRHOOD_TEST_GPUS");
    for (; NULL != at && device > 0; --device) {
        at = strchr(at, ',');
        at = NULL != at ? at + 1 : NULL;
    }
    if (NULL == at) {
        return 101;
    }
    snprintf(address, (size_t) length, "%.*s", (int) strcspn(at, ","), at);
    return 0;
}
