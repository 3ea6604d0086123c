// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "topology_file.h"

#include "common/bounds.h"
#include "common/error.h"
#include "common/text_file.h"

#include <hwloc.h>

#include "coll_nbrhood_domain.h"

#include <cstdlib>
#include <string>

namespace nbrhood_tools::explain {

namespace {

class Topology {
public:
    explicit Topology(const std::string &path)
    {
        // hwloc itself would wait at a pipe, read without end, and not report why it failed.
        const std::string text = read_text_file(path, most_description_bytes);
        if (text.empty())
            throw InputError(path, 0, "it is empty");
        if (hwloc_topology_init(&topology_) != 0)
            throw InputError(path, 0, "hwloc could not be started");
        // The length includes the end of the text.
        if (hwloc_topology_set_xmlbuffer(topology_, text.c_str(), static_cast<int>(text.size()) + 1)
                != 0
            || hwloc_topology_load(topology_) != 0) {
            hwloc_topology_destroy(topology_);
            throw InputError(path, 0, "hwloc cannot read it as a topology in XML format");
        }
    }
    Topology(const Topology &) = delete;
    Topology &operator=(const Topology &) = delete;
    ~Topology() { hwloc_topology_destroy(topology_); }

    hwloc_topology_t get() const { return topology_; }

private:
    hwloc_topology_t topology_ = nullptr;
};

} // namespace

std::vector<Core> read_topology_file(const std::string &path)
{
    // hwloc's messages on stderr are for its developers, so they are switched off; a user's own
    // setting remains.
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    const Topology topology(path);
    for (const hwloc_obj_type_t type :
         {HWLOC_OBJ_CORE, HWLOC_OBJ_PU, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L3CACHE})
        if (hwloc_get_nbobjs_by_type(topology.get(), type) > most_objects)
            throw InputError(path, 0,
                             "has more than " + std::to_string(most_objects) + " "
                                 + hwloc_obj_type_string(type) + "s");
    const hwloc_obj_type_t type = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE) > 0
                                      ? HWLOC_OBJ_CORE
                                      : HWLOC_OBJ_PU;
    std::vector<Core> cores;
    for (hwloc_obj_t object = hwloc_get_next_obj_by_type(topology.get(), type, nullptr);
         object != nullptr; object = hwloc_get_next_obj_by_type(topology.get(), type, object))
        cores.push_back(Core{nbrhood_domain_of(topology.get(), HWLOC_OBJ_PACKAGE, object->cpuset),
                             nbrhood_domain_of(topology.get(), HWLOC_OBJ_NUMANODE, object->cpuset),
                             nbrhood_l3_of(topology.get(), object->cpuset), nbrhood::kNoDomain,
                             nbrhood::kNoDomain});
    if (cores.empty())
        throw InputError(path, 0, "describes a node without a core to run on");
    return cores;
}

} // namespace nbrhood_tools::explain
