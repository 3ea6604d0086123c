// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "tables.h"

#include "common/number_text.h"
#include "common/ratio_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace nbrhood_tools::spmm {

namespace {

/// Milliseconds; "-" if nothing was made.
std::string milliseconds(const std::vector<double> &seconds)
{
    return seconds.empty() ? "-" : number_text(median(seconds) * 1e3, "%.2f");
}

} // namespace

Table::Table(const Environment &environment, const std::vector<Matrix> &matrices,
             const std::vector<std::string> &labels)
    : environment_(environment),
      table_({"matrix", "product", "calls", "operation", "variant", "bytes/edge", "algorithm",
              "create ms", "init ms", "us/product", "speed-up", "95% interval", "break-even"},
             2, {3, 4, 6, 11})
{
    for (const Matrix &matrix : matrices)
        table_.widen(0, matrix.name);
    for (const std::string &label : labels) {
        table_.widen(6, label);
        label_width_ = std::max(label_width_, static_cast<int>(label.size()));
    }
    table_.widen(1, "x itself, 10000 columns");
    table_.widen(3, "allgatherv");
    table_.widen(4, "nonblocking");
    table_.widen(11, "[10.00, 10.00]");
}

void Table::print_header(const std::vector<Matrix> &matrices) const
{
    print_environment(environment_);
    for (const Matrix &matrix : matrices)
        std::printf(
            "# %s: %d x %d, %lld entries, %lld edges between ranks, degree %.1f/%d, stripes "
            "of %d to %d rows\n",
            matrix.name.c_str(), matrix.rows.rows, matrix.columns.rows,
            static_cast<long long>(matrix.entries), static_cast<long long>(matrix.facts.edges),
            matrix.facts.mean_degree, matrix.facts.max_degree,
            matrix.columns.size(environment_.ranks - 1), matrix.columns.largest());
    table_.print_header();
    std::fflush(stdout);
}

void Table::print(const Comparison &comparison) const
{
    const Configuration &c = comparison.configuration;
    const std::string operation = name_of(c.operation).substr(std::strlen("neighbor_"));
    for (const MethodResult &result : comparison.methods) {
        const bool is_base = result.label == "stock";
        const bool is_compared = !is_base && result.label != multiply_label;
        TextTable::Row row{comparison.matrix_name,
                           describe(c.shape),
                           std::to_string(c.shape.blocks()),
                           operation,
                           name_of(c.variant),
                           number_text(comparison.bytes_per_edge(), "%.0f"),
                           result.label,
                           milliseconds(result.creation_seconds),
                           milliseconds(result.init_seconds)};
        if (!result.verified)
            row.emplace_back("WRONG PRODUCT");
        else if (result.seconds.empty()) // all methods that gather were wrong
            row.emplace_back("-");
        else
            row.insert(row.end(), {number_text(result.call_median() * 1e6, "%.1f"),
                                   is_base       ? "1"
                                   : is_compared ? ratio_text(result.speed_up)
                                                 : "",
                                   is_compared ? interval_text(result.speed_up) : "",
                                   is_compared && !is_stock(result.label)
                                       ? break_even_text(result.break_even_calls)
                                       : "",
                                   comparison.cut_short && is_base ? "*" : ""});
        table_.print_row(row);
    }
    std::fflush(stdout);
}

void Table::print_footer(const Run &run) const
{
    groups_of(run).print_means("matrices", label_width_);
    std::printf(
        "\nspeed-up: stock's median time of a product divided by the algorithm's (above 1: "
        "faster), with a bootstrap\n"
        "interval over paired samples. stock#2 is stock measured twice: its distance from 1 is "
        "the noise.\n"
        "allgather: MPI_Allgather or MPI_Allgatherv among all ranks. multiply: the multiplication "
        "without any call.\n"
        "degree: mean out-degree / largest degree. bytes/edge: of a call, the mean.\n"
        "break-even: calls that make up for the set-up overhead (creation and init) over stock.\n");
    if (std::any_of(run.comparisons.begin(), run.comparisons.end(),
                    [](const Comparison &c) { return c.cut_short; }))
        std::printf("*: the time limit (--max-seconds) cut products or samples short.\n");
    print_caution(environment_);
}

} // namespace nbrhood_tools::spmm
