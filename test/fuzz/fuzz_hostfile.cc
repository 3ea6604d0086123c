// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Hostfiles of Open MPI.
#include "fuzz_target.h"

#include "common/error.h"
#include "nbrhood-explain/hostfile.h"

using nbrhood_fuzz::demand;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text = nbrhood_fuzz::text_of(data, size);
    std::vector<nbrhood_tools::explain::Node> nodes;
    const auto read = [&] { nodes = nbrhood_tools::explain::parse_hostfile(text, "file"); };
    if (!nbrhood_fuzz::reads_file<nbrhood_tools::InputError>(text, "file", read)) {
        return 0;
    }
    demand(!nodes.empty(), "a hostfile has a host");
    for (const nbrhood_tools::explain::Node &node : nodes) {
        demand(!node.name.empty() && node.line >= 1
                   && node.line <= static_cast<long>(nbrhood_fuzz::lines_of(text)),
               "a host has a name and a line");
        demand(node.slots >= 1 && (node.most_ranks == 0 || node.slots <= node.most_ranks),
               "a host has slots, at most as many as it allows");
        demand(node.cores && !node.cores->empty(), "a host has cores");
    }
    return 0;
}
