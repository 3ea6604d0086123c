// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "measurement.h"

#include "measuring/verification.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace nbrhood_tools::spmm {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A method while it is measured.
struct TimedMethod {
    std::unique_ptr<Product> product;
    MethodResult result;
    bool gathers = true;
    bool builds = false; ///< may build a pattern during its first calls
};

TimedMethod make_timed_method(const std::string &label, const Configuration &configuration,
                              const std::vector<Candidate> &candidates, Operands &operands,
                              MPI_Comm comm)
{
    TimedMethod timed_method;
    timed_method.result.label = label;
    Kind kind;
    kind.operation = configuration.operation;
    kind.variant = configuration.variant;
    MPI_Comm used = comm;
    if (label == multiply_label) {
        kind.gathers = timed_method.gathers = false;
    } else if (label == everyone_label) {
        kind.scope = Scope::everyone;
    } else {
        const auto candidate = std::find_if(candidates.begin(), candidates.end(),
                                            [&](const Candidate &c) { return c.label == label; });
        timed_method.result.creation_seconds = candidate->creation_seconds;
        timed_method.builds = label == "auto";
        used = candidate->comm;
    }
    timed_method.product = std::make_unique<Product>(operands, kind, used);
    return timed_method;
}

/// Verifies twice, as stale data can look right the first time, and lets what builds patterns do
/// so.
void bring_up(TimedMethod &timed_method, int number, int first_products, const std::string &what,
              MPI_Comm comm)
{
    MethodResult &result = timed_method.result;
    timed_method.product->prepare();
    result.verified = !timed_method.gathers;
    if (!timed_method.gathers)
        return;
    const std::string title = what + ", " + result.label;
    const auto round = static_cast<std::uint64_t>(2 * number);
    result.verified = verify(*timed_method.product, *timed_method.product, round,
                             title + ", first product", comm, &result.first_seconds)
                      && verify(*timed_method.product, *timed_method.product, round + 1,
                                title + ", second product", comm);
    for (int product = 0; product < first_products; ++product)
        if (result.verified && timed_method.builds)
            timed_method.product->run();
}

/// Compares with stock.
void rate(const MethodResult &stock, MethodResult &result, int calls, std::uint64_t seed)
{
    result.speed_up = {unknown, {}};
    result.break_even_calls = unknown;
    if (stock.product_seconds.empty() || result.product_seconds.empty()
        || result.label == multiply_label)
        return;
    result.speed_up = ratio_of_medians(stock.product_seconds, result.product_seconds, seed);
    result.break_even_calls =
        break_even_calls(result.creation_median() + result.init_median() - stock.creation_median()
                             - stock.init_median(),
                         (stock.product_median() - result.product_median()) / calls);
}

/// Times those that were right.
void time_all(std::vector<TimedMethod> &timed_methods, const std::string &what,
              const Settings &settings, MPI_Comm comm, Comparison &comparison)
{
    std::vector<Repeatable *> products;
    std::vector<TimedMethod *> right;
    for (TimedMethod &timed_method : timed_methods) {
        if (!timed_method.result.verified)
            continue;
        products.push_back(timed_method.product.get());
        right.push_back(&timed_method);
    }
    if (std::none_of(right.begin(), right.end(), [](const TimedMethod *e) { return e->gathers; }))
        return;
    if (comparison.configuration.variant == Variant::persistent) {
        const auto seconds = time_preparation(products, settings.creations, comm);
        for (std::size_t i = 0; i < right.size(); ++i)
            if (right[i]->gathers)
                right[i]->result.init_seconds = seconds[i];
    }
    const Timing timing = time_exchanges(products, settings.timing, comm);
    comparison.products = timing.calls;
    comparison.cut_short = timing.cut_short;
    std::uint64_t round = 1000; // not that of a verification before
    for (std::size_t i = 0; i < right.size(); ++i) {
        MethodResult &result = right[i]->result;
        result.product_seconds = timing.seconds[i];
        if (right[i]->gathers)
            result.verified = verify(*right[i]->product, *right[i]->product, ++round,
                                     what + ", " + result.label + ", after timing", comm);
    }
}

} // namespace

double MethodResult::creation_median() const
{
    return creation_seconds.empty() ? 0 : median(creation_seconds);
}

double MethodResult::init_median() const
{
    return init_seconds.empty() ? 0 : median(init_seconds);
}

bool Comparison::all_verified() const
{
    return std::all_of(methods.begin(), methods.end(),
                       [](const MethodResult &r) { return r.verified; });
}

double Comparison::bytes_per_edge() const
{
    const double rows =
        configuration.operation == Operation::allgather ? padded_rows : facts.mean_gathered_entries;
    return rows * configuration.shape.block_columns * sizeof(double);
}

std::string describe(const Shape &shape)
{
    const std::string width = std::to_string(shape.width);
    return shape.right == Right::dense ? "x " + width + " dense"
                                       : "x itself, " + width + " columns";
}

Comparison compare(const Matrix &matrix, const Configuration &configuration,
                   const std::vector<Candidate> &candidates, const Settings &settings,
                   MPI_Comm comm)
{
    const Shape &shape = configuration.shape;
    check_shape(matrix, shape);
    Comparison comparison;
    comparison.matrix_file = matrix.file;
    comparison.matrix_name = matrix.name;
    comparison.rows = matrix.rows.rows;
    comparison.columns = matrix.columns.rows;
    comparison.entries = matrix.entries;
    comparison.facts = matrix.facts;
    comparison.padded_rows = matrix.columns.largest();
    comparison.configuration = configuration;

    Operands operands(matrix, shape, expected_rows(matrix, shape, comm));
    const std::string what = matrix.file + " " + nbrhood_tools::spmm::describe(shape) + ", "
                             + name_of(configuration.operation) + ", "
                             + name_of(configuration.variant) + ", blocks of "
                             + std::to_string(shape.block_columns) + " columns";
    const int first_products = (settings.timing.first_calls + shape.blocks() - 1) / shape.blocks();
    std::vector<std::string> labels = settings.labels;
    labels.emplace_back(multiply_label);
    std::vector<TimedMethod> timed_methods;
    for (const std::string &label : labels) {
        timed_methods.push_back(
            make_timed_method(label, configuration, candidates, operands, comm));
        bring_up(timed_methods.back(), static_cast<int>(timed_methods.size()), first_products, what,
                 comm);
    }
    time_all(timed_methods, what, settings, comm, comparison);
    for (TimedMethod &timed_method : timed_methods)
        comparison.methods.push_back(std::move(timed_method.result));
    const MethodResult stock = comparison.methods.front();
    for (MethodResult &result : comparison.methods)
        rate(stock, result, shape.blocks(), settings.timing.seed);
    return comparison;
}

} // namespace nbrhood_tools::spmm
