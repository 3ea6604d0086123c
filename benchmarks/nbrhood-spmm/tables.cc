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

/// Milliseconds; "-" where nothing was made.
std::string milliseconds(const std::vector<double> &seconds)
{
    return seconds.empty() ? "-" : number_text(median(seconds) * 1e3, "%.2f");
}

} // namespace

Table::Table(const Environment &environment, const std::vector<Matrix> &matrices,
             const std::vector<std::string> &labels)
    : environment_(environment)
{
    for (const Matrix &matrix : matrices)
        name_width_ = std::max(name_width_, static_cast<int>(matrix.name.size()));
    for (const std::string &label : labels)
        label_width_ = std::max(label_width_, static_cast<int>(label.size()));
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
    std::printf("%-*s %-24s %6s %-10s %-11s %10s %-*s %9s %8s %11s %8s %-14s %10s\n", name_width_,
                "matrix", "product", "calls", "operation", "variant", "bytes/edge", label_width_,
                "algorithm", "create ms", "init ms", "us/product", "speed-up", "95% interval",
                "break-even");
    std::fflush(stdout);
}

void Table::print(const Comparison &comparison) const
{
    const Configuration &c = comparison.configuration;
    const std::string operation = name_of(c.operation).substr(std::strlen("neighbor_"));
    for (const MethodResult &result : comparison.methods) {
        std::printf("%-*s %-24s %6d %-10s %-11s %10.0f %-*s %9s %8s", name_width_,
                    comparison.matrix_name.c_str(), describe(c.shape).c_str(), c.shape.blocks(),
                    operation.c_str(), name_of(c.variant).c_str(), comparison.bytes_per_edge(),
                    label_width_, result.label.c_str(),
                    milliseconds(result.creation_seconds).c_str(),
                    milliseconds(result.init_seconds).c_str());
        if (!result.verified) {
            std::printf("   WRONG PRODUCT\n");
            continue;
        }
        if (result.product_seconds.empty()) { // all that gather were wrong
            std::printf(" %11s\n", "-");
            continue;
        }
        const bool is_base = result.label == "stock";
        const bool is_compared = !is_base && result.label != multiply_label;
        const bool is_algorithm = is_compared && !is_stock(result.label);
        std::printf(" %11.1f %8s %-14s %10s%s\n", result.product_median() * 1e6,
                    is_base       ? "1"
                    : is_compared ? ratio_text(result.speed_up).c_str()
                                  : "",
                    is_compared ? interval_text(result.speed_up).c_str() : "",
                    is_algorithm ? break_even_text(result.break_even_calls).c_str() : "",
                    comparison.cut_short && is_base ? " *" : "");
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
