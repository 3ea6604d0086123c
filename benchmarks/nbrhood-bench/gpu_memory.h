// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Buffers in the memory of a GPU, by HIP.
#pragma once

#include "measuring/mpi_headers.h"

#include <cstddef>
#include <memory>

namespace nbrhood_tools::bench {

/// HIP, and the device of this rank: the k-th rank of a node has the k-th device, modulo their
/// number. Loads the library, so that programs that need no GPU do not wait for it; from then on
/// the component finds it in the process.
class Hip {
public:
    /// Collective. Throws InputError on every rank, with HIP's own words, if the library or a
    /// device is missing on one of them.
    explicit Hip(MPI_Comm comm);

    /// Bytes on the device. Throws std::runtime_error, which ends the run, if there are too few.
    std::shared_ptr<unsigned char> allocate(std::size_t bytes) const;
    /// From host to device or back. Throws likewise.
    void copy(void *to, const void *from, std::size_t bytes) const;

    /// Whether Open MPI's own collectives take such memory.
    static bool known_to_open_mpi();

private:
    void load(int rank_on_node);
    template <typename Function>
    void find(Function *&function, const char *name) const;
    void check(int error, const char *call) const;

    void *library_ = nullptr; // stays loaded
    const char *(*error_text_)(int error) = nullptr;
    int (*malloc_)(void **at, std::size_t bytes) = nullptr;
    int (*free_)(void *at) = nullptr;
    int (*memcpy_)(void *to, const void *from, std::size_t bytes, int kind) = nullptr;
};

} // namespace nbrhood_tools::bench
