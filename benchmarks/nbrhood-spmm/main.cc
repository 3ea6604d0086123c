// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// nbrhood-spmm: measures products of sparse matrices whose rows neighbourhood collectives gather.
// See --help.
#include "json_output.h"
#include "options.h"
#include "tables.h"

#include "common/progress.h"
#include "measuring/agreement.h"
#include "measuring/algorithm_labels.h"
#include "measuring/program.h"

#include <algorithm>
#include <cstdio>

namespace nbrhood_tools::spmm {

namespace {

/// The labels for which communicators are made.
std::vector<std::string> labels_with_graph(const Settings &settings)
{
    std::vector<std::string> labels;
    for (const std::string &label : settings.labels)
        if (label != everyone_label)
            labels.push_back(label);
    return labels;
}

/// The program from the options to the exit status.
class Benchmark {
public:
    Benchmark(const Options &options, int rank, MPI_Comm comm)
        : options_(options), rank_(rank), comm_(comm)
    {
        run_.settings = options.settings;
    }

    ExitStatus execute()
    {
        run_.environment = describe_environment(comm_);
        if (rank_ == 0)
            warn();
        const std::vector<Matrix> matrices = load_all();
        // An output file that cannot be written must be noticed at once, not after an hour; but a
        // wrong matrix must not destroy the results of an earlier run.
        save(false);
        std::size_t steps = 0;
        for (const Matrix &matrix : matrices)
            steps += configurations_for(options_, matrix.columns.rows).size();
        const Table table(run_.environment, matrices, run_.settings.labels);
        Progress progress("nbrhood-spmm", options_.progress, steps);
        if (rank_ == 0)
            table.print_header(matrices);
        for (const Matrix &matrix : matrices)
            measure(matrix, table, progress);
        save(true);
        if (rank_ == 0)
            table.print_footer(run_);
        const bool right = std::all_of(run_.comparisons.begin(), run_.comparisons.end(),
                                       [](const Comparison &c) { return all_verified(c.methods); });
        return right ? exit_good : exit_wrong_results;
    }

private:
    void warn() const
    {
        std::vector<std::string> collectives;
        for (Operation operation : options_.operations)
            collectives.push_back(name_of(operation));
        warn_about_algorithms("nbrhood-spmm", run_.environment, labels_with_graph(run_.settings),
                              collectives);
    }

    /// Reads all matrices before any measurement: a wrong file name must be noticed at once, not
    /// after an hour.
    std::vector<Matrix> load_all() const
    {
        std::vector<Matrix> matrices;
        for (const std::string &file : options_.matrices) {
            matrices.push_back(load_matrix(file, comm_));
            for (const Configuration &configuration :
                 configurations_for(options_, matrices.back().columns.rows))
                check_shape(matrices.back(), configuration.shape);
        }
        return matrices;
    }

    void measure(const Matrix &matrix, const Table &table, Progress &progress)
    {
        std::vector<Candidate> candidates = create_candidates(
            matrix.edges, labels_with_graph(run_.settings), run_.settings.creations, comm_);
        for (const Configuration &configuration :
             configurations_for(options_, matrix.columns.rows)) {
            if (rank_ == 0)
                progress.next(matrix.name + " " + describe(configuration.shape) + " "
                              + name_of(configuration.operation) + " "
                              + name_of(configuration.variant) + ", blocks of "
                              + std::to_string(configuration.shape.block_columns));
            run_.comparisons.push_back(
                compare(matrix, configuration, candidates, run_.settings, comm_));
            if (rank_ == 0)
                table.print(run_.comparisons.back());
            save(false);
        }
        free_candidates(candidates);
    }

    void save(bool complete) const
    {
        save_results(
            options_.json_file, [&] { return json_text(run_, complete); }, comm_);
    }

    const Options &options_;
    int rank_;
    MPI_Comm comm_;
    Run run_;
};

ExitStatus body(int argc, char **argv, int rank)
{
    const Options options = parse_options(argc, argv);
    return Benchmark(options, rank, MPI_COMM_WORLD).execute();
}

} // namespace

} // namespace nbrhood_tools::spmm

int main(int argc, char **argv)
{
    return nbrhood_tools::run_program("nbrhood-spmm", argc, argv, nbrhood_tools::spmm::body);
}
