// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "hierarchy.h"

#include "common/error.h"

#include <_hypre_parcsr_ls.h>

#include <algorithm>
#include <cmath>

namespace nbrhood_tools::amg {

namespace {

/// hypre's matrices and vectors, from creation to destruction.
class System {
public:
    System(const Problem &problem, MPI_Comm comm)
    {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        HYPRE_Init();
        matrix_ =
            GenerateRotate7pt(comm, problem.columns, problem.lines, problem.ranks_across,
                              problem.ranks_down, rank % problem.ranks_across,
                              rank / problem.ranks_across, Problem::angle, Problem::anisotropy);
        right_ = hypre_ParVectorInRangeOf(matrix_);
        solution_ = hypre_ParVectorInDomainOf(matrix_);
        // Setup does not read the values, but refuses vectors without memory.
        hypre_ParVectorSetConstantValues(right_, 1);
        hypre_ParVectorSetConstantValues(solution_, 0);
        HYPRE_BoomerAMGCreate(&solver_);
    }
    ~System()
    {
        HYPRE_BoomerAMGDestroy(solver_);
        hypre_ParVectorDestroy(solution_);
        hypre_ParVectorDestroy(right_);
        HYPRE_ParCSRMatrixDestroy(matrix_);
        HYPRE_Finalize();
    }
    System(const System &) = delete;
    System &operator=(const System &) = delete;

    /// Returns hypre's error flag, 0 if there was none.
    HYPRE_Int set_up() { return HYPRE_BoomerAMGSetup(solver_, matrix_, right_, solution_); }

    std::vector<hypre_ParCSRMatrix *> matrices() const
    {
        hypre_ParCSRMatrix **first = hypre_ParAMGDataAArray(data());
        return {first, first + hypre_ParAMGDataNumLevels(data())};
    }

    /// The local rows of a level that are rows of the next one.
    std::vector<int> coarse_rows(std::size_t level) const
    {
        const hypre_IntArray *marks = hypre_ParAMGDataCFMarkerArray(data())[level];
        std::vector<int> rows;
        for (int row = 0; marks != nullptr && row < hypre_IntArraySize(marks); ++row)
            if (hypre_IntArrayData(marks)[row] > 0)
                rows.push_back(row);
        return rows;
    }

private:
    hypre_ParAMGData *data() const
    {
        return static_cast<hypre_ParAMGData *>(static_cast<void *>(solver_));
    }

    HYPRE_ParCSRMatrix matrix_ = nullptr;
    hypre_ParVector *right_ = nullptr;
    hypre_ParVector *solution_ = nullptr;
    HYPRE_Solver solver_ = nullptr;
};

/// The number of entries of each neighbour, from the offsets of their beginnings.
std::vector<int> counts_of(const HYPRE_Int *starts, int neighbours)
{
    std::vector<int> counts;
    for (int i = 0; i < neighbours; ++i)
        counts.push_back(starts[i + 1] - starts[i]);
    return counts;
}

/// Adds the columns of all local rows.
void add_columns(hypre_ParCSRMatrix *matrix, Level &level)
{
    const hypre_CSRMatrix *own = hypre_ParCSRMatrixDiag(matrix);
    const hypre_CSRMatrix *others = hypre_ParCSRMatrixOffd(matrix);
    const bool has_others = hypre_CSRMatrixNumCols(others) > 0;
    for (int row = 0; row < hypre_CSRMatrixNumRows(own); ++row) {
        for (int k = hypre_CSRMatrixI(own)[row]; k < hypre_CSRMatrixI(own)[row + 1]; ++k)
            level.columns.push_back(level.first_row + hypre_CSRMatrixJ(own)[k]);
        for (int k = has_others ? hypre_CSRMatrixI(others)[row] : 0;
             has_others && k < hypre_CSRMatrixI(others)[row + 1]; ++k)
            level.columns.push_back(
                hypre_ParCSRMatrixColMapOffd(matrix)[hypre_CSRMatrixJ(others)[k]]);
        level.row_start.push_back(static_cast<std::int64_t>(level.columns.size()));
    }
}

Level level_of(hypre_ParCSRMatrix *matrix)
{
    // The coarsest level may have no package, because its system is solved differently.
    if (hypre_ParCSRMatrixCommPkg(matrix) == nullptr)
        hypre_MatvecCommPkgCreate(matrix);
    const hypre_ParCSRCommPkg *package = hypre_ParCSRMatrixCommPkg(matrix);

    Level level;
    level.rows = hypre_ParCSRMatrixGlobalNumRows(matrix);
    hypre_ParCSRMatrixSetDNumNonzeros(matrix);
    level.nonzeros = std::llround(hypre_ParCSRMatrixDNumNonzeros(matrix));
    // The vector is divided like the columns.
    level.first_row = hypre_ParCSRMatrixFirstColDiag(matrix);
    level.own_rows = hypre_CSRMatrixNumCols(hypre_ParCSRMatrixDiag(matrix));
    add_columns(matrix, level);

    const int sends = hypre_ParCSRCommPkgNumSends(package);
    const int receives = hypre_ParCSRCommPkgNumRecvs(package);
    const HYPRE_Int *send_ranks = hypre_ParCSRCommPkgSendProcs(package);
    const HYPRE_Int *receive_ranks = hypre_ParCSRCommPkgRecvProcs(package);
    level.edges.destinations.assign(send_ranks, send_ranks + sends);
    level.edges.sources.assign(receive_ranks, receive_ranks + receives);
    level.edges.destination_counts = counts_of(hypre_ParCSRCommPkgSendMapStarts(package), sends);
    level.edges.source_counts = counts_of(hypre_ParCSRCommPkgRecvVecStarts(package), receives);

    if (sends > 0) {
        const HYPRE_Int *rows = hypre_ParCSRCommPkgSendMapElmts(package);
        level.sent_rows.assign(rows, rows + hypre_ParCSRCommPkgSendMapStart(package, sends));
    }
    if (receives > 0) {
        // Received entries are in the order of the columns of the off-diagonal part.
        const HYPRE_BigInt *columns = hypre_ParCSRMatrixColMapOffd(matrix);
        level.received_rows.assign(columns,
                                   columns + hypre_ParCSRCommPkgRecvVecStart(package, receives));
    }
    return level;
}

/// The largest divisor of `number` that is at most its square root.
std::int64_t divisor_below_root(std::int64_t number)
{
    auto divisor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(number)));
    while (number % divisor != 0)
        --divisor;
    return divisor;
}

} // namespace

Problem make_problem(std::int64_t rows, int ranks)
{
    const std::int64_t lines = divisor_below_root(rows);
    const auto down = static_cast<int>(divisor_below_root(ranks));
    if (rows / lines > 4 * lines)
        throw OptionError("a grid of " + std::to_string(rows)
                          + " points cannot be nearly square; powers of two can");
    Problem problem;
    problem.columns = static_cast<int>(rows / lines);
    problem.lines = static_cast<int>(lines);
    problem.ranks_across = ranks / down;
    problem.ranks_down = down;
    if (problem.columns < problem.ranks_across || problem.lines < problem.ranks_down)
        throw OptionError("a grid of " + std::to_string(problem.columns) + " x "
                          + std::to_string(problem.lines) + " points cannot be cut into "
                          + std::to_string(problem.ranks_across) + " x "
                          + std::to_string(problem.ranks_down) + " rectangles, one for each rank");
    return problem;
}

Hierarchy make_hierarchy(const Problem &problem, MPI_Comm comm)
{
    System system(problem, comm);
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    int failed = system.set_up() != 0 ? 1 : 0;
    Hierarchy hierarchy;
    hierarchy.setup_seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, &hierarchy.setup_seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (failed != 0)
        throw InputError("hypre could not set BoomerAMG up");
    for (hypre_ParCSRMatrix *matrix : system.matrices()) {
        hierarchy.levels.push_back(level_of(matrix));
        const std::size_t number = hierarchy.levels.size() - 1;
        if (matrix != system.matrices().back()) // the last level has no marks
            hierarchy.levels.back().coarse_rows = system.coarse_rows(number);
    }
    return hierarchy;
}

std::string hypre_version()
{
    return HYPRE_RELEASE_VERSION;
}

} // namespace nbrhood_tools::amg
