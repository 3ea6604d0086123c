// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "product.h"

#include <algorithm>

namespace nbrhood_tools::spmm {

Product::Product(Operands &operands, const Kind &kind, MPI_Comm comm)
    : operands_(operands), gathers_(kind.gathers),
      gather_(operands.matrix(), operands.shape().block_columns, kind.scope, kind.operation,
              kind.variant, comm)
{
    const Matrix &matrix = operands.matrix();
    const int first_row = matrix.rows.first(matrix.rank);
    own_ = own_terms(matrix.own, first_row, matrix.columns, matrix.rank);
    received_ =
        received_terms(matrix.own, first_row, matrix.columns, matrix.rank, gather_.layout());
}

void Product::prepare()
{
    if (gathers_)
        gather_.prepare(operands_.received());
}

void Product::run()
{
    const Shape &shape = operands_.shape();
    for (int block = 0; block < shape.blocks(); ++block) {
        double *product = operands_.product(block);
        if (gathers_)
            gather_.start(operands_.block(block), operands_.received());
        std::fill(product, product + operands_.product_values(), 0.0);
        add_products(own_, operands_.block(block), shape.block_columns, product);
        if (gathers_)
            gather_.wait();
        add_products(received_, operands_.received(), shape.block_columns, product);
    }
}

std::size_t Product::check(std::uint64_t round, std::string &first) const
{
    return operands_.check(round, gather_.layout().all_rows, first);
}

} // namespace nbrhood_tools::spmm
