// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// An allgather, to be timed and verified.
#pragma once

#include "measuring/interfaces.h"
#include "measuring/mpi_headers.h"
#include "measuring/variant.h"

#include <vector>

namespace nbrhood_tools::allgather {

class Gather : public Repeatable, public Checkable {
public:
    /// The communicator must live longer.
    Gather(MPI_Comm comm, Variant variant, std::size_t bytes);

    void prepare() override;
    void release() override;
    void run() override;
    void fill(std::uint64_t round) override;
    std::size_t check(std::uint64_t round, std::string &first) const override;

private:
    MPI_Comm comm_;
    Variant variant_;
    int rank_ = 0;
    std::vector<unsigned char> sent_;
    std::vector<unsigned char> received_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

} // namespace nbrhood_tools::allgather
