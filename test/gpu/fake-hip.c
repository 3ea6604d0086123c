/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Replaces HIP's library in test/gpu/run: the process with number K on its node works with the
 * K-th address in NBRHOOD_TEST_GPUS, a list with commas. Memory of a device has addresses that the
 * CPU cannot touch; hipMemcpy reaches it through a second view. */
#define _GNU_SOURCE /* memfd_create */
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE hipError_t hipGetDevice(int *device)
{
    const char *const number = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    *device = NULL != number ? atoi(number) : 0;
    return NULL != getenv("NBRHOOD_TEST_GPUS") ? hipSuccess : hipErrorNoDevice;
}

VISIBLE hipError_t hipGetDeviceCount(int *count)
{
    const char *at = getenv("NBRHOOD_TEST_GPUS");
    *count = 0;
    for (; NULL != at; at = strchr(at + 1, ',')) {
        ++*count;
    }
    return 0 < *count ? hipSuccess : hipErrorNoDevice;
}

VISIBLE hipError_t hipSetDevice(int device)
{
    (void) device;
    return hipSuccess;
}

VISIBLE hipError_t hipDeviceGetPCIBusId(char *address, int length, int device)
{
    const char *at = getenv("NBRHOOD_TEST_GPUS");
    for (; NULL != at && device > 0; --device) {
        at = strchr(at, ',');
        at = NULL != at ? at + 1 : NULL;
    }
    if (NULL == at) {
        return hipErrorInvalidDevice;
    }
    snprintf(address, (size_t) length, "%.*s", (int) strcspn(at, ","), at);
    return hipSuccess;
}

VISIBLE const char *hipGetErrorString(hipError_t error)
{
    return hipErrorNoDevice == error ? "no device" : "an error";
}

VISIBLE hipError_t hipGetLastError(void)
{
    return hipSuccess;
}

/* ---- Memory. Only one thread of the tests calls these functions ---- */

static struct allocation {
    char *view, *contents;
    size_t bytes;
    struct allocation *next;
} * allocations;

static struct allocation *find(const void *address)
{
    struct allocation *own = allocations;
    while (NULL != own && (size_t) ((const char *) address - own->view) >= own->bytes) {
        own = own->next;
    }
    return own;
}

VISIBLE hipError_t hipMalloc(void **at, size_t bytes)
{
    struct allocation *const own = malloc(sizeof *own);
    const int file = memfd_create("device", 0);
    if (NULL == own || 0 > file || 0 != ftruncate(file, (off_t) bytes)) {
        return hipErrorOutOfMemory;
    }
    own->bytes = bytes;
    own->view = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, file, 0);
    own->contents = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (MAP_FAILED == own->view || MAP_FAILED == own->contents) {
        return hipErrorOutOfMemory;
    }
    own->next = allocations;
    allocations = own;
    *at = own->view;
    return hipSuccess;
}

VISIBLE hipError_t hipFree(void *at)
{
    struct allocation **link = &allocations;
    while (NULL != *link && (*link)->view != at) {
        link = &(*link)->next;
    }
    if (NULL == *link) {
        return hipErrorInvalidValue;
    }
    struct allocation *const own = *link;
    *link = own->next;
    munmap(own->view, own->bytes);
    munmap(own->contents, own->bytes);
    free(own);
    return hipSuccess;
}

/* Where the bytes at an address can be touched; ends the program where they leave the allocation.
 */
static char *touchable(const void *address, size_t bytes)
{
    const struct allocation *const own = find(address);
    if (NULL == own) {
        return (char *) address;
    }
    const size_t offset = (size_t) ((const char *) address - own->view);
    if (bytes > own->bytes - offset) {
        fprintf(stderr, "fake-hip: a copy leaves its allocation\n");
        abort();
    }
    return own->contents + offset;
}

VISIBLE hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
    (void) kind;
    memcpy(touchable(to, bytes), touchable(from, bytes), bytes);
    return hipSuccess;
}

VISIBLE hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *at)
{
    memset(attributes, 0, sizeof *attributes);
    if (NULL == find(at)) {
        return hipErrorInvalidValue;
    }
#if HIP_VERSION_MAJOR >= 6
    attributes->type = hipMemoryTypeDevice;
#else
    attributes->memoryType = hipMemoryTypeDevice;
#endif
    return hipSuccess;
}

VISIBLE hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t at)
{
    const struct allocation *const own = find(at);
    if (NULL == own) {
        return hipErrorInvalidValue;
    }
    *base = own->view;
    *bytes = own->bytes;
    return hipSuccess;
}

VISIBLE hipError_t hipHostRegister(void *at, size_t bytes, unsigned int flags)
{
    (void) at;
    (void) bytes;
    (void) flags;
    return hipSuccess;
}

VISIBLE hipError_t hipHostUnregister(void *at)
{
    (void) at;
    return hipSuccess;
}
