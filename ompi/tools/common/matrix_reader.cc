// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "matrix_reader.h"

#include "bounds.h"
#include "error.h"
#include "text_file.h"
#include "text_lines.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace nbrhood_tools {

namespace {

/// The header, in front of the entries.
struct Header {
    int rows = 0;
    int columns = 0;
    std::int64_t entries = 0;
    int values = 0;        ///< numbers behind the position of an entry
    bool mirrored = false; ///< only one triangle is stored
};

/// The entries as stored, numbered from 0.
struct Positions {
    std::vector<int> rows, columns;
};

std::string lower_word(TextLines &lines)
{
    std::string text(lines.word());
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return text;
}

void read_banner(TextLines &lines, Header &header)
{
    if (!lines.advance())
        lines.fail("the file is empty");
    const std::string mark = lower_word(lines);
    if (mark != "%%matrixmarket" || lower_word(lines) != "matrix")
        lines.fail("not a MatrixMarket file: it does not start with '%%MatrixMarket matrix'");
    const std::string form = lower_word(lines);
    const std::string field = lower_word(lines);
    const std::string symmetry = lower_word(lines);
    if (form != "coordinate")
        lines.fail("the format is '" + form + "'; only sparse matrices ('coordinate') can be used");
    header.values = field == "pattern" ? 0 : field == "complex" ? 2 : 1;
    if (header.values == 1 && field != "real" && field != "integer")
        lines.fail("unknown field '" + field + "'");
    header.mirrored =
        symmetry == "symmetric" || symmetry == "skew-symmetric" || symmetry == "hermitian";
    if (!header.mirrored && symmetry != "general")
        lines.fail("unknown symmetry '" + symmetry + "'");
}

/// The next line that is neither empty nor a comment.
bool advance(TextLines &lines)
{
    while (lines.advance())
        if (!lines.starts_with('%') && !lines.is_blank())
            return true;
    return false;
}

void read_sizes(TextLines &lines, Header &header)
{
    if (!advance(lines))
        lines.fail("ends before the sizes");
    const long long rows = lines.required("number of rows");
    const long long columns = lines.required("number of columns");
    header.entries = lines.required("number of entries");
    lines.expect_end();
    if (rows < 1 || columns < 1 || header.entries < 0)
        lines.fail("sizes out of range");
    if (rows > most_rows || columns > most_rows)
        lines.fail("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns)
                   + " is larger than the " + std::to_string(most_rows)
                   + " rows and columns that can be taken in");
    if (header.entries > most_entries / (header.mirrored ? 2 : 1))
        lines.fail(std::to_string(header.entries) + " entries are more than the "
                   + std::to_string(most_entries) + " that can be taken in"
                   + (header.mirrored ? " (each counts twice, once for either triangle)" : ""));
    if (header.mirrored && rows != columns)
        lines.fail("a matrix stored as one triangle must be square");
    header.rows = static_cast<int>(rows);
    header.columns = static_cast<int>(columns);
}

/// The values are not used, but a line without them is an error.
void expect_value(TextLines &lines)
{
    std::string_view word = lines.word();
    if (word.size() > 1 && word.front() == '+')
        word.remove_prefix(1);
    double value = 0;
    const char *const end = word.data() + word.size();
    const auto result = std::from_chars(word.data(), end, value);
    if (word.empty() || result.ec == std::errc::invalid_argument || result.ptr != end)
        lines.fail("expected an entry, 'ROW COLUMN VALUE'");
}

Positions read_entries(TextLines &lines, const Header &header, std::size_t text_bytes)
{
    Positions found;
    // No entry is shorter than "1 1\n", whatever number is announced.
    const std::size_t room = std::min(static_cast<std::size_t>(header.entries), text_bytes / 4);
    found.rows.reserve(room);
    found.columns.reserve(room);
    while (advance(lines)) {
        const long long row = lines.required("row of an entry");
        const long long column = lines.required("column of an entry");
        for (int i = 0; i < header.values; ++i)
            expect_value(lines);
        lines.expect_end();
        if (row < 1 || row > header.rows || column < 1 || column > header.columns)
            lines.fail("entry (" + std::to_string(row) + ", " + std::to_string(column)
                       + ") lies outside the " + std::to_string(header.rows) + " x "
                       + std::to_string(header.columns) + " matrix");
        if (static_cast<std::int64_t>(found.rows.size()) == header.entries)
            lines.fail("more entries than the " + std::to_string(header.entries) + " announced");
        found.rows.push_back(static_cast<int>(row - 1));
        found.columns.push_back(static_cast<int>(column - 1));
    }
    if (static_cast<std::int64_t>(found.rows.size()) < header.entries)
        lines.fail("ends after " + std::to_string(found.rows.size()) + " of "
                   + std::to_string(header.entries) + " entries");
    return found;
}

/// Sorts by rows, with ascending columns. Entries at the same position are merged: in the format
/// their values are added up.
SparseRows by_rows(const Header &header, const Positions &stored)
{
    SparseRows result;
    result.rows = header.rows;
    result.columns_total = header.columns;
    std::vector<std::int64_t> &start = result.row_start;
    start.assign(static_cast<std::size_t>(header.rows) + 1, 0);
    const auto each = [&](const auto &take) {
        for (std::size_t k = 0; k < stored.rows.size(); ++k) {
            take(stored.rows[k], stored.columns[k]);
            if (header.mirrored && stored.rows[k] != stored.columns[k])
                take(stored.columns[k], stored.rows[k]);
        }
    };
    each([&](int row, int /*column*/) { ++start[static_cast<std::size_t>(row) + 1]; });
    for (std::size_t row = 1; row < start.size(); ++row)
        start[row] += start[row - 1];
    result.columns.resize(static_cast<std::size_t>(start.back()));
    {
        std::vector<std::int64_t> next(start.begin(), start.end() - 1);
        each([&](int row, int column) {
            result.columns[static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++)] =
                column;
        });
    }
    auto end = result.columns.begin();
    for (std::size_t row = 0; row + 1 < start.size(); ++row) {
        const auto first = result.columns.begin() + start[row];
        const auto last = result.columns.begin() + start[row + 1];
        std::sort(first, last);
        start[row] = end - result.columns.begin();
        end = std::move(first, std::unique(first, last), end);
    }
    start.back() = end - result.columns.begin();
    result.columns.erase(end, result.columns.end());
    return result;
}

} // namespace

SparseRows parse_matrix_market(std::string text, const std::string &path)
{
    Header header;
    Positions stored;
    {
        const std::string own = std::move(text);
        TextLines lines(path, own);
        read_banner(lines, header);
        read_sizes(lines, header);
        stored = read_entries(lines, header, own.size());
    } // the text is freed before more memory is needed
    return by_rows(header, stored);
}

SparseRows read_matrix_market(const std::string &path)
{
    return parse_matrix_market(read_text_file(path, most_graph_bytes), path);
}

} // namespace nbrhood_tools
