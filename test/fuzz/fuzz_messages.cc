// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Operations with corrupted relayed messages, over all ranks of a graph in memory.
#include "fuzz_target.h"

#include "corruption.h"

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string fault = nbrhood::test::corrupt_messages(data, size).fault;
    nbrhood_fuzz::demand(fault.empty(), fault);
    return 0;
}
