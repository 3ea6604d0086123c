/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The socket, NUMA domain or L3 cache of cores. C and C++. Include hwloc's header first; it is
 * not included here because the component must use Open MPI's. */
#ifndef COLL_NBRHOOD_DOMAIN_H
#define COLL_NBRHOOD_DOMAIN_H

#include "core/capi/nbrhood_machine.h"

#include <stdbool.h>

/* Whether an object is a domain: it has cores, no earlier object of its type has the same cores,
 * and no object of its type has only a part of them. Memory of several kinds makes NUMA nodes
 * with equal cores; memory without cores of its own makes a NUMA node that spans others. */
static inline bool nbrhood_is_domain(hwloc_topology_t topology, hwloc_obj_t object)
{
    if (hwloc_bitmap_iszero(object->cpuset)) {
        return false;
    }
    for (hwloc_obj_t other = hwloc_get_next_obj_by_type(topology, object->type, NULL);
         NULL != other; other = hwloc_get_next_obj_by_type(topology, object->type, other)) {
        if (other == object || hwloc_bitmap_iszero(other->cpuset)
            || !hwloc_bitmap_isincluded(other->cpuset, object->cpuset)) {
            continue;
        }
        if (!hwloc_bitmap_isequal(other->cpuset, object->cpuset)
            || other->logical_index < object->logical_index) {
            return false;
        }
    }
    return true;
}

/* The number within the node, from 1, of the domain (of this type: package, NUMA node or L3 cache)
 * that holds all these cores; NBRHOOD_NO_DOMAIN if none does, or if there are no cores.
 */
static inline int16_t nbrhood_domain_of(hwloc_topology_t topology, hwloc_obj_type_t type,
                                        hwloc_const_bitmap_t cores)
{
    if (hwloc_bitmap_iszero(cores)) {
        return NBRHOOD_NO_DOMAIN;
    }
    for (hwloc_obj_t object = hwloc_get_next_obj_by_type(topology, type, NULL); NULL != object;
         object = hwloc_get_next_obj_by_type(topology, type, object)) {
        if (hwloc_bitmap_isincluded(cores, object->cpuset) && nbrhood_is_domain(topology, object)) {
            return object->logical_index < INT16_MAX ? (int16_t) (object->logical_index + 1)
                                                     : NBRHOOD_NO_DOMAIN;
        }
    }
    return NBRHOOD_NO_DOMAIN;
}

/* The same for the L3 cache; hwloc before 2.0 has one type for the caches of all levels. */
static inline int16_t nbrhood_l3_of(hwloc_topology_t topology, hwloc_const_bitmap_t cores)
{
#if HWLOC_API_VERSION >= 0x00020000
    return nbrhood_domain_of(topology, HWLOC_OBJ_L3CACHE, cores);
#else
    (void) topology;
    (void) cores;
    return NBRHOOD_NO_DOMAIN;
#endif
}

#endif
