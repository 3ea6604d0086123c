#include "mesh_reader.h"

#include "error.h"
#include "text_file.h"

#include <algorithm>
#include <charconv>
#include <climits>

namespace nbrhood_bench {

namespace {

/// Hands out the lines of a METIS file without its comments, and the integers on each.
class MetisLines {
public:
    MetisLines(const std::string &path, const std::string &text)
        : path_(path), next_(text.data()), end_(text.data() + text.size())
    {}

    /// Moves to the next line that is not a comment. An empty line counts: it is a vertex without
    /// neighbours.
    bool advance()
    {
        while (next_ != end_) {
            ++number_;
            cursor_ = next_;
            line_end_ = std::find(next_, end_, '\n');
            next_ = line_end_ == end_ ? end_ : line_end_ + 1;
            if (cursor_ == line_end_ || *cursor_ != '%')
                return true;
        }
        return false;
    }

    /// The next integer of the line, false at the line's end.
    bool integer(long long &value)
    {
        while (cursor_ != line_end_ && (*cursor_ == ' ' || *cursor_ == '\t' || *cursor_ == '\r'))
            ++cursor_;
        if (cursor_ == line_end_)
            return false;
        const auto result = std::from_chars(cursor_, line_end_, value);
        if (result.ec != std::errc())
            fail("expected a whole number");
        cursor_ = result.ptr;
        return true;
    }

    /// A number that must be there.
    long long required(const char *what)
    {
        long long value = 0;
        if (!integer(value))
            fail(std::string("the line ends before the ") + what);
        return value;
    }

    [[noreturn]] void fail(const std::string &reason) const
    {
        throw InputError(path_, number_, reason);
    }
    long number() const { return number_; }

private:
    const std::string &path_;
    const char *next_;
    const char *end_;
    const char *cursor_ = nullptr;
    const char *line_end_ = nullptr;
    long number_ = 0;
};

/// What the first line says.
struct Header {
    int vertices = 0;
    long long edges = 0;
    bool edge_weights = false;
    int numbers_before_edges = 0; ///< vertex size and vertex weights on each line
};

Header read_header(MetisLines &lines)
{
    if (!lines.advance())
        lines.fail("the file is empty");
    Header header;
    const long long vertices = lines.required("number of vertices");
    header.edges = lines.required("number of edges");
    if (vertices < 1 || vertices > INT_MAX || header.edges < 0 || header.edges > INT_MAX / 2)
        lines.fail("numbers of vertices and edges out of range");
    header.vertices = static_cast<int>(vertices);
    long long format = 0;
    long long constraints = 1;
    lines.integer(format);
    const bool given = lines.integer(constraints);
    const long long sizes = format / 100;
    const long long weights = format / 10 % 10;
    if (format < 0 || sizes > 1 || weights > 1 || format % 10 > 1)
        lines.fail("the format must be three digits, each 0 or 1");
    if (constraints < 1 || constraints > 1000 || (given && weights == 0 && constraints != 1))
        lines.fail("number of vertex weights out of range");
    header.edge_weights = format % 10 == 1;
    header.numbers_before_edges = static_cast<int>(sizes + (weights == 1 ? constraints : 0));
    return header;
}

/// METIS reads past its arrays when an edge is listed at one end only, so that is found out first.
void check_symmetry(const std::string &path, const SparseRows &mesh,
                    const std::vector<long> &line_of)
{
    // Walked in order of rows, each column's list of rows comes out ascending: the transpose with
    // sorted rows.
    std::vector<std::vector<int>> listed_by(static_cast<std::size_t>(mesh.rows));
    for (int row = 0; row < mesh.rows; ++row)
        for (std::int64_t k = mesh.row_start[row]; k < mesh.row_start[row + 1]; ++k)
            listed_by[mesh.columns[k]].push_back(row);
    for (int row = 0; row < mesh.rows; ++row) {
        std::vector<int> own(mesh.columns.begin() + mesh.row_start[row],
                             mesh.columns.begin() + mesh.row_start[row + 1]);
        std::sort(own.begin(), own.end());
        if (std::adjacent_find(own.begin(), own.end()) != own.end())
            throw InputError(path, line_of[row], "a neighbour is listed twice");
        for (int neighbour : own)
            if (!std::binary_search(listed_by[row].begin(), listed_by[row].end(), neighbour))
                throw InputError(path, line_of[row],
                                 "vertex " + std::to_string(row + 1) + " lists "
                                     + std::to_string(neighbour + 1) + ", which does not list it");
    }
}

} // namespace

SparseRows read_metis_graph(const std::string &path)
{
    const std::string text = read_text_file(path);
    MetisLines lines(path, text);
    const Header header = read_header(lines);

    SparseRows mesh;
    mesh.rows = mesh.columns_total = header.vertices;
    std::vector<long> line_of;
    for (int vertex = 0; vertex < header.vertices; ++vertex) {
        if (!lines.advance())
            lines.fail("the file ends after " + std::to_string(vertex) + " of "
                       + std::to_string(header.vertices) + " vertices");
        line_of.push_back(lines.number());
        for (int i = 0; i < header.numbers_before_edges; ++i)
            lines.required("vertex size and weights");
        for (long long neighbour = 0; lines.integer(neighbour);) {
            if (neighbour < 1 || neighbour > header.vertices)
                lines.fail("vertex " + std::to_string(neighbour) + " does not exist (there are "
                           + std::to_string(header.vertices) + ")");
            if (neighbour == vertex + 1)
                lines.fail("vertex " + std::to_string(neighbour)
                           + " is listed as its own neighbour");
            if (header.edge_weights)
                lines.required("edge weight");
            mesh.columns.push_back(static_cast<int>(neighbour - 1));
        }
        mesh.row_start.push_back(static_cast<std::int64_t>(mesh.columns.size()));
    }
    if (static_cast<long long>(mesh.columns.size()) != 2 * header.edges)
        lines.fail("there are " + std::to_string(mesh.columns.size()) + " neighbours, but "
                   + std::to_string(header.edges) + " edges need "
                   + std::to_string(2 * header.edges));
    check_symmetry(path, mesh, line_of);
    return mesh;
}

} // namespace nbrhood_bench
