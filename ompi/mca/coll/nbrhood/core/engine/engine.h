// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// State of a topology on one rank, and how it is made without asking other ranks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "execute/program.h"
#include "execute/wire.h"
#include "machine/die_links.h"
#include "select/model.h"
#include "select/parameters.h"
#include "select/selection.h"
#include "select/size_choices.h"

namespace nbrhood {

// Raised when the wire format, what auto decides from, or the meaning of a parameter changes. The
// glue tells it the other processes when it initialises MPI, and serves no communicator on which it
// is not the same everywhere.
constexpr int kProtocolVersion = 40;

// Parameters and info keys, as one rank has them.
struct Settings {
    // Which of the two components this rank has on the communicator, as the glue counts them; 0:
    // none. Unless it is the same on all ranks, no rank uses the component there.
    std::uint32_t presence = 1;
    std::array<int, kCollectives> choice{}; // values of select/selection.h
    ParameterValues values;                 // of all other parameters
    // Calls of each collective that the program declares, at least: `auto` builds what pays by
    // then. 0: it declares none.
    std::uint32_t reuse = 0;
    // Costs from the file of kCostsFile. Without a file, the costs of TCP are used if any rank has
    // that network.
    Costs costs = default_costs();
    bool over_tcp = false; // the network is TCP, and no file tells costs
    // The dies of this rank's node and their links, null where they are not known; whether a file
    // says so, which then says the same to all ranks. Of a node whose ranks know different ones,
    // none are used, and none of its ranks counts as one of a die.
    std::shared_ptr<const DieLinks> die_links;
    bool die_links_of_file = false;
    double ranks_per_core = 1; // a fact of this rank's node
    int fail_rank = -1;        // for tests: this rank fails to build in superstep fail_step
    int fail_step = -1;
    // The fields below have no influence on messages, and may differ between ranks.
    bool keep_patterns = false; // for record_patterns
    std::int64_t timestamp = 0; // of this creation or build: names its recording (recording_name)
};

// A number for what a rank knows of the dies of its node, by which its ranks compare that; 0:
// nothing.
std::uint32_t hash_of_dies(const Settings &settings);

// Hash of the settings that decide what serves calls from the first one on: algorithms that users
// name, and parameters of allgathers.
std::uint64_t hash_serving(const Settings &settings);

// Hash of all settings that must be equal on the ranks of a communicator, including those.
std::uint64_t hash_settings(const Settings &settings);

// Conditions that one rank reports to the user, once.
enum class Diagnostic : std::uint8_t {
    none,
    parameters_differ,
    edges_do_not_match,
    cannot_build,
    not_everywhere
};

// How one collective of a communicator is served, or its calls with blocks of some sizes.
struct Served {
    std::size_t most = kAnySize;         // bytes of a block; smaller ones may be served otherwise
    int choice = kDirectChoice;          // kDefault, or kFirstRow + number of the algorithm
    std::size_t combining_threshold = 0; // T, bytes, of algorithms that relay
    Reason reason = Reason::none;        // for the report
    bool known_sizes = false; // each rank knows the size of all blocks of its component (Roles)
    std::shared_ptr<const Program> program; // null with kDefault
    std::shared_ptr<const Pattern> pattern; // of the program; only with Settings::keep_patterns
};

// By size, ascending; the last one serves blocks of kAnySize. One only where not all ranks know the
// size, and one only with kDefault.
using ServedSizes = std::vector<Served>;

// Prediction of the model for an algorithm and one kind of blocks.
struct Expectation {
    int choice = kDirectChoice;
    BlockKind kind = BlockKind::one_per_edge;
    Traffic traffic;
    double block_bytes = 0;
    double direct_seconds = 0; // of a call with blocks of that size
    double relayed_seconds = 0;
    std::size_t combining_threshold = 0; // T, bytes
};

// State of a topology on one rank; shared by the duplicates of a communicator.
struct Topology {
    std::array<ServedSizes, kCollectives> served;
    WireSettings wire;
    // Predictions for all patterns that were counted, chosen or not; empty on ranks without edges,
    // which take no part.
    std::vector<Expectation> expected;
    Facts facts;
    Costs costs;              // by which auto decided
    std::vector<Rank> region; // the ranks of this rank's region, ascending
    int whole_nodes = 0;      // nodes not divided into regions, because a rank there has no domain
    Diagnostic diagnostic = Diagnostic::none;
    // With not_everywhere: the lowest rank that has not the same as rank 0, and what both have.
    Rank odd_rank = 0;
    std::uint32_t first_presence = 0;
    std::uint32_t odd_presence = 0;
    int synchronisations = 0;
    std::int64_t timestamp = 0; // Settings::timestamp of the rank below
    Rank named_by = 0;          // rank 0 of a creation, the root of a build's tree
    Rank members = 0;           // ranks that took part: those of a build; 0: all
    bool sends = false;         // this rank has out-edges
    std::size_t send_slots = 0;
    std::size_t receive_slots = 0;
    std::vector<std::uint32_t> null_sends, null_receives; // slots of MPI_PROC_NULL, ascending
};

// Whether a creation with these choices, and kBuildAfter, asks the other ranks: one of the choices
// names an algorithm that builds patterns, or the user wants it so (kBuildAfter is 0).
bool builds_at_creation(const std::array<int, kCollectives> &choices, int build_after);

// Creates the topology of one rank where builds_at_creation() is false: without any message. What
// `auto` decides goes direct, until a ComponentBuild finds something better; for good where none
// may build, as parameters differ between ranks. Throws std::bad_alloc.
void create_direct_topology(const Neighbourhood &neighbourhood,
                            const std::array<int, kCollectives> &choices, bool may_build,
                            Topology &topology);
// Compiles what serves a collective there, unless it was done before; few programs use more than
// one on a communicator. Throws std::bad_alloc.
void prepare_direct(const Neighbourhood &neighbourhood, Collective collective, Topology &topology);

} // namespace nbrhood
