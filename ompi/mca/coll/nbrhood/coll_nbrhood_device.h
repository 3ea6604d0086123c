/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Memory of devices, which only copy functions may touch: one small interface, and what implements
 * it. Includes nothing of Open MPI, since the tests imitate a device.
 */
#ifndef COLL_NBRHOOD_DEVICE_H
#define COLL_NBRHOOD_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An accelerator, as far as calls need one. Any thread may call, from progress, too. */
typedef struct nbrhood_device_t {
    const char *name;
    bool known_to_open_mpi; /* whose own functions then take its addresses */
    /* Whether the byte at an address is on a device, and on which; managed memory is. */
    bool (*holds)(const void *address, int *id);
    /* The range that one copy may take around an address on a device, from `begin` to before `end`;
     * false if it is not known. NULL: it never is. */
    bool (*find_allocation)(const void *address, int id, uintptr_t *begin, uintptr_t *end);
    /* Copy from a device and to one; back when that is done. 0, or what went wrong. */
    int (*copy_out)(void *host, const void *device, int id, size_t bytes);
    int (*copy_in)(void *device, int id, const void *host, size_t bytes);
    /* Makes such copies from and to that host memory fast, and ends that. NULL: nothing does. */
    bool (*pin)(void *host, size_t bytes);
    void (*unpin)(void *host);
} nbrhood_device_t;

/* The one of this process; NULL where no buffer can be on a device. */
extern const nbrhood_device_t *nbrhood_device;

/* coll_nbrhood_device.c: finds it, as coll_nbrhood_device says. */
void nbrhood_device_open(void);

/* A program that imitates a device has a table of this name among its dynamic symbols. */
#define NBRHOOD_TEST_DEVICE "nbrhood_test_device"

#endif
