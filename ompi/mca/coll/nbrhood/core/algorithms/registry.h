// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The registry: one row per algorithm. MCA enumerations, tests, benchmarks and the tables of the
// documentation iterate over it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/toolkit/builder.h"
#include "algorithms/toolkit/facts.h"

namespace nbrhood {

// The five neighbourhood collectives.
enum class Collective : std::uint8_t {
    neighbor_allgather,
    neighbor_allgatherv,
    neighbor_alltoall,
    neighbor_alltoallv,
    neighbor_alltoallw
};
constexpr int kCollectives = 5;

// The name without MPI_ in lower case, as in the MCA parameters, e.g. "neighbor_alltoallv".
const char *name_of(Collective collective);

// The kind of blocks that a collective sends.
BlockKind kind_of(Collective collective);

// Whether a rank gives one count for all blocks that it sends, and one for all that it receives.
constexpr bool has_one_count(Collective collective)
{
    return collective == Collective::neighbor_allgather
           || collective == Collective::neighbor_alltoall;
}

constexpr unsigned bit(Collective collective)
{
    return 1U << static_cast<unsigned>(collective);
}

// Makes the builder of one rank.
using Maker = std::unique_ptr<Builder> (*)(const BuildInput &);

// Computes a lower bound on an algorithm's traffic from facts of a communicator, without counting:
// the relayed half of the result costs no more than what the builder would count. Nothing if the
// algorithm cannot gain.
using LeastTraffic = std::optional<Traffic> (*)(const Facts &);

// Sizes of blocks in bytes, both ends included.
constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();
struct SizeRange {
    std::size_t least = 0;
    std::size_t most = kAnySize;

    bool contains(std::size_t bytes) const { return bytes >= least && bytes <= most; }
};

// A row of the registry.
struct Algorithm {
    const char *name;    // value of the MCA parameters
    const char *summary; // one sentence, for ompi_info and the documentation
    const char *source;  // paper and section
    unsigned serves;     // bits of the collectives
    // Null: the pattern needs no other rank (build_direct). Rows with the same maker are variants
    // of one protocol, which counts and builds them in one run.
    Maker make_builder;
    int variant = 0; // of the builder, see Task::variant
    // Whether `auto` may choose the row if the ranks of a node outnumber its cores.
    bool shares_cores = true;
    // The builder reads their values from BuildInput::tuning.
    std::vector<const Parameter *> parameters = {};
    // `auto` uses it to find whether the builder is worth running, and the order of builders. Null:
    // the builder always runs, and first.
    LeastTraffic least = nullptr;
    // The sizes of blocks that the row serves if all ranks know the size; other blocks go direct,
    // or as `auto` decides. If the size is not known, the row serves all blocks if a parameter
    // names it, and `auto` takes it only if the expected size is in this range.
    SizeRange sizes = {};
    // For algorithms of large blocks: the parameter with the size above which they relay blocks, as
    // `direct_if_large` messages; this size is the T of their patterns. `auto` considers them only
    // if it expects such blocks.
    const Typed<std::size_t> *above = nullptr;
};

// All algorithms; the index is the algorithm's number, equal on all ranks of one version.
const std::vector<Algorithm> &registry();

// For tests: adds a row at the end of the registry as long as this object lives. A change
// invalidates references to rows.
class ExtraRow {
public:
    explicit ExtraRow(Algorithm row);
    ~ExtraRow();
    ExtraRow(const ExtraRow &) = delete;
    ExtraRow &operator=(const ExtraRow &) = delete;
};

// Whether a row serves a collective with blocks of that kind.
bool serves(const Algorithm &row, BlockKind kind);

// The number of direct, which serves all collectives.
constexpr int kDirect = 0;

} // namespace nbrhood
