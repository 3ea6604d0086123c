// What nbrhood-explain finds out about a graph on a machine.
#ifndef NBRHOOD_EXPLAIN_REPORT_H
#define NBRHOOD_EXPLAIN_REPORT_H

#include "traffic_matrix.h"

#include "analysis/lockstep.h"
#include "analysis/closed_forms.h"
#include "select/model.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace nbrhood_explain {

/// A quantity that each rank has: what is sent (the mean is that of what is received, too), and the
/// most that any rank sends or receives.
struct Amount {
    double mean = 0;
    std::int64_t most = 0;
};

/// How far apart two ranks are.
enum Distance { in_socket, in_node, between_nodes };
constexpr int distances = 3;

struct Counts {
    std::array<Amount, distances> messages, bytes;
};

/// Seconds of a call.
struct Times {
    double hockney = 0; ///< closed formulas from the pattern's messages (analysis/closed_forms.h)
    double postal = 0;
    double max_rate = 0;
    double automatic = 0; ///< what `auto` believes from what builders count (select/model.h)
    double events = 0;    ///< event evaluation (analysis/evaluation.h)
};

/// An algorithm with blocks of one size.
struct SizeReport {
    std::int64_t bytes = 0; ///< of a block, or of an entry where blocks have counts
    std::int64_t messages = 0;
    int depth = 0; ///< the longest chain of messages that wait for each other
    Counts counts; ///< of each rank
    Amount staging_bytes;
    Times seconds;
    double speed_up = 0; ///< over direct, by events; 0 where direct was not asked for
};

struct AlgorithmReport {
    std::string name;
    std::string source; ///< paper and section
    nbrhood::Negotiation creation;
    std::uint64_t ride_threshold = 0; ///< T, bytes
    std::uint64_t pack_limit = 0;     ///< P, bytes
    bool proved = false;
    std::vector<std::string> faults; ///< of a pattern that is not proved although that was asked
    std::vector<SizeReport> sizes;   ///< none where there are faults: what is wrong is not modelled
    // For pictures, of the first size:
    TrafficMatrix by_rank, by_node;
    std::vector<nbrhood::Interval> timeline; ///< of the first ranks
};

/// A graph with one kind of blocks.
struct SubjectReport {
    std::string graph;
    nbrhood::BlockKind kind = nbrhood::BlockKind::one_per_edge;
    bool has_counts = false;
    double density = 0;
    nbrhood::Facts facts;
    double mean_entries = 1;
    std::vector<std::int64_t> bytes; ///< the sizes asked for, of blocks or entries
    std::vector<AlgorithmReport> algorithms;
    std::vector<nbrhood::LowerBound> bounds; ///< by size
    std::string automatic;                   ///< what `auto` would choose, and why

    const AlgorithmReport *find(const std::string &name) const
    {
        for (const AlgorithmReport &algorithm : algorithms)
            if (algorithm.name == name)
                return &algorithm;
        return nullptr;
    }
};

} // namespace nbrhood_explain

#endif
