// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "measurement.h"

#include "measuring/verification.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace nbrhood_tools::spmm {

namespace {

/// A method while it is measured.
struct MeasuredMethod {
    std::unique_ptr<Product> product;
    MethodResult result;
    bool gathers = true;
    bool builds = false; ///< may build a pattern during its first calls
};

MeasuredMethod make_measured_method(const std::string &label, const Configuration &configuration,
                                    const std::vector<Candidate> &candidates, Operands &operands,
                                    MPI_Comm comm)
{
    MeasuredMethod measured;
    measured.result.label = label;
    Kind kind;
    kind.operation = configuration.operation;
    kind.variant = configuration.variant;
    MPI_Comm used = comm;
    if (label == multiply_label) {
        kind.gathers = measured.gathers = false;
    } else if (label == everyone_label) {
        kind.scope = Scope::everyone;
    } else {
        const auto candidate = std::find_if(candidates.begin(), candidates.end(),
                                            [&](const Candidate &c) { return c.label == label; });
        measured.result.creation_seconds = candidate->creation_seconds;
        measured.builds = label == "auto";
        used = candidate->comm;
    }
    measured.product = std::make_unique<Product>(operands, kind, used);
    return measured;
}

/// Verifies twice, because stale data can look right the first time, and lets algorithms that build
/// patterns do so.
void bring_up(MeasuredMethod &measured, int number, int first_products, const std::string &what,
              MPI_Comm comm)
{
    MethodResult &result = measured.result;
    measured.product->prepare();
    result.verified = !measured.gathers;
    if (!measured.gathers)
        return;
    const std::string title = what + ", " + result.label;
    const auto round = static_cast<std::uint64_t>(2 * number);
    result.verified = verify(*measured.product, *measured.product, round, title + ", first product",
                             comm, &result.first_seconds)
                      && verify(*measured.product, *measured.product, round + 1,
                                title + ", second product", comm);
    for (int product = 0; product < first_products; ++product)
        if (result.verified && measured.builds)
            measured.product->run();
}

} // namespace

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
    std::vector<MeasuredMethod> methods;
    for (const std::string &label : labels) {
        methods.push_back(make_measured_method(label, configuration, candidates, operands, comm));
        bring_up(methods.back(), static_cast<int>(methods.size()), first_products, what, comm);
    }
    std::vector<TimedMethod> timed;
    for (MeasuredMethod &measured : methods)
        timed.push_back({measured.product.get(),
                         measured.gathers ? measured.product.get() : nullptr, &measured.result});
    const int inits = configuration.variant == Variant::persistent ? settings.creations : 0;
    constexpr std::uint64_t round = 1000; // without the time of earlier verifications
    const Timing timing = time_methods(timed, settings.timing, inits, round, what, comm);
    comparison.products = timing.calls;
    comparison.cut_short = timing.cut_short;
    for (MeasuredMethod &measured : methods)
        comparison.methods.push_back(std::move(measured.result));
    const MethodResult stock = comparison.methods.front();
    for (MethodResult &result : comparison.methods)
        if (result.label != multiply_label)
            result.rate(stock, settings.timing.seed, shape.blocks());
    return comparison;
}

} // namespace nbrhood_tools::spmm
