// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "text_table.h"

#include <algorithm>
#include <cstdio>

namespace nbrhood_tools {

TextTable::TextTable(Row header, std::size_t left, const std::vector<std::size_t> &other_left)
    : header_(std::move(header)), left_(header_.size(), false)
{
    for (const std::string &title : header_)
        widths_.push_back(title.size());
    std::fill_n(left_.begin(), left, true);
    for (const std::size_t column : other_left)
        left_[column] = true;
}

void TextTable::widen(std::size_t column, const std::string &cell)
{
    if (column < widths_.size())
        widths_[column] = std::max(widths_[column], cell.size());
}

void TextTable::print_row(const Row &row) const
{
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
        const bool known = c < widths_.size();
        const std::size_t width = known ? std::max(widths_[c], row[c].size()) : row[c].size();
        const std::string blanks(width - row[c].size(), ' ');
        line += (c == 0 ? "" : "  ") + (known && left_[c] ? row[c] + blanks : blanks + row[c]);
    }
    std::printf("%s\n", line.substr(0, line.find_last_not_of(' ') + 1).c_str());
}

void TextTable::add(Row row)
{
    for (std::size_t c = 0; c < row.size(); ++c)
        widen(c, row[c]);
    rows_.push_back(std::move(row));
}

void TextTable::print() const
{
    print_header();
    for (const Row &row : rows_)
        print_row(row);
}

} // namespace nbrhood_tools
