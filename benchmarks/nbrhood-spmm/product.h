// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One product of the matrices on one communicator.
#pragma once

#include "gather.h"
#include "operands.h"
#include "terms.h"

#include "measuring/interfaces.h"

namespace nbrhood_tools::spmm {

/// The configuration of one method.
struct Kind {
    Scope scope = Scope::neighbours;
    Operation operation = Operation::allgatherv;
    Variant variant = Variant::blocking;
    bool gathers = true; ///< false: only multiplies, with the rows received last
};

/// run() is a whole product: for each block of columns the call that gathers the rows of others,
/// and the multiplication. Between start and wait a rank multiplies the part that needs no rows of
/// others.
class Product : public Repeatable, public Checkable {
public:
    /// The `operands` must outlive the object. With Scope::neighbours `comm` has the graph of the
    /// matrix.
    Product(Operands &operands, const Kind &kind, MPI_Comm comm);

    void prepare() override;
    void release() override { gather_.release(); }
    void run() override;
    void fill(std::uint64_t round) override { operands_.fill(round); }
    std::size_t check(std::uint64_t round, std::string &first) const override;

private:
    Operands &operands_;
    bool gathers_;
    Gather gather_;
    Terms own_;
    Terms received_;
};

} // namespace nbrhood_tools::spmm
