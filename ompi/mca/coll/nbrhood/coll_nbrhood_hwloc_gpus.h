/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The GPUs that hwloc knows. C and C++. Include hwloc's header first; it is not included here
 * because the component must use Open MPI's. */
#ifndef COLL_NBRHOOD_HWLOC_GPUS_H
#define COLL_NBRHOOD_HWLOC_GPUS_H

#include "core/capi/nbrhood_die_links.h"

#include <stdbool.h>
#include <string.h>

#if HWLOC_API_VERSION >= 0x00020000

/* Whether hwloc had this device from rocm_smi_lib when it wrote the topology. */
static inline bool nbrhood_is_named_gpu(hwloc_obj_t device)
{
    for (hwloc_obj_t child = device->io_first_child; NULL != child; child = child->next_sibling) {
        if (HWLOC_OBJ_OS_DEVICE == child->type && NULL != child->name
            && 0 == strncmp(child->name, "rsmi", 4)) {
            return true;
        }
    }
    return false;
}

/* Whether a device of AMD is a display controller that is not VGA, or a processing accelerator. */
static inline bool nbrhood_may_be_gpu(hwloc_obj_t device)
{
    const unsigned kind = device->attr->pcidev.class_id;
    return 0x1002 == device->attr->pcidev.vendor_id
           && ((0x03 == kind >> 8 && 0x0300 != kind) || 0x12 == kind >> 8);
}

/* The number of the nearest NUMA node; -1 if there are several. */
static inline int nbrhood_numa_of(hwloc_topology_t topology, hwloc_obj_t device)
{
    const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology, device);
    return NULL != near && NULL != near->nodeset && 1 == hwloc_bitmap_weight(near->nodeset)
               ? hwloc_bitmap_first(near->nodeset)
               : -1;
}

/* AMD's GPUs in a topology: the devices that hwloc got from rocm_smi_lib or, if there are none, all
 * devices that may be GPUs. The topology must have been loaded with its I/O devices. Returns their
 * number; puts at most `room` into gpus. */
static inline size_t nbrhood_hwloc_gpus(hwloc_topology_t topology, nbrhood_gpu *gpus, size_t room)
{
    size_t count = 0;
    for (int named = 1; named >= 0 && 0 == count; --named) {
        for (hwloc_obj_t device = hwloc_get_next_pcidev(topology, NULL); NULL != device;
             device = hwloc_get_next_pcidev(topology, device)) {
            if (named ? !nbrhood_is_named_gpu(device) : !nbrhood_may_be_gpu(device)) {
                continue;
            }
            if (count < room) {
                gpus[count].domain = device->attr->pcidev.domain;
                gpus[count].bus = device->attr->pcidev.bus;
                gpus[count].device = device->attr->pcidev.dev;
                gpus[count].function = device->attr->pcidev.func;
                gpus[count].numa = nbrhood_numa_of(topology, device);
            }
            ++count;
        }
    }
    return count;
}

/* Adds the GPUs of a topology in hwloc's XML format to a table of links. False, with the reason
 * in `why`, if it cannot be read or contradicts the table. text: `length` bytes and a zero. */
static inline bool nbrhood_add_xml_gpus(nbrhood_die_links *links, const char *text, size_t length,
                                        char *why, size_t room)
{
    hwloc_topology_t topology;
    nbrhood_gpu gpus[NBRHOOD_MOST_DIES];
    if (0 != hwloc_topology_init(&topology)) {
        strncpy(why, "hwloc could not be started", room - 1);
        return false;
    }
    bool good = false;
    if (0 != hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL)
        || 0 != hwloc_topology_set_xmlbuffer(topology, text, (int) length + 1)
        || 0 != hwloc_topology_load(topology)) {
        strncpy(why, "hwloc cannot read it as a topology in XML format", room - 1);
    } else {
        const size_t count = nbrhood_hwloc_gpus(topology, gpus, NBRHOOD_MOST_DIES);
        const size_t most = NBRHOOD_MOST_DIES;
        good = nbrhood_die_links_add_gpus(links, gpus, count < most ? count : most, why, room);
    }
    hwloc_topology_destroy(topology);
    return good;
}

#endif

#endif
