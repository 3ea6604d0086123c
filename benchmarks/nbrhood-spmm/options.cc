// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "options.h"

#include "common/bounds.h"
#include "common/command_line.h"
#include "common/error.h"
#include "common/named_values.h"
#include "measuring/algorithm_labels.h"
#include "measuring/timing_options.h"

#include <algorithm>
#include <charconv>

namespace nbrhood_tools::spmm {

namespace {

const char *const description =
    "Measures the product of a sparse matrix with a dense one, or with itself, whose rows MPI\n"
    "neighbourhood collectives gather, with several algorithms in one run. Run it under mpirun.\n"
    "Algorithm 'stock' is Open MPI's own, 'allgather' is MPI_Allgather(v) among all ranks; any\n"
    "other name is passed to coll/nbrhood.";

const char *const footer = R"(
The product
  Each rank has a contiguous stripe of rows of the sparse matrix, of the matrix on its right and of
  the product. A rank gathers, for one block of columns after the other, the rows of those ranks that
  own a column in which its rows are not zero, and multiplies. Nonblocking and persistent calls have
  the part of the multiplication between start and wait that needs no other rank's rows.
  The positions in the file count, not its values. Every product is compared bit by bit with that
  of rank 0 alone.
Operations
  neighbor_allgather sends stripes as long as the longest one, neighbor_allgatherv as they are.
Examples
  mpirun -np 64 nbrhood-spmm --matrix bcsstk13.mtx --widths 1,16,256 --block-columns all
  mpirun -np 64 nbrhood-spmm --matrix dwt_193.mtx --matrix Journals.mtx --right matrix \
      --widths all --block-columns 1 --variant nonblocking --json spmm.json
  plot-bench spmm.json -o spmm.svg
Exit status: 0 good, 1 an algorithm led to a wrong product, 2 bad options, 3 bad input.)";

/// Numbers of columns, or "all".
std::vector<int> columns_named(const char *option, const std::vector<std::string> &texts)
{
    std::vector<int> numbers;
    for (const std::string &text : texts) {
        int number = 0;
        if (text == "all") {
            numbers.push_back(Options::all_columns);
            continue;
        }
        const char *end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, number);
        if (result.ec != std::errc() || result.ptr != end || number < 1 || number > most_rows)
            throw OptionError(std::string(option) + ": '" + text
                              + "' is neither a number of columns from 1 to "
                              + std::to_string(most_rows) + " nor all");
        numbers.push_back(number);
    }
    return numbers;
}

std::string columns_text(int columns)
{
    return columns == Options::all_columns ? "all" : std::to_string(columns);
}

bool same(const Configuration &one, const Configuration &other)
{
    return one.shape.right == other.shape.right && one.shape.width == other.shape.width
           && one.shape.block_columns == other.shape.block_columns;
}

} // namespace

Options parse_options(int argc, char **argv)
{
    Options options;
    TimingSettings &timing = options.settings.timing;
    timing.calls = 10;
    std::vector<std::string> rights{"dense"};
    std::vector<std::string> widths{"16"};
    std::vector<std::string> block_columns{"1"};
    std::vector<std::string> operations{"allgatherv"};
    std::vector<std::string> variants{"blocking"};
    std::vector<std::string> algorithms{"auto", "aggregated", "two_step", everyone_label};
    bool no_twin = false;

    CLI::App app(description, "nbrhood-spmm");
    app.footer(footer);
    // The option takes no list with commas, because names of files may contain commas.
    app.add_option("-m,--matrix", options.matrices, "MatrixMarket file; repeat for several")
        ->required()
        ->allow_extra_args(false);
    add_list(app, "-r,--right", rights,
             "what stands on the right: dense, matrix (the same one), or all");
    add_list(app, "-w,--widths", widths,
             "columns of the product, or all: as many as the matrix has (of itself: no more)");
    add_list(app, "-b,--block-columns", block_columns,
             "columns that one call gathers, or all (no more than the width)");
    add_list(app, "-o,--op", operations,
             "allgather, allgatherv, or all; 'neighbor_' may stand before");
    add_list(app, "-V,--variant", variants, "blocking, nonblocking, persistent, or all");
    add_list(app, "-a,--algorithms", algorithms, "algorithms to compare with stock");
    add_timing_options(app, timing, no_twin, "-p,--products", "products",
                       "each matrix, product, operation and variant");
    app.add_option("--first-calls", timing.first_calls,
                   "first calls of auto, in which it may build and try a pattern")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    add_creation_option(app, options.settings.creations);
    add_result_options(app, options.json_file, options.progress, "--progress");

    parse_command_line(app, argc, argv);
    options.rights =
        look_up<Right>("--right", rights, {{"dense", Right::dense}, {"matrix", Right::matrix}}, "");
    options.widths = columns_named("--widths", widths);
    options.block_columns = columns_named("--block-columns", block_columns);
    options.operations = look_up<Operation>(
        "--op", operations,
        {{"allgather", Operation::allgather}, {"allgatherv", Operation::allgatherv}}, "neighbor_");
    options.variants = variants_named(variants);
    std::vector<std::string> known = neighbourhood_algorithms();
    known.emplace_back(everyone_label);
    options.settings.labels = complete_labels(algorithms, known, !no_twin);
    return options;
}

std::vector<Configuration> configurations_for(const Options &options, int columns)
{
    std::vector<Configuration> shapes;
    for (Right right : options.rights) {
        for (int width : options.widths) {
            for (int block_columns : options.block_columns) {
                Configuration c;
                c.shape.right = right;
                const bool cut = right == Right::matrix && width > columns;
                c.shape.width = width == Options::all_columns || cut ? columns : width;
                c.shape.block_columns = block_columns == Options::all_columns
                                            ? c.shape.width
                                            : std::min(block_columns, c.shape.width);
                c.asked = (right == Right::dense ? "x dense, " : "x itself, ") + columns_text(width)
                          + " columns in blocks of " + columns_text(block_columns);
                if (std::none_of(shapes.begin(), shapes.end(),
                                 [&](const Configuration &other) { return same(c, other); }))
                    shapes.push_back(c);
            }
        }
    }
    std::vector<Configuration> configurations;
    for (Operation operation : options.operations)
        for (Variant variant : options.variants)
            for (Configuration c : shapes) {
                c.operation = operation;
                c.variant = variant;
                configurations.push_back(c);
            }
    return configurations;
}

} // namespace nbrhood_tools::spmm
