// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Meshes in METIS's graph format, partitioned by METIS, which does not check its input.
#include "common/error.h"
#include "common/mesh_reader.h"
#include "common/partition.h"
#include "sparse_rows_check.h"

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text = nbrhood_fuzz::text_of(data, size);
    nbrhood_tools::SparseRows mesh;
    const auto read = [&] { mesh = nbrhood_tools::parse_metis_graph(text, "file"); };
    if (!nbrhood_fuzz::reads_file<nbrhood_tools::InputError>(text, "file", read)) {
        return 0;
    }
    nbrhood_fuzz::check_rows(mesh);
    try {
        const std::vector<int> owners = nbrhood_tools::metis_owners(mesh, 3);
        nbrhood_tools::entries_needed(mesh, owners, owners, 3);
    } catch (const nbrhood_tools::InputError &) {
        // Too few vertices for the ranks.
    }
    return 0;
}
