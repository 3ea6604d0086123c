// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "parts.h"

#include "common/output_file.h"
#include "measuring/agreement.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nbrhood_tools::amg {

namespace {

/// The first of `items` that belongs to the k-th of `shares`, as hypre cuts the sides of a grid.
int first_of(int share, int items, int shares)
{
    return share * (items / shares) + std::min(share, items % shares);
}

/// The share that has an item.
int share_of(int item, int items, int shares)
{
    int share = 0;
    while (first_of(share + 1, items, shares) <= item)
        ++share;
    return share;
}

/// The parts of the grid points of this rank, in the order of hypre's rows.
std::vector<int> deal(const Problem &problem, const Problem &parts, int rank)
{
    const int across = rank % problem.ranks_across, down = rank / problem.ranks_across;
    std::vector<int> owners;
    for (int line = first_of(down, problem.lines, problem.ranks_down);
         line < first_of(down + 1, problem.lines, problem.ranks_down); ++line)
        for (int column = first_of(across, problem.columns, problem.ranks_across);
             column < first_of(across + 1, problem.columns, problem.ranks_across); ++column)
            owners.push_back(share_of(line, problem.lines, parts.ranks_down) * parts.ranks_across
                             + share_of(column, problem.columns, parts.ranks_across));
    return owners;
}

/// The values of all ranks, rank after rank.
template <typename Value>
std::vector<Value> gather(const std::vector<Value> &own, MPI_Datatype type, MPI_Comm comm)
{
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    const int count = static_cast<int>(own.size());
    std::vector<int> counts(static_cast<std::size_t>(ranks)), begins(counts.size());
    MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
    std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
    std::vector<Value> all(static_cast<std::size_t>(begins.back() + counts.back()));
    MPI_Allgatherv(own.data(), count, type, all.data(), counts.data(), begins.data(), type, comm);
    return all;
}

/// What the parts need on a level: part * columns + column, ascending and each once. owners: of
/// this rank's rows. width: gets the length of a range of columns.
std::vector<std::int64_t> needs_of(const Level &level, const std::vector<int> &owners, int parts,
                                   std::int64_t &width, MPI_Comm comm)
{
    const std::vector<int> owner = gather(owners, MPI_INT, comm); // by global row
    std::vector<std::int64_t> rows(static_cast<std::size_t>(parts), 0), place;
    for (const int part : owner)
        place.push_back(rows[static_cast<std::size_t>(part)]++);
    width = *std::max_element(rows.begin(), rows.end());
    std::vector<std::int64_t> needs;
    for (std::size_t row = 0; row < owners.size(); ++row)
        for (std::int64_t k = level.row_start[row]; k < level.row_start[row + 1]; ++k) {
            const auto column =
                static_cast<std::size_t>(level.columns[static_cast<std::size_t>(k)]);
            if (owner[column] != owners[row])
                needs.push_back((static_cast<std::int64_t>(owners[row]) * parts + owner[column])
                                    * width
                                + place[column]);
        }
    const auto reduce = [](std::vector<std::int64_t> &values) {
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
    };
    reduce(needs);
    std::vector<std::int64_t> all = gather(needs, MPI_INT64_T, comm);
    reduce(all);
    return all;
}

std::string matrix_text(const std::vector<std::int64_t> &needs, std::int64_t parts,
                        std::int64_t width)
{
    const std::int64_t columns = parts * width;
    std::string text =
        "%%MatrixMarket matrix coordinate pattern general\n% the entries that each of "
        + std::to_string(parts) + " ranks needs\n" + std::to_string(parts) + " "
        + std::to_string(columns) + " " + std::to_string(needs.size()) + "\n";
    for (const std::int64_t need : needs)
        text +=
            std::to_string(need / columns + 1) + " " + std::to_string(need % columns + 1) + "\n";
    return text;
}

} // namespace

void export_parts(const std::string &directory, const Hierarchy &hierarchy, const Problem &problem,
                  const Problem &parts, MPI_Comm comm)
{
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::vector<int> owners = deal(problem, parts, rank);
    for (std::size_t number = 0; number < hierarchy.levels.size(); ++number) {
        const Level &level = hierarchy.levels[number];
        std::int64_t width = 0;
        const std::vector<std::int64_t> needs = needs_of(level, owners, parts.ranks(), width, comm);
        const std::string path = directory + "/level-" + std::to_string(number) + ".mtx";
        if (!needs.empty())
            agree_on_failure(
                rank == 0 ? replace_file(path, matrix_text(needs, parts.ranks(), width)) : "",
                comm);
        std::vector<int> coarse;
        for (const int row : level.coarse_rows)
            coarse.push_back(owners[static_cast<std::size_t>(row)]);
        owners = std::move(coarse);
    }
}

} // namespace nbrhood_tools::amg
