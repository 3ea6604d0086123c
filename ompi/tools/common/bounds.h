// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Bounds on the input of the programs. A workstation with 24 GiB of memory can hold and model input
// within these bounds; larger input is refused with a sentence before it fills the memory or runs
// for days. docs/user-guide.md lists the bounds.
#pragma once

#include <cstdint>

namespace nbrhood_tools {

/// Bytes of a hostfile or of a topology in hwloc's XML format.
constexpr std::int64_t most_description_bytes = std::int64_t{16} << 20;

/// Bytes of a matrix or mesh as text, decompressed.
constexpr std::int64_t most_graph_bytes = std::int64_t{6} << 30;

/// Rows of a matrix, its columns, or vertices of a mesh.
constexpr std::int64_t most_rows = 1 << 26;

/// Entries of a matrix (for a symmetric one in both triangles), or neighbours of all vertices of a
/// mesh.
constexpr std::int64_t most_entries = 1 << 28;

/// Nodes of a described machine, its ranks, and the cores of all nodes that a hostfile describes.
constexpr std::int64_t most_nodes = 1 << 20;
constexpr std::int64_t most_ranks = 1 << 20;
constexpr std::int64_t most_cores = 1 << 24;

/// Cores, sockets, NUMA domains or L3 caches of a topology in hwloc's XML format: each is compared
/// with each.
constexpr std::int64_t most_objects = 1 << 12;

/// Edges between the ranks of a described machine.
constexpr std::int64_t most_edges = 1 << 24;

/// Ordered pairs of ranks that rsg examines.
constexpr std::int64_t most_pairs = std::int64_t{1} << 34;

} // namespace nbrhood_tools
