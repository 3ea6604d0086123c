// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "mesh_reader.h"

#include "bounds.h"
#include "error.h"
#include "text_file.h"
#include "text_lines.h"

#include <algorithm>

namespace nbrhood_tools {

namespace {

/// The next line that is not a comment. An empty one counts: it is a vertex without neighbours.
bool next_vertex(TextLines &lines)
{
    while (lines.advance())
        if (!lines.starts_with('%'))
            return true;
    return false;
}

/// The contents of the first line.
struct MeshHeader {
    int vertices = 0;
    long long edges = 0;
    bool edge_weights = false;
    int numbers_before_edges = 0; ///< vertex size and vertex weights on each line
};

MeshHeader read_header(TextLines &lines)
{
    if (!next_vertex(lines))
        lines.fail("the file is empty");
    MeshHeader header;
    const long long vertices = lines.required("number of vertices");
    header.edges = lines.required("number of edges");
    if (vertices < 1 || header.edges < 0)
        lines.fail("numbers of vertices and edges out of range");
    if (vertices > most_rows || header.edges > most_entries / 2)
        lines.fail("a mesh of " + std::to_string(vertices) + " vertices and "
                   + std::to_string(header.edges) + " edges is larger than the "
                   + std::to_string(most_rows) + " vertices and " + std::to_string(most_entries / 2)
                   + " edges that can be taken in");
    header.vertices = static_cast<int>(vertices);
    long long format = 0;
    long long constraints = 1;
    lines.integer(format);
    const bool given = lines.integer(constraints);
    lines.expect_end();
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

/// The transposed lists. The loop goes through the rows in order, so the rows of the result are
/// ascending.
SparseRows transposed(const SparseRows &mesh)
{
    SparseRows result;
    result.rows = mesh.columns_total;
    result.columns_total = mesh.rows;
    result.row_start.assign(static_cast<std::size_t>(result.rows) + 1, 0);
    for (int column : mesh.columns)
        ++result.row_start[static_cast<std::size_t>(column) + 1];
    for (std::size_t row = 1; row < result.row_start.size(); ++row)
        result.row_start[row] += result.row_start[row - 1];
    result.columns.resize(mesh.columns.size());
    std::vector<std::int64_t> next(result.row_start.begin(), result.row_start.end() - 1);
    for (int row = 0; row < mesh.rows; ++row)
        for (std::int64_t k = mesh.row_start[row]; k < mesh.row_start[row + 1]; ++k)
            result.columns[next[mesh.columns[k]]++] = row;
    return result;
}

/// METIS reads past its arrays if an edge is listed at one end only, so this is checked first.
void check_symmetry(const std::string &path, const SparseRows &mesh,
                    const std::vector<long> &line_of)
{
    const SparseRows listed_by = transposed(mesh);
    for (int row = 0; row < mesh.rows; ++row) {
        std::vector<int> own(mesh.columns.begin() + mesh.row_start[row],
                             mesh.columns.begin() + mesh.row_start[row + 1]);
        std::sort(own.begin(), own.end());
        if (std::adjacent_find(own.begin(), own.end()) != own.end())
            throw InputError(path, line_of[row], "a neighbour is listed twice");
        for (int neighbour : own)
            if (!std::binary_search(listed_by.columns.begin() + listed_by.row_start[row],
                                    listed_by.columns.begin() + listed_by.row_start[row + 1],
                                    neighbour))
                throw InputError(path, line_of[row],
                                 "vertex " + std::to_string(row + 1) + " lists "
                                     + std::to_string(neighbour + 1) + ", which does not list it");
    }
}

} // namespace

SparseRows parse_metis_graph(const std::string &text, const std::string &path)
{
    TextLines lines(path, text);
    const MeshHeader header = read_header(lines);

    SparseRows mesh;
    mesh.rows = mesh.columns_total = header.vertices;
    std::vector<long> line_of;
    for (int vertex = 0; vertex < header.vertices; ++vertex) {
        if (!next_vertex(lines))
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
            if (static_cast<long long>(mesh.columns.size()) == 2 * header.edges)
                lines.fail("more neighbours than the " + std::to_string(header.edges)
                           + " edges of the first line have");
            mesh.columns.push_back(static_cast<int>(neighbour - 1));
        }
        mesh.row_start.push_back(static_cast<std::int64_t>(mesh.columns.size()));
    }
    while (next_vertex(lines))
        if (!lines.is_blank())
            lines.fail("more lines than the " + std::to_string(header.vertices)
                       + " vertices of the first line");
    if (static_cast<long long>(mesh.columns.size()) != 2 * header.edges)
        lines.fail("there are " + std::to_string(mesh.columns.size()) + " neighbours, but "
                   + std::to_string(header.edges) + " edges need "
                   + std::to_string(2 * header.edges));
    check_symmetry(path, mesh, line_of);
    return mesh;
}

SparseRows read_metis_graph(const std::string &path)
{
    return parse_metis_graph(read_text_file(path, most_graph_bytes), path);
}

} // namespace nbrhood_tools
