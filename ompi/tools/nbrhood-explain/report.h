// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The results of nbrhood-explain for a graph on a machine.
#pragma once

#include "die_report.h"
#include "traffic_matrix.h"

#include "analysis/closed_forms.h"
#include "analysis/friend_report.h"
#include "analysis/halving_search.h"
#include "analysis/lockstep.h"
#include "select/model.h"
#include "select/size_choices.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nbrhood_tools::explain {

/// A quantity of each rank: the mean of the sends (equal to the mean of the receives), and the most
/// that any rank sends or receives.
struct Amount {
    double mean = 0;
    std::int64_t most = 0;
};

/// The distance between two ranks.
enum Distance { in_socket, in_node, between_nodes };
constexpr int distances = 3;

struct Counts {
    std::array<Amount, distances> messages, bytes;
    /// Entries, of which a message carries equal ones of a rank once; unless they are not known.
    std::optional<std::array<Amount, distances>> distinct_entries;
};

/// Seconds of a call.
struct Times {
    double hockney = 0; ///< closed formulas from the pattern's messages (analysis/closed_forms.h)
    double postal = 0;
    double max_rate = 0;
    double automatic = 0; ///< the prediction of `auto` from the builders' counts (select/model.h)
    double events = 0;    ///< event evaluation (analysis/evaluation.h)
};

/// An algorithm with blocks of one size.
struct SizeReport {
    std::int64_t bytes = 0; ///< of a block, or of an entry if blocks have counts
    std::int64_t messages = 0;
    int depth = 0; ///< the longest chain of messages that wait for each other
    Counts counts; ///< of each rank
    Amount staging_bytes;
    Times seconds;
    double speed_up = 0; ///< by events; 0 if the other algorithm was not requested
    std::optional<DieReport> dies;
};

/// The time during which the messages of a phase are sent and received, from the first to the last.
struct PhaseSpan {
    std::uint8_t phase = 0;    ///< nbrhood::Phase
    double begin = 0, end = 0; ///< seconds since the start of the call
};

struct AlgorithmReport {
    std::string name;
    std::string source;       ///< paper and section
    bool shares_cores = true; ///< `auto` may choose it if the ranks of a node outnumber its cores
    nbrhood::Negotiation creation;
    Amount creation_messages, creation_bytes; ///< of each rank
    double creation_seconds = 0; ///< more than without the component (analysis/closed_forms.h)
    std::uint64_t combining_threshold = 0;        ///< T, bytes
    std::uint64_t packing_threshold = 0;          ///< P, bytes
    std::vector<nbrhood::HalvingStep> halving;    ///< of distance_halving: its search for agents
    std::optional<nbrhood::FriendReport> friends; ///< of common_neighbor: its groups
    bool proved = false;
    std::vector<std::string> faults; ///< of a pattern whose requested proof failed
    std::vector<SizeReport> sizes;   ///< none if there are faults: a wrong pattern is not modelled
    // For nbrhood-plot, of the first size:
    TrafficMatrix messages_by_rank, messages_by_node, bytes_by_rank, bytes_by_node;
    std::vector<nbrhood::Interval> timeline; ///< of the first ranks
    std::vector<PhaseSpan> phases;           ///< of all ranks, in the order of their beginning
};

/// The answer for blocks of one size. Speed-ups are those of the tables.
struct SizeAnswer {
    std::int64_t bytes = 0;
    double speed_up = 0; ///< of the choice of `auto`; 0 if that is not known
    double break_even_calls =
        0;               ///< calls after which its creation breaks even; 0 if a call gains nothing
    std::string fastest; ///< the algorithm that is fastest by events among those that can be named
    double fastest_speed_up = 0; ///< 1 for direct
};

/// The choice of `auto` and its reason, in the words of the component's own report.
struct Decision {
    std::string choice; ///< empty if it is not known
    std::string reason;
    /// For the collective in which a rank gives one count, if all ranks then know the size of
    /// blocks; else empty.
    nbrhood::SizeChoices by_size = {};

    std::string text() const { return (choice.empty() ? "unknown" : choice) + " (" + reason + ")"; }
};

/// A graph with one kind of blocks; or MPI_Allgather, which has no facts, bounds and answers.
struct ScenarioReport {
    std::string graph;
    std::string compared_with; ///< the algorithm over which the others have speed-ups
    nbrhood::BlockKind kind = nbrhood::BlockKind::one_per_edge;
    bool has_counts = false;
    double density = 0;
    nbrhood::Facts facts;
    double mean_entries = 1;
    std::vector<std::int64_t> bytes; ///< the sizes asked for, of blocks or entries
    std::vector<AlgorithmReport> algorithms;
    std::vector<std::string> left_out;       ///< rows that were not asked for and are expensive
    std::vector<nbrhood::LowerBound> bounds; ///< by size
    Decision automatic;
    std::vector<SizeAnswer> answers; ///< by size (answer.h)

    bool has_graph() const { return !bounds.empty(); }
    const AlgorithmReport *find(const std::string &name) const
    {
        for (const AlgorithmReport &algorithm : algorithms)
            if (algorithm.name == name)
                return &algorithm;
        return nullptr;
    }
};

} // namespace nbrhood_tools::explain
