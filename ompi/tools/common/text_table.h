// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Tables for people, on standard output.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace nbrhood_tools {

/// Columns as wide as their titles and their widest cells. A row is printed as it comes where the
/// widths are known (widen), or with all others.
class TextTable {
public:
    using Row = std::vector<std::string>;
    /// The first columns, `left` of them, are flush left, and `other_left`.
    TextTable(Row header, std::size_t left, const std::vector<std::size_t> &other_left = {});
    /// Makes room for such a cell.
    void widen(std::size_t column, const std::string &cell);
    void print_header() const { print_row(header_); }
    /// Prints one row now. It may have fewer cells than the header, or one more: a remark.
    void print_row(const Row &row) const;
    /// Keeps a row for print().
    void add(Row row);
    /// Prints header and rows.
    void print() const;

private:
    Row header_;
    std::vector<Row> rows_;
    std::vector<std::size_t> widths_;
    std::vector<bool> left_; ///< by column
};

} // namespace nbrhood_tools
