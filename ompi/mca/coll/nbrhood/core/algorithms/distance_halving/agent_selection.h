// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The selection of agents in the opposite half: a matching by shared neighbours.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "algorithms/toolkit/work_slice.h"
#include "pattern/message_words.h"

namespace nbrhood {

// The ranks of one half and, as candidates, those of the other half. A row has one bit for each
// destination in the candidates' half, which is set if the destination is an out-neighbour.
struct AgentSearch {
    using Row = std::vector<std::uint64_t>;
    std::vector<Row> origins;    // ranks that look for an agent
    std::vector<Row> candidates; // empty: cannot be an agent
};

// A sample of the positions of a half, evenly spread, by which ranks are compared; at most `most`
// positions (0: all).
class Samples {
public:
    Samples(int begin, int end, int most)
        : begin_(begin), end_(end), stride_(most == 0 ? 1 : (end - begin + most - 1) / most),
          words_(static_cast<std::size_t>((end - begin + stride_ - 1) / stride_ + 31) / 32)
    {}

    // The destinations of a rank (positions, ascending) that are in the sample, as bits in words;
    // and as a row.
    std::vector<std::int32_t> bits_of(const std::vector<int> &positions) const;
    AgentSearch::Row take_row(WordReader &words) const;

private:
    int begin_;
    int end_;
    int stride_;
    std::size_t words_;
};

// The work of select_agents() in slices. The result does not depend on the slices.
class AgentSelector {
public:
    AgentSelector(AgentSearch search, int most_origins);

    // Works until the slice is used up. Returns whether the work is complete.
    bool go_on(WorkSlice &slice);
    // By origin, when the work is complete.
    const std::vector<int> &agents() const { return agents_; }

private:
    struct Pair {
        int shared = 0;
        int origin = 0;
        int candidate = 0;

        // Whether the pair is matched later than another.
        bool operator<(const Pair &other) const;
    };

    void match(const Pair &pair, WorkSlice &slice);
    void offer_next(int origin, WorkSlice &slice);
    void find_best(int origin, std::vector<Pair> &best, WorkSlice &slice) const;
    bool taken(std::size_t candidate) const { return load_[candidate] >= most_; }

    AgentSearch search_;
    int most_origins_;
    std::vector<int> agents_;             // by origin
    std::vector<int> load_;               // by candidate: the number of its origins
    std::vector<std::vector<Pair>> best_; // by origin
    // State of the round: free candidates serve fewer origins than `most_`; all origins before
    // `next_` without an agent have offered a pair.
    int most_ = 1;
    std::size_t next_ = 0;
    std::priority_queue<Pair> offers_;
};

// Selects an agent for each origin, or none (-1): the greedy matching by the number of shared
// destinations, the most first, ties by the lower origin and then the lower candidate. With
// most_origins 1 this is the result of the negotiation of Sharifian, Sojoodi, Afsahi (2024),
// algorithms 2 and 3, which also matches a pair when each is the best one left for the other. With
// more, origins without an agent share the agents: all agents get a second origin before any gets a
// third. Only ranks that share a destination are matched.
//
// Each origin keeps its best few candidates, and searches again when these are taken. So the memory
// grows only with the number of ranks, but the result is that of complete lists.
std::vector<int> select_agents(AgentSearch search, int most_origins);

} // namespace nbrhood
