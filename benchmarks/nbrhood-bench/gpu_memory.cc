// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "gpu_memory.h"

#include "common/error.h"

#include <dlfcn.h>
#include <mpi-ext.h>

#include <stdexcept>
#include <string>

namespace nbrhood_tools::bench {

namespace {

// HIP's headers need not be there; these numbers and types are those of all its releases.
constexpr int hip_default_kind = 4; // HIP finds out which address is on a device

#ifndef NBRHOOD_HIP_SONAME
#define NBRHOOD_HIP_SONAME "libamdhip64.so"
#endif

} // namespace

template <typename Function>
void Hip::find(Function *&function, const char *name) const
{
    function = reinterpret_cast<Function *>(dlsym(library_, name));
    if (function == nullptr)
        throw std::runtime_error(std::string(NBRHOOD_HIP_SONAME " has no ") + name);
}

void Hip::check(int error, const char *call) const
{
    if (error != 0)
        throw std::runtime_error(std::string(call) + ": " + error_text_(error));
}

Hip::Hip(MPI_Comm comm)
{
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int rank_on_node = 0;
    MPI_Comm_rank(node, &rank_on_node);
    MPI_Comm_free(&node);
    std::string failure;
    try {
        load(rank_on_node);
    } catch (const std::runtime_error &error) {
        failure = error.what();
    }
    int failed = failure.empty() ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
    if (failed > 0)
        throw InputError("--memory hip: "
                         + (failure.empty() ? "some ranks have no device" : failure));
}

void Hip::load(int rank_on_node)
{
    library_ = dlopen(NBRHOOD_HIP_SONAME, RTLD_NOW | RTLD_GLOBAL);
    if (library_ == nullptr)
        throw std::runtime_error(dlerror());
    int (*count)(int *devices) = nullptr;
    int (*set)(int device) = nullptr;
    find(error_text_, "hipGetErrorString");
    find(malloc_, "hipMalloc");
    find(free_, "hipFree");
    find(memcpy_, "hipMemcpy");
    find(count, "hipGetDeviceCount");
    find(set, "hipSetDevice");
    int devices = 0;
    const int error = count(&devices);
    if (error != 0 || devices < 1)
        throw std::runtime_error(std::string("HIP finds no GPU on this node (hipGetDeviceCount: ")
                                 + error_text_(error) + ")");
    check(set(rank_on_node % devices), "hipSetDevice");
}

std::shared_ptr<unsigned char> Hip::allocate(std::size_t bytes) const
{
    void *at = nullptr;
    check(malloc_(&at, bytes), "hipMalloc");
    return {static_cast<unsigned char *>(at), free_};
}

void Hip::copy(void *to, const void *from, std::size_t bytes) const
{
    check(memcpy_(to, from, bytes, hip_default_kind), "hipMemcpy");
}

bool Hip::known_to_open_mpi()
{
#if defined(OMPI_HAVE_MPI_EXT_ROCM) && OMPI_HAVE_MPI_EXT_ROCM
    return MPIX_Query_rocm_support() == 1;
#else
    return false;
#endif
}

} // namespace nbrhood_tools::bench
