// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "partition.h"

#include "error.h"

#include <metis.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace nbrhood_tools {

std::vector<int> striped_owners(int items, int ranks)
{
    std::vector<int> owner;
    owner.reserve(static_cast<std::size_t>(items));
    for (int rank = 0; rank < ranks; ++rank) {
        const int block = items / ranks + (rank < items % ranks ? 1 : 0);
        owner.insert(owner.end(), static_cast<std::size_t>(block), rank);
    }
    return owner;
}

std::vector<int> metis_owners(const SparseRows &mesh, int ranks)
{
    if (ranks == 1)
        return std::vector<int>(static_cast<std::size_t>(mesh.rows), 0);
    if (mesh.rows < ranks)
        throw InputError("a mesh of " + std::to_string(mesh.rows) + " vertices cannot be cut into "
                         + std::to_string(ranks) + " parts");
    if (mesh.columns.size() > static_cast<std::size_t>(std::numeric_limits<idx_t>::max()))
        throw InputError("more edges than this METIS can count");

    std::vector<idx_t> start(mesh.row_start.begin(), mesh.row_start.end());
    std::vector<idx_t> neighbours(mesh.columns.begin(), mesh.columns.end());
    std::vector<idx_t> part(static_cast<std::size_t>(mesh.rows));
    idx_t vertices = mesh.rows;
    idx_t constraints = 1;
    idx_t parts = ranks;
    idx_t edges_cut = 0;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1; // two runs must measure the same graph
    const int status = METIS_PartGraphKway(&vertices, &constraints, start.data(), neighbours.data(),
                                           nullptr, nullptr, nullptr, &parts, nullptr, nullptr,
                                           options, &edges_cut, part.data());
    if (status != METIS_OK)
        throw InputError("METIS failed with status " + std::to_string(status));
    return std::vector<int>(part.begin(), part.end());
}

std::vector<Neighbourhood> entries_needed(const SparseRows &matrix,
                                          const std::vector<int> &row_owner,
                                          const std::vector<int> &column_owner, int ranks)
{
    std::vector<std::vector<int>> rows_of(static_cast<std::size_t>(ranks));
    for (int row = 0; row < matrix.rows; ++row)
        rows_of[row_owner[row]].push_back(row);

    std::vector<Neighbourhood> parts(static_cast<std::size_t>(ranks));
    for (Neighbourhood &part : parts)
        part.own_entries = 0;
    std::vector<int> number_at_owner; // number of each column among those of its owner
    for (int owner : column_owner)
        number_at_owner.push_back(parts[owner].own_entries++);

    // `last_needed_by` marks a column once for each rank, so that every entry is counted once
    // however many rows use it.
    std::vector<int> last_needed_by(static_cast<std::size_t>(matrix.columns_total), -1);
    // Lists by owner, emptied after each rank; `owners` names the nonempty ones, because there may
    // be many ranks.
    std::vector<std::vector<int>> wanted_from(static_cast<std::size_t>(ranks));
    std::vector<int> owners;
    for (int rank = 0; rank < ranks; ++rank) {
        owners.clear();
        for (int row : rows_of[rank]) {
            for (std::int64_t k = matrix.row_start[row]; k < matrix.row_start[row + 1]; ++k) {
                const int column = matrix.columns[k];
                if (last_needed_by[column] != rank) {
                    last_needed_by[column] = rank;
                    std::vector<int> &wanted = wanted_from[column_owner[column]];
                    if (wanted.empty())
                        owners.push_back(column_owner[column]);
                    wanted.push_back(number_at_owner[column]);
                }
            }
        }
        std::sort(owners.begin(), owners.end());
        for (int owner : owners) {
            std::vector<int> wanted = std::exchange(wanted_from[owner], {});
            if (owner == rank)
                continue;
            std::sort(wanted.begin(), wanted.end());
            const int count = static_cast<int>(wanted.size());
            parts[rank].sources.push_back(owner);
            parts[rank].source_counts.push_back(count);
            parts[rank].source_own_entries.push_back(parts[owner].own_entries);
            parts[rank].source_entries.push_back(wanted);
            parts[owner].destinations.push_back(rank);
            parts[owner].destination_counts.push_back(count);
            parts[owner].destination_entries.push_back(std::move(wanted));
        }
    }
    return parts;
}

} // namespace nbrhood_tools
