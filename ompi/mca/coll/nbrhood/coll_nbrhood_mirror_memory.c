/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Host memory for mirrors of device memory. It is pinned, which makes copies fast. Pinning takes
 * long, so the memory is kept in the process.
 */
#include "coll_nbrhood_device.h"
#include "coll_nbrhood_mirror.h"

#include <sys/mman.h>

/* Sizes are powers of two up to FINE, then multiples of FINE. At most MOST_IDLE bytes are kept. */
enum { LEAST = 1 << 16, FINE = 1 << 20, MOST_IDLE = 1 << 28 };

static opal_mutex_t lock;
static nbrhood_mirror_memory_t *idle;
static size_t idle_bytes;

void nbrhood_mirror_memory_open(void)
{
    OBJ_CONSTRUCT(&lock, opal_mutex_t);
}

static void destroy(nbrhood_mirror_memory_t *memory)
{
    if (memory->pinned) {
        nbrhood_device->unpin(memory->data);
    }
    munmap(memory->data, memory->bytes);
    free(memory);
}

void nbrhood_mirror_memory_close(void)
{
    while (NULL != idle) {
        nbrhood_mirror_memory_t *memory = idle;
        idle = memory->next;
        destroy(memory);
    }
    idle_bytes = 0;
    OBJ_DESTRUCT(&lock);
}

/* Returns 0 for an impossible size. */
static size_t round_up(size_t bytes)
{
    size_t room = LEAST;
    if (bytes > FINE) {
        return bytes > SIZE_MAX - FINE ? 0 : (bytes + FINE - 1) / FINE * FINE;
    }
    while (room < bytes) {
        room *= 2;
    }
    return room;
}

/* Idle memory that is large enough, but less than twice as large. */
static nbrhood_mirror_memory_t *find_idle(size_t bytes)
{
    nbrhood_mirror_memory_t **link = &idle, *memory;
    OPAL_THREAD_LOCK(&lock);
    while (NULL != (memory = *link) && (memory->bytes < bytes || memory->bytes / 2 > bytes)) {
        link = &memory->next;
    }
    if (NULL != memory) {
        *link = memory->next;
        idle_bytes -= memory->bytes;
    }
    OPAL_THREAD_UNLOCK(&lock);
    return memory;
}

nbrhood_mirror_memory_t *nbrhood_mirror_memory_take(size_t bytes)
{
    const size_t room = round_up(bytes);
    nbrhood_mirror_memory_t *memory = find_idle(room);
    if (NULL != memory || 0 == room) {
        return memory;
    }
    memory = malloc(sizeof *memory);
    if (NULL == memory) {
        return NULL;
    }
    void *data = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (MAP_FAILED == data) {
        free(memory);
        return NULL;
    }
    const bool pinned = NULL != nbrhood_device->pin && nbrhood_device->pin(data, room);
    *memory = (nbrhood_mirror_memory_t){NULL, data, room, pinned};
    return memory;
}

void nbrhood_mirror_memory_give_back(nbrhood_mirror_memory_t *memory)
{
    if (NULL == memory) {
        return;
    }
    OPAL_THREAD_LOCK(&lock);
    const bool kept = memory->bytes <= MOST_IDLE && idle_bytes <= MOST_IDLE - memory->bytes;
    if (kept) {
        memory->next = idle;
        idle = memory;
        idle_bytes += memory->bytes;
    }
    OPAL_THREAD_UNLOCK(&lock);
    if (!kept) {
        destroy(memory);
    }
}
