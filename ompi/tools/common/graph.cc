// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "graph.h"

#include "bounds.h"
#include "error.h"
#include "generators.h"
#include "matrix_reader.h"
#include "mesh_reader.h"
#include "partition.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace nbrhood_tools {

struct GraphKind {
    const char *name;
    const char *syntax; ///< of what follows the name and a colon
    const char *help;
    /// Reads what follows the colon, which is not empty. Throws OptionError.
    void (*parse)(const std::string &arguments, GraphSpec &spec);
    /// The part of one rank; null for files.
    Neighbourhood (*generate)(const GraphSpec &spec, int rank, int ranks);
    /// The edges between all ranks, in the mean where they are random; null where each rank has as
    /// many out-edges.
    double (*edges)(const GraphSpec &spec, double ranks);
    bool all_pairs; ///< to generate a part for each rank takes a look at every pair of ranks
    /// The parts of all ranks; null for graphs that are computed.
    std::vector<Neighbourhood> (*read)(const GraphSpec &spec, int ranks);
};

namespace {

[[noreturn]] void reject(const std::string &text, const std::string &reason);

template <typename Number>
Number parse_number(const GraphSpec &spec, const std::string &digits, const char *what)
{
    Number value{};
    const char *end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end)
        reject(spec.text, std::string(what) + " '" + digits + "' is not a number in range");
    return value;
}

/// A number, and perhaps a colon and a seed behind it. Returns the number.
double parse_seeded(const std::string &arguments, GraphSpec &spec, const char *what)
{
    const std::size_t colon = arguments.find(':');
    const auto number = parse_number<double>(spec, arguments.substr(0, colon), what);
    if (colon != std::string::npos)
        spec.seed = parse_number<std::uint64_t>(spec, arguments.substr(colon + 1), "seed");
    return number;
}

void parse_density(const std::string &arguments, GraphSpec &spec)
{
    spec.density = parse_seeded(arguments, spec, "density");
    if (!(spec.density >= 0 && spec.density <= 1))
        reject(spec.text, "the density must lie between 0 and 1");
}

void parse_degree(const std::string &arguments, GraphSpec &spec)
{
    spec.degree = parse_seeded(arguments, spec, "degree");
    if (!(spec.degree >= 0 && spec.degree <= 1e6))
        reject(spec.text, "the mean degree must lie between 0 and 1e6");
}

void parse_grid(const std::string &arguments, GraphSpec &spec)
{
    const std::size_t comma = arguments.find(',');
    if (comma == std::string::npos)
        reject(spec.text, "the radius is missing");
    spec.dimensions = parse_number<int>(spec, arguments.substr(0, comma), "dimensions");
    spec.radius = parse_number<int>(spec, arguments.substr(comma + 1), "radius");
    if (spec.dimensions < 1 || spec.dimensions > 6 || spec.radius < 1 || spec.radius > 8)
        reject(spec.text, "dimensions must lie between 1 and 6, the radius between 1 and 8");
}

void parse_reach(const std::string &arguments, GraphSpec &spec)
{
    spec.radius = parse_number<int>(spec, arguments, "number of neighbours");
    if (spec.radius < 1)
        reject(spec.text, "the number of neighbours on each side must be at least 1");
}

void parse_members(const std::string &arguments, GraphSpec &spec)
{
    spec.radius = parse_number<int>(spec, arguments, "number of ranks");
    if (spec.radius < 2)
        reject(spec.text, "a clique must have at least 2 ranks");
}

void parse_hubs(const std::string &arguments, GraphSpec &spec)
{
    spec.radius = parse_number<int>(spec, arguments, "number of hubs");
    if (spec.radius < 1)
        reject(spec.text, "the number of hubs must be at least 1");
}

void parse_file(const std::string &arguments, GraphSpec &spec)
{
    spec.file = arguments;
}

std::vector<Neighbourhood> read_matrix(const GraphSpec &spec, int ranks)
{
    const SparseRows matrix = read_matrix_market(spec.file);
    return entries_needed(matrix, striped_owners(matrix.rows, ranks),
                          striped_owners(matrix.columns_total, ranks), ranks);
}

std::vector<Neighbourhood> read_mesh(const GraphSpec &spec, int ranks)
{
    const SparseRows mesh = read_metis_graph(spec.file);
    try {
        const std::vector<int> owner = metis_owners(mesh, ranks);
        return entries_needed(mesh, owner, owner, ranks);
    } catch (const InputError &error) {
        throw InputError(spec.file, 0, error.what());
    }
}

const GraphKind kinds[] = {
    {"rsg", "DENSITY[:SEED]", "every ordered pair of ranks is an edge with this probability",
     parse_density,
     [](const GraphSpec &spec, int rank, int ranks) {
         return random_sparse_graph(spec.density, spec.seed, rank, ranks);
     },
     [](const GraphSpec &spec, double ranks) { return spec.density * ranks * (ranks - 1); }, true,
     nullptr},
    {"degree", "DEGREE[:SEED]", "the same, with that many out-edges a rank in the mean",
     parse_degree,
     [](const GraphSpec &spec, int rank, int ranks) {
         return random_degree_graph(spec.degree, spec.seed, rank, ranks);
     },
     [](const GraphSpec &spec, double ranks) { return std::min(spec.degree, ranks - 1) * ranks; },
     true, nullptr},
    {"power", "DEGREE[:SEED]",
     "random edges, DEGREE a rank in the mean; degrees fall by a power law", parse_degree,
     [](const GraphSpec &spec, int rank, int ranks) {
         return power_law_graph(spec.degree, spec.seed, rank, ranks);
     },
     [](const GraphSpec &spec, double ranks) { return spec.degree * ranks; }, true, nullptr},
    {"moore", "DIMS,RADIUS", "ranks at most RADIUS away in each dimension of a periodic grid",
     parse_grid,
     [](const GraphSpec &spec, int rank, int ranks) {
         return moore_graph(spec.dimensions, spec.radius, rank, ranks);
     },
     nullptr, false, nullptr},
    {"ring", "K", "K neighbours on each side", parse_reach,
     [](const GraphSpec &spec, int rank, int ranks) {
         return ring_graph(spec.radius, rank, ranks);
     },
     nullptr, false, nullptr},
    {"cliques", "K",
     "groups of K ranks, each of which exchanges blocks with all others of its group",
     parse_members,
     [](const GraphSpec &spec, int rank, int ranks) {
         return clique_graph(spec.radius, rank, ranks);
     },
     nullptr, false, nullptr},
    {"hubs", "K", "K ranks exchange blocks with all others, which have no further edges",
     parse_hubs,
     [](const GraphSpec &spec, int rank, int ranks) { return hub_graph(spec.radius, rank, ranks); },
     [](const GraphSpec &spec, double ranks) {
         return 2 * std::min(ranks, static_cast<double>(spec.radius)) * (ranks - 1);
     },
     false, nullptr},
    {"matrix", "FILE",
     "MatrixMarket; rows in contiguous stripes, one per rank; an edge carries the\n"
     "entries of x that its receiver needs for a product with the matrix",
     parse_file, nullptr, nullptr, false, read_matrix},
    {"mesh", "FILE", "METIS graph format (may be gzipped), cut by METIS; an edge carries the halo",
     parse_file, nullptr, nullptr, false, read_mesh},
};

void reject(const std::string &text, const std::string &reason)
{
    std::string forms;
    for (const GraphKind &kind : kinds)
        forms += std::string(forms.empty() ? "" : ", ") + kind.name + ":" + kind.syntax;
    throw OptionError("--graph " + text + ": " + reason + " (forms are " + forms + ")");
}

/// Whether a text without a kind of graph was most likely meant as the name of a file.
bool looks_like_file(const std::string &text)
{
    std::error_code ignored;
    return text.substr(0, text.find(':')).find_first_of("/.") != std::string::npos
           || std::filesystem::exists(text, ignored);
}

} // namespace

std::string GraphSpec::short_name() const
{
    if (!has_counts())
        return text;
    const std::size_t slash = file.find_last_of('/');
    return slash == std::string::npos ? file : file.substr(slash + 1);
}

GraphSpec parse_graph_spec(const std::string &text)
{
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const GraphKind *const kind = std::find_if(std::begin(kinds), std::end(kinds),
                                               [&](const GraphKind &k) { return k.name == name; });
    if (kind == std::end(kinds)) {
        if (looks_like_file(text))
            reject(text,
                   "a file must be given with its format, matrix:" + text + " or mesh:" + text);
        reject(text, "unknown kind '" + name + "'");
    }
    if (colon == std::string::npos || colon + 1 == text.size())
        reject(text, "nothing after the kind of graph");
    GraphSpec spec;
    spec.kind = kind;
    spec.text = text;
    kind->parse(text.substr(colon + 1), spec);
    return spec;
}

std::string graph_help()
{
    constexpr std::size_t column = 23;
    std::string text = "Graphs\n";
    for (const GraphKind &kind : kinds) {
        std::string line = std::string("  ") + kind.name + ":" + kind.syntax;
        line.resize(column, ' ');
        for (const char *c = kind.help; *c != '\0'; ++c)
            line += *c == '\n' ? "\n" + std::string(column, ' ') : std::string(1, *c);
        text += line + "\n";
    }
    return text;
}

Neighbourhood compute_neighbourhood(const GraphSpec &spec, int rank, int ranks)
{
    if (spec.kind->generate == nullptr)
        throw std::logic_error("graphs from files are not computed");
    return spec.kind->generate(spec, rank, ranks);
}

void check_graph_size(const GraphSpec &spec, int ranks)
{
    const double all = ranks;
    if (spec.kind->all_pairs && all * all > static_cast<double>(most_pairs))
        throw InputError(spec.text + ": would take hours for " + std::to_string(ranks)
                         + " ranks, because it looks at every pair of them (at most "
                         + std::to_string(most_pairs) + " pairs)");
    const double edges =
        spec.kind->edges != nullptr
            ? spec.kind->edges(spec, all)
            : all * static_cast<double>(compute_neighbourhood(spec, 0, ranks).destinations.size());
    if (edges > static_cast<double>(most_edges))
        throw InputError(spec.text + ": would have about "
                         + std::to_string(static_cast<std::int64_t>(edges)) + " edges between "
                         + std::to_string(ranks) + " ranks, more than the "
                         + std::to_string(most_edges) + " that can be taken in");
}

std::vector<Neighbourhood> make_all_neighbourhoods(const GraphSpec &spec, int ranks)
{
    if (spec.has_counts())
        return spec.kind->read(spec, ranks);
    check_graph_size(spec, ranks);
    std::vector<Neighbourhood> parts;
    parts.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
        parts.push_back(compute_neighbourhood(spec, rank, ranks));
    return parts;
}

} // namespace nbrhood_tools
