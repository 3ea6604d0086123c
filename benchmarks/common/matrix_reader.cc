#include "matrix_reader.h"

#include "error.h"
#include "text_file.h"

#if __has_include(<suitesparse/cholmod.h>)
#include <suitesparse/cholmod.h>
#else
#include <cholmod.h>
#endif

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdio>
#include <memory>
#include <sstream>

namespace nbrhood_bench {

namespace {

/// The line on which a file breaks the format, and how. `line` 0: nothing wrong was found.
struct Fault {
    long line = 0;
    std::string reason;
};

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return text;
}

bool is_blank(const std::string &line)
{
    return line.find_first_not_of(" \t\r") == std::string::npos;
}

/// Walks over the file and finds the first thing that is not as the format says. CHOLMOD only says
/// that a file is wrong, not where; and it takes indices that start at 0 and surplus entries
/// without a word.
Fault find_fault(const std::string &text)
{
    std::istringstream in(text);
    std::string line;
    long number = 1;
    std::getline(in, line);
    std::istringstream banner(lower(line));
    std::string mark, object, form, field, symmetry;
    banner >> mark >> object >> form >> field >> symmetry;
    if (mark != "%%matrixmarket" || object != "matrix")
        return {1, "not a MatrixMarket file: it does not start with '%%MatrixMarket matrix'"};
    if (form != "coordinate")
        return {1,
                "the form is '" + form + "'; only sparse matrices ('coordinate') are of use here"};
    const std::size_t values = field == "pattern" ? 0 : field == "complex" ? 2 : 1;
    if (values == 1 && field != "real" && field != "integer")
        return {1, "unknown field '" + field + "'"};
    if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric"
        && symmetry != "hermitian")
        return {1, "unknown symmetry '" + symmetry + "'"};

    long long rows = -1;
    long long columns = -1;
    long long announced = -1;
    long long found = 0;
    while (std::getline(in, line)) {
        ++number;
        if (line[0] == '%' || is_blank(line))
            continue;
        if (rows < 0) {
            if (std::sscanf(line.c_str(), "%lld %lld %lld", &rows, &columns, &announced) != 3)
                return {number, "expected 'ROWS COLUMNS ENTRIES'"};
            if (rows < 1 || columns < 1 || announced < 0 || rows > INT_MAX || columns > INT_MAX)
                return {number, "sizes out of range"};
            if (symmetry != "general" && rows != columns)
                return {number, "a " + symmetry + " matrix that is not square"};
            continue;
        }
        long long row = 0;
        long long column = 0;
        double value[2];
        const int fields =
            std::sscanf(line.c_str(), "%lld %lld %lf %lf", &row, &column, &value[0], &value[1]);
        if (fields < static_cast<int>(2 + values))
            return {number,
                    "expected an entry, 'ROW COLUMN" + std::string(values > 0 ? " VALUE'" : "'")};
        if (row < 1 || row > rows || column < 1 || column > columns)
            return {number, "entry (" + std::to_string(row) + ", " + std::to_string(column)
                                + ") lies outside the " + std::to_string(rows) + " x "
                                + std::to_string(columns) + " matrix"};
        if (++found > announced)
            return {number, "more entries than the " + std::to_string(announced) + " announced"};
    }
    if (rows < 0)
        return {number, "ends before the sizes"};
    if (found < announced)
        return {number, "ends after " + std::to_string(found) + " of " + std::to_string(announced)
                            + " entries"};
    return {};
}

/// CHOLMOD's workspace, and the matrices made with it, freed in the right order.
class Cholmod {
public:
    Cholmod()
    {
        cholmod_l_start(&common_);
        common_.print = 0; // it would write its own account to stdout, between our tables
    }
    ~Cholmod()
    {
        for (cholmod_sparse *matrix : matrices_)
            cholmod_l_free_sparse(&matrix, &common_);
        cholmod_l_finish(&common_);
    }
    Cholmod(const Cholmod &) = delete;
    Cholmod &operator=(const Cholmod &) = delete;

    cholmod_common *common() { return &common_; }
    cholmod_sparse *keep(cholmod_sparse *matrix)
    {
        matrices_.push_back(matrix);
        return matrix;
    }

private:
    cholmod_common common_;
    std::vector<cholmod_sparse *> matrices_;
};

} // namespace

SparseRows read_matrix_market(const std::string &path)
{
    std::string text = read_text_file(path);
    if (const Fault fault = find_fault(text); fault.line > 0)
        throw InputError(path, fault.line, fault.reason);

    const std::unique_ptr<FILE, int (*)(FILE *)> stream(fmemopen(text.data(), text.size(), "r"),
                                                        std::fclose);
    if (!stream)
        throw InputError(path, 0, "cannot be opened in memory");

    Cholmod cholmod;
    cholmod_sparse *stored = cholmod.keep(cholmod_l_read_sparse(stream.get(), cholmod.common()));
    if (stored == nullptr)
        throw InputError(path, 0,
                         "CHOLMOD cannot read it (status "
                             + std::to_string(cholmod.common()->status) + ")");
    // Structure only, both triangles; then by rows, since CHOLMOD keeps columns.
    cholmod_sparse *full = cholmod.keep(cholmod_l_copy(stored, 0, 0, cholmod.common()));
    cholmod_sparse *by_rows =
        full ? cholmod.keep(cholmod_l_transpose(full, 0, cholmod.common())) : nullptr;
    if (by_rows == nullptr)
        throw InputError(path, 0, "no memory to expand it");

    SparseRows result;
    result.rows = static_cast<int>(by_rows->ncol);
    result.columns_total = static_cast<int>(by_rows->nrow);
    const auto *start = static_cast<const SuiteSparse_long *>(by_rows->p);
    const auto *column = static_cast<const SuiteSparse_long *>(by_rows->i);
    result.row_start.assign(start, start + result.rows + 1);
    result.columns.reserve(static_cast<std::size_t>(start[result.rows]));
    for (SuiteSparse_long k = 0; k < start[result.rows]; ++k)
        result.columns.push_back(static_cast<int>(column[k]));
    return result;
}

} // namespace nbrhood_bench
