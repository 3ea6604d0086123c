// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "graph.h"

#include "error.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace nbrhood_tools {

namespace {

constexpr const char *forms =
    "forms are rsg:DENSITY[:SEED], degree:DEGREE[:SEED], power:DEGREE[:SEED], moore:DIMS,RADIUS, "
    "ring:K, cliques:K, hubs:K, matrix:FILE, mesh:FILE";

constexpr const char *kinds[] = {"rsg",     "degree", "power",  "moore", "ring",
                                 "cliques", "hubs",   "matrix", "mesh"};

/// Whether a user who gave no kind of graph most likely meant the name of a file.
bool looks_like_file(const std::string &text)
{
    std::error_code ignored;
    return text.substr(0, text.find(':')).find_first_of("/.") != std::string::npos
           || std::filesystem::exists(text, ignored);
}

[[noreturn]] void reject(const std::string &text, const std::string &reason)
{
    throw OptionError("--graph " + text + ": " + reason + " (" + forms + ")");
}

template <typename Number>
Number parse_number(const std::string &text, const std::string &digits, const char *what)
{
    Number value{};
    const char *end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end)
        reject(text, std::string(what) + " '" + digits + "' is not a number in range");
    return value;
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
    const std::string kind = text.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (std::find(std::begin(kinds), std::end(kinds), kind) == std::end(kinds)) {
        if (looks_like_file(text))
            reject(text,
                   "a file must be given with its format, matrix:" + text + " or mesh:" + text);
        reject(text, "unknown kind '" + kind + "'");
    }
    if (rest.empty())
        reject(text, "nothing after the kind of graph");

    GraphSpec spec;
    spec.text = text;
    if (kind == "rsg" || kind == "degree" || kind == "power") {
        const std::size_t second = rest.find(':');
        const std::string number = rest.substr(0, second);
        if (kind == "rsg") {
            spec.kind = GraphKind::random_sparse;
            spec.density = parse_number<double>(text, number, "density");
            if (!(spec.density >= 0 && spec.density <= 1))
                reject(text, "the density must lie between 0 and 1");
        } else {
            spec.kind = kind == "power" ? GraphKind::power_law : GraphKind::random_degree;
            spec.degree = parse_number<double>(text, number, "degree");
            if (!(spec.degree >= 0 && spec.degree <= 1e6))
                reject(text, "the mean degree must lie between 0 and 1e6");
        }
        if (second != std::string::npos)
            spec.seed = parse_number<std::uint64_t>(text, rest.substr(second + 1), "seed");
    } else if (kind == "moore") {
        spec.kind = GraphKind::moore;
        const std::size_t comma = rest.find(',');
        if (comma == std::string::npos)
            reject(text, "the radius is missing");
        spec.dimensions = parse_number<int>(text, rest.substr(0, comma), "dimensions");
        spec.radius = parse_number<int>(text, rest.substr(comma + 1), "radius");
        if (spec.dimensions < 1 || spec.dimensions > 6 || spec.radius < 1 || spec.radius > 8)
            reject(text, "dimensions must lie between 1 and 6, the radius between 1 and 8");
    } else if (kind == "ring" || kind == "hubs") {
        spec.kind = kind == "ring" ? GraphKind::ring : GraphKind::hubs;
        spec.radius = parse_number<int>(text, rest, "number of neighbours or hubs");
        if (spec.radius < 1)
            reject(text, kind == "ring" ? "the number of neighbours on each side must be at least 1"
                                        : "the number of hubs must be at least 1");
    } else if (kind == "cliques") {
        spec.kind = GraphKind::cliques;
        spec.radius = parse_number<int>(text, rest, "number of ranks");
        if (spec.radius < 2)
            reject(text, "a clique must have at least 2 ranks");
    } else {
        spec.kind = kind == "matrix" ? GraphKind::matrix : GraphKind::mesh;
        spec.file = rest;
    }
    return spec;
}

} // namespace nbrhood_tools
