/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Device memory, which only copy functions may touch: a small interface, and its implementations.
 * Includes no header of Open MPI, since tests imitate a device.
 */
#ifndef COLL_NBRHOOD_DEVICE_H
#define COLL_NBRHOOD_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of an accelerator that calls need. Any thread may call them, also from progress. */
typedef struct nbrhood_device_t {
    const char *name;
    bool known_to_open_mpi; /* Open MPI's own functions take its addresses */
    /* Whether the byte at an address is on a device (as managed memory is), and on which. */
    bool (*holds)(const void *address, int *id);
    /* The range around an address on a device that one copy may span, from `begin` to before
     * `end`; false if it is not known. NULL: it is never known. */
    bool (*find_allocation)(const void *address, int id, uintptr_t *begin, uintptr_t *end);
    /* Copy from a device, and to a device. They return after the copy, with 0 or an error code. */
    int (*copy_out)(void *host, const void *device, int id, size_t bytes);
    int (*copy_in)(void *device, int id, const void *host, size_t bytes);
    /* Pin host memory, which makes copies fast, and unpin it. NULL: not possible. */
    bool (*pin)(void *host, size_t bytes);
    void (*unpin)(void *host);
} nbrhood_device_t;

/* The accelerator of this process; NULL if no buffer can be on a device. */
extern const nbrhood_device_t *nbrhood_device;

/* coll_nbrhood_device.c: finds it, according to the parameter coll_nbrhood_device. */
void nbrhood_device_open(void);

/* A program that imitates a device has a table of this name among its dynamic symbols. */
#define NBRHOOD_TEST_DEVICE "nbrhood_test_device"

#endif
