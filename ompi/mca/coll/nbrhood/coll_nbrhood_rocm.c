/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* HIP and rocm_smi_lib. A component that is linked with them would make each MPI_Init load HIP's
 * runtime, which takes hundreds of milliseconds; so they are looked up when needed: HIP only if
 * the program has loaded it, rocm_smi_lib only if there is a GPU. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_DEFAULT */
#endif

#include "coll_nbrhood_rocm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if NBRHOOD_HAVE_HIP
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#endif
#if NBRHOOD_HAVE_ROCM_SMI
#include <rocm_smi/rocm_smi.h>
#endif

#if NBRHOOD_HAVE_HIP || NBRHOOD_HAVE_ROCM_SMI

static bool has_driver(char *why, size_t room)
{
    /* Asked once, because it takes some microseconds in each creation and build. */
    static enum { NOT_LOOKED, NO, YES } found = NOT_LOOKED;
    if (NOT_LOOKED == found) {
        found = 0 == access("/sys/class/kfd/kfd/topology/nodes", R_OK) ? YES : NO;
    }
    if (NO == found) {
        snprintf(why, room, "the kernel shows no GPUs of AMD");
    }
    return YES == found;
}

#endif

#if NBRHOOD_HAVE_HIP

bool nbrhood_hip_current(nbrhood_gpu *gpu, char *why, size_t room)
{
    /* In a process with some hundred libraries the search takes as long as ten messages. */
    if (!has_driver(why, room)) {
        return false;
    }
    /* If a program loads HIP privately, as interpreters do, its functions are not found here. */
    void *const library = dlopen(NBRHOOD_HIP_SONAME, RTLD_LAZY | RTLD_NOLOAD);
    void *const scope = NULL != library ? library : RTLD_DEFAULT;
    __typeof__(hipGetDevice) *const get_device =
        (__typeof__(hipGetDevice) *) dlsym(scope, "hipGetDevice");
    __typeof__(hipDeviceGetPCIBusId) *const get_address =
        (__typeof__(hipDeviceGetPCIBusId) *) dlsym(scope, "hipDeviceGetPCIBusId");
    int device = 0, rc = hipSuccess;
    char address[64] = "";
    bool found = false;
    if (NULL == get_device || NULL == get_address) {
        snprintf(why, room, "the program has not loaded HIP");
    } else if (hipSuccess != (rc = (int) get_device(&device))
               || hipSuccess != (rc = (int) get_address(address, sizeof address, device))) {
        snprintf(why, room, "HIP has no current device (error %d)", rc);
    } else if (4
               != sscanf(address, "%x:%x:%x.%x", &gpu->domain, &gpu->bus, &gpu->device,
                         &gpu->function)) {
        snprintf(why, room, "HIP's device %d has the PCI address \"%s\"", device, address);
    } else {
        gpu->numa = -1;
        found = true;
    }
    if (NULL != library) {
        dlclose(library); /* the program still has it */
    }
    return found;
}

#else

bool nbrhood_hip_current(nbrhood_gpu *gpu, char *why, size_t room)
{
    (void) gpu;
    snprintf(why, room, "compiled without HIP");
    return false;
}

#endif

#if NBRHOOD_HAVE_ROCM_SMI

/* The functions of the library that are used. */
#define SMI_FUNCTIONS(apply)                                                                       \
    apply(rsmi_init) apply(rsmi_shut_down) apply(rsmi_num_monitor_devices)                         \
        apply(rsmi_dev_pci_id_get) apply(rsmi_topo_get_numa_node_number)                           \
            apply(rsmi_dev_xgmi_hive_id_get) apply(rsmi_topo_get_link_type)                        \
                apply(rsmi_topo_get_link_weight) apply(rsmi_minmax_bandwidth_get)

typedef struct smi_t {
#define DECLARE(function) __typeof__(function) *function;
    SMI_FUNCTIONS(DECLARE)
} smi_t;

static bool find_functions(void *library, smi_t *smi)
{
    bool all = true;
#define FIND(function)                                                                             \
    smi->function = (__typeof__(function) *) dlsym(library, #function);                            \
    all = all && NULL != smi->function;
    SMI_FUNCTIONS(FIND)
    return all;
}

/* The kernel's weight of a link, for each hop; and the MB/s that it reports for one link. */
enum { WEIGHT_OF_HOP = 15, LINK_BANDWIDTH = 50000 };

/* The links that join two dies: the kernel reports the MB/s of all of them together and of one
 * link. -1: unknown. Dies that reach each other only over other dies are not joined. */
static int count_links(const smi_t *smi, uint32_t a, uint32_t b)
{
    uint64_t hive[2] = {0, 0}, hops = 0, weight = 0, least = 0, most = 0;
    RSMI_IO_LINK_TYPE type = RSMI_IOLINK_TYPE_UNDEFINED;
    /* The library asserts that the kernel's type of a link between two GPUs is one of these. */
    if (RSMI_STATUS_SUCCESS != smi->rsmi_dev_xgmi_hive_id_get(a, &hive[0])
        || RSMI_STATUS_SUCCESS != smi->rsmi_dev_xgmi_hive_id_get(b, &hive[1]) || 0 == hive[0]
        || hive[0] != hive[1]
        || RSMI_STATUS_SUCCESS != smi->rsmi_topo_get_link_type(a, b, &hops, &type)
        || RSMI_IOLINK_TYPE_XGMI != type) {
        return 0;
    }
    if (RSMI_STATUS_SUCCESS != smi->rsmi_topo_get_link_weight(a, b, &weight)
        || RSMI_STATUS_SUCCESS != smi->rsmi_minmax_bandwidth_get(a, b, &least, &most)) {
        return -1;
    }
    if (weight > WEIGHT_OF_HOP) {
        return 0;
    }
    least = 0 == least ? LINK_BANDWIDTH : least;
    const uint64_t links = (most + least / 2) / least;
    return 0 == links || links > 1000 ? -1 : (int) links;
}

static bool read_place(const smi_t *smi, uint32_t device, nbrhood_gpu *gpu)
{
    uint64_t id = 0;
    uint32_t numa = 0;
    if (RSMI_STATUS_SUCCESS != smi->rsmi_dev_pci_id_get(device, &id)) {
        return false;
    }
    *gpu = (nbrhood_gpu){.domain = (uint32_t) (id >> 32),
                         .bus = (uint32_t) (id >> 8 & 0xff),
                         .device = (uint32_t) (id >> 3 & 0x1f),
                         .function = (uint32_t) (id & 7),
                         .numa = -1};
    if (RSMI_STATUS_SUCCESS == smi->rsmi_topo_get_numa_node_number(device, &numa)) {
        gpu->numa = (int) numa;
    }
    return true;
}

static nbrhood_die_links *read_links(const smi_t *smi, char *why, size_t room)
{
    nbrhood_gpu where[NBRHOOD_MOST_DIES];
    uint32_t dies = 0;
    if (RSMI_STATUS_SUCCESS != smi->rsmi_num_monitor_devices(&dies) || 0 == dies
        || dies > NBRHOOD_MOST_DIES) {
        snprintf(why, room, "rocm_smi_lib finds %u GPUs", dies);
        return NULL;
    }
    int *links = calloc((size_t) dies * dies, sizeof *links);
    if (NULL == links) {
        snprintf(why, room, "there is no memory");
        return NULL;
    }
    bool known = true;
    for (uint32_t a = 0; known && a < dies; ++a) {
        if (!read_place(smi, a, &where[a])) {
            snprintf(why, room, "rocm_smi_lib does not know where GPU %u is", a);
            known = false;
        }
        for (uint32_t b = 0; known && b < dies; ++b) {
            const int count = a == b ? 0 : count_links(smi, a, b);
            if (count < 0) {
                snprintf(why, room, "rocm_smi_lib does not know how many links join GPUs %u and %u",
                         a, b);
                known = false;
            }
            links[a * dies + b] = count;
        }
    }
    nbrhood_die_links *result =
        known ? nbrhood_die_links_create((int) dies, links, where, why, room) : NULL;
    free(links);
    return result;
}

nbrhood_die_links *nbrhood_rocm_links(char *why, size_t room)
{
    /* Without the driver the library writes to stderr. */
    if (!has_driver(why, room)) {
        return NULL;
    }
    void *const library = dlopen(NBRHOOD_ROCM_SMI_SONAME, RTLD_LAZY | RTLD_LOCAL);
    smi_t smi;
    nbrhood_die_links *links = NULL;
    rsmi_status_t rc = RSMI_STATUS_SUCCESS;
    if (NULL == library || !find_functions(library, &smi)) {
        snprintf(why, room, "%s cannot be used", NBRHOOD_ROCM_SMI_SONAME);
    } else if (RSMI_STATUS_SUCCESS != (rc = smi.rsmi_init(0))) {
        snprintf(why, room, "rsmi_init: error %d", (int) rc);
    } else {
        links = read_links(&smi, why, room);
        (void) smi.rsmi_shut_down();
    }
    /* The library stays loaded, because its static objects must not be destroyed before the
     * program ends. */
    return links;
}

#else

nbrhood_die_links *nbrhood_rocm_links(char *why, size_t room)
{
    snprintf(why, room, "compiled without rocm_smi_lib");
    return NULL;
}

#endif
