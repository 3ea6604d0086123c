// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The buffers of a product on one rank.
#pragma once

#include "matrix.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_tools::spmm {

/// All methods use the same buffers in turn, because cache and page placement would otherwise
/// differ between them. The `matrix` must outlive the object.
class Operands {
public:
    /// `expected` has this rank's rows of the product (expected_rows()).
    Operands(const Matrix &matrix, const Shape &shape, std::vector<double> expected);

    const Matrix &matrix() const { return matrix_; }
    const Shape &shape() const { return shape_; }
    /// The rank's rows of a block of columns of the right-hand matrix, with zeros behind them up to
    /// the largest stripe's rows.
    const double *block(int number) const { return right_.data() + number * block_values_; }
    /// The receive buffer for a block of columns, with room for the largest stripe of every rank.
    double *received() { return received_.data() + 1; }
    /// The rank's rows of a block of columns of the product.
    double *product(int block) { return product_.data() + block * product_values_; }
    std::ptrdiff_t product_values() const { return product_values_; }

    /// Gives the right-hand matrix the values of a round (factor_of()), and overwrites the other
    /// buffers.
    void fill(std::uint64_t round);
    /// Compares the product with the expected one in `round`, bit by bit, and checks that nothing
    /// was written before or behind the first `received_rows` received rows. Returns the number of
    /// wrong bytes, and describes the first of them in `first`.
    std::size_t check(std::uint64_t round, int received_rows, std::string &first) const;

private:
    double *place_on_the_right(int row, int column);

    const Matrix &matrix_;
    Shape shape_;
    std::ptrdiff_t block_values_;
    std::ptrdiff_t product_values_;
    std::vector<double> expected_;
    std::vector<double> right_;
    double factor_ = 1;            ///< the factor by which right_ is multiplied now
    std::vector<double> received_; ///< with one value before and one behind that must not change
    std::vector<double> product_;
};

} // namespace nbrhood_tools::spmm
