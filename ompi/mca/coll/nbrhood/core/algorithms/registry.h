// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The registry: one row per algorithm. MCA enumerations, tests, benchmarks and documentation
// iterate it.
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

// The kind of blocks a collective sends.
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

// The least that an algorithm relays on a communicator with these facts, before anything is
// counted: the relayed half of a traffic that costs no more than the builder's count. Nothing if
// the algorithm cannot gain.
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
    int variant = 0; // the builder's name for the row, in Task
    // Whether `auto` may choose it where the ranks of a node outnumber its cores.
    bool shares_cores = true;
    // Which the builder reads from BuildInput::tuning.
    std::vector<const Parameter *> parameters = {};
    // From this `auto` knows whether the builder is worth running, and in which order builders run.
    // Null: always, and first.
    LeastTraffic least = nullptr;
    // The blocks for which it is used where all ranks know their size; others then go direct, or as
    // `auto` says. Where the size is not known it serves all blocks if a parameter names it, and
    // `auto` takes it only if the expected size is one of these.
    SizeRange sizes = {};
    // For algorithms of large blocks: they relay blocks of more bytes than this parameter's value,
    // as `direct_if_large` messages; it is the T of their patterns. `auto` considers them only if
    // it expects such blocks.
    const Typed<std::size_t> *above = nullptr;
};

// All algorithms; the index is the algorithm's number, equal on all ranks of one version.
const std::vector<Algorithm> &registry();

// For tests: a row at the end of the registry as long as this object lives. References to rows do
// not outlive a change.
class ExtraRow {
public:
    explicit ExtraRow(Algorithm row);
    ~ExtraRow();
    ExtraRow(const ExtraRow &) = delete;
    ExtraRow &operator=(const ExtraRow &) = delete;
};

// Whether a row serves a collective with blocks of that kind.
bool serves(const Algorithm &row, BlockKind kind);

// The number of direct, which serves everything.
constexpr int kDirect = 0;

} // namespace nbrhood
