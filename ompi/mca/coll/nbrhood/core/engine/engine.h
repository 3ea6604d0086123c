// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// State of a topology on one rank, and its creation without communication.
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

// Raised when the wire format, the facts from which auto decides, or the meaning of a parameter
// changes. The glue tells the other processes its version when MPI is initialised, and serves no
// communicator on which versions differ.
constexpr int kProtocolVersion = 41;

// Parameters and info keys of one rank.
struct Settings {
    // The components that this rank has on the communicator, in the encoding of the glue; 0: none.
    // If ranks differ, no rank uses the component there.
    std::uint32_t presence = 1;
    std::array<int, kCollectives> choice{}; // values of select/selection.h
    ParameterValues values;                 // of all other parameters
    // The least number of calls of each collective that the program declares: `auto` builds
    // patterns that pay within these calls. 0: it declares none.
    std::uint32_t reuse = 0;
    // Costs from the file of kCostsFile. Without a file, the costs of TCP are used if any rank has
    // TCP.
    Costs costs = default_costs();
    bool over_tcp = false; // the network is TCP, and no file names costs
    // The dies of this rank's node and their links, null if they are not known; and whether they
    // come from a file, which must then say the same on all ranks. If the ranks of a node know
    // different dies, none are used, and none of the ranks is on a die.
    std::shared_ptr<const DieLinks> die_links;
    bool die_links_of_file = false;
    double ranks_per_core = 1; // a fact of this rank's node
    int fail_rank = -1;        // for tests: this rank fails to build in superstep fail_step
    int fail_step = -1;
    // The fields below do not affect messages, and may differ between ranks.
    bool keep_patterns = false; // for record_patterns
    std::int64_t timestamp = 0; // of this creation or build: names its recording (recording_name)
};

// A hash of the dies that a rank knows on its node, for comparison between the node's ranks; 0:
// none.
std::uint32_t hash_of_dies(const Settings &settings);

// Hash of the settings that affect calls from the first one on: algorithms that users name, and
// parameters of allgathers.
std::uint64_t hash_serving(const Settings &settings);

// Hash of all settings that must be equal on the ranks of a communicator, including those of
// hash_serving().
std::uint64_t hash_settings(const Settings &settings);

// Conditions that one rank reports to the user, once.
enum class Diagnostic : std::uint8_t {
    none,
    parameters_differ,
    edges_do_not_match,
    cannot_build,
    not_everywhere
};

// How a collective of a communicator is served, with blocks of some interval of sizes.
struct Served {
    std::size_t most = kAnySize;         // end of the interval, bytes of a block
    int choice = kDirectChoice;          // kDefault, or kFirstRow + number of the algorithm
    std::size_t combining_threshold = 0; // T, bytes, of algorithms that relay
    Reason reason = Reason::none;        // for the report
    bool known_sizes = false; // each rank knows the size of all blocks of its component (Roles)
    std::shared_ptr<const Program> program; // null with kDefault
    std::shared_ptr<const Pattern> pattern; // of the program; only with Settings::keep_patterns
};

// By size, ascending; the last one serves blocks of kAnySize. There is only one if some rank does
// not know the size, and with kDefault.
using ServedSizes = std::vector<Served>;

// Prediction of the model for an algorithm and one kind of blocks.
struct Expectation {
    int choice = kDirectChoice;
    BlockKind kind = BlockKind::one_per_edge;
    Traffic traffic;
    double block_bytes = 0;
    double direct_seconds = 0; // of a call with blocks of block_bytes
    double relayed_seconds = 0;
    std::size_t combining_threshold = 0; // T, bytes
};

// State of a topology on one rank; shared by the duplicates of a communicator.
struct Topology {
    std::array<ServedSizes, kCollectives> served;
    WireSettings wire;
    // Predictions for all patterns that were counted, chosen or not; empty on ranks without edges.
    std::vector<Expectation> expected;
    Facts facts;
    Costs costs;              // from which auto decided
    std::vector<Rank> region; // the ranks of this rank's region, ascending
    int whole_nodes = 0;      // undivided: a rank there has no domain
    Diagnostic diagnostic = Diagnostic::none;
    // With not_everywhere: the lowest rank whose presence differs from that of rank 0, and the
    // presence of both.
    Rank differing_rank = 0;
    std::uint32_t first_presence = 0;
    std::uint32_t differing_presence = 0;
    int synchronisations = 0;
    std::int64_t timestamp = 0; // Settings::timestamp of the rank below
    Rank named_by = 0;          // rank 0 of a creation, the root of a build's tree
    Rank members = 0;           // number of ranks that took part in a build; 0: all
    bool sends = false;         // this rank has out-edges
    std::size_t send_slots = 0;
    std::size_t receive_slots = 0;
    std::vector<std::uint32_t> null_sends, null_receives; // slots of MPI_PROC_NULL, ascending
};

// Whether a creation with these choices and this value of kBuildAfter communicates: a choice names
// an algorithm that builds patterns, or kBuildAfter is 0.
bool builds_at_creation(const std::array<int, kCollectives> &choices, int build_after);

// Creates the topology of one rank without any message, if builds_at_creation() is false.
// Collectives that `auto` decides go direct until a ComponentBuild finds a better pattern; for good
// if no build is allowed because parameters differ between ranks. Throws std::bad_alloc.
void create_direct_topology(const Neighbourhood &neighbourhood,
                            const std::array<int, kCollectives> &choices, bool may_build,
                            Topology &topology);
// Compiles the direct program of a collective before its first call, since most programs use only
// one collective on a communicator. Throws std::bad_alloc.
void prepare_direct(const Neighbourhood &neighbourhood, Collective collective, Topology &topology);

} // namespace nbrhood
