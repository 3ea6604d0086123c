#include "topology_file.h"

#include "common/error.h"

#include <hwloc.h>

#include "coll_nbrhood_domain.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace nbrhood_explain {

namespace {

using nbrhood_bench::InputError;

/// hwloc does not tell why it could not read a file.
void check_readable(const std::string &path)
{
    std::FILE *const file = std::fopen(path.c_str(), "r");
    if (file == nullptr)
        throw InputError(path, 0, std::strerror(errno));
    errno = 0;
    const bool empty = std::fgetc(file) == EOF;
    const int failure = errno;
    std::fclose(file);
    if (empty)
        throw InputError(path, 0, failure != 0 ? std::strerror(failure) : "it is empty");
}

class Topology {
public:
    explicit Topology(const std::string &path)
    {
        if (hwloc_topology_init(&topology_) != 0)
            throw InputError(path, 0, "hwloc could not be started");
        if (hwloc_topology_set_xml(topology_, path.c_str()) != 0
            || hwloc_topology_load(topology_) != 0) {
            hwloc_topology_destroy(topology_);
            throw InputError(path, 0, "hwloc cannot read it as a topology in XML form");
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
    check_readable(path);
    // What it says on stderr is for those who work on hwloc; a user's own setting remains.
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    const Topology topology(path);
    const hwloc_obj_type_t type = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE) > 0
                                      ? HWLOC_OBJ_CORE
                                      : HWLOC_OBJ_PU;
    std::vector<Core> cores;
    for (hwloc_obj_t object = hwloc_get_next_obj_by_type(topology.get(), type, nullptr);
         object != nullptr; object = hwloc_get_next_obj_by_type(topology.get(), type, object))
        cores.push_back(
            Core{nbrhood_domain_of(topology.get(), HWLOC_OBJ_PACKAGE, object->cpuset),
                 nbrhood_domain_of(topology.get(), HWLOC_OBJ_NUMANODE, object->cpuset)});
    return cores;
}

} // namespace nbrhood_explain
