// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Tables for people.
#ifndef NBRHOOD_COMMON_TEXT_TABLE_H
#define NBRHOOD_COMMON_TEXT_TABLE_H

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace nbrhood_tools {

/// Columns as wide as their widest cell; the first ones, `left` of them, flush left.
class TextTable {
public:
    using Row = std::vector<std::string>;
    TextTable(Row header, std::size_t left) : rows_{std::move(header)}, left_(left) {}
    /// A row of as many cells as the header.
    void add(Row row) { rows_.push_back(std::move(row)); }
    /// Prints it to stdout.
    void print() const
    {
        std::vector<int> widths(rows_.front().size(), 0);
        for (const Row &row : rows_)
            for (std::size_t c = 0; c < row.size(); ++c)
                widths[c] = std::max(widths[c], static_cast<int>(row[c].size()));
        for (const Row &row : rows_) {
            std::string line;
            for (std::size_t c = 0; c < row.size(); ++c) {
                const std::string blanks(static_cast<std::size_t>(widths[c]) - row[c].size(), ' ');
                line += (c == 0 ? "" : "  ") + (c < left_ ? row[c] + blanks : blanks + row[c]);
            }
            std::printf("%s\n", line.substr(0, line.find_last_not_of(' ') + 1).c_str());
        }
    }

private:
    std::vector<Row> rows_;
    std::size_t left_;
};

} // namespace nbrhood_tools

#endif
