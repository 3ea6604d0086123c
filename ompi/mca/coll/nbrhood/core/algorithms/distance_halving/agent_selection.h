// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Which rank of the opposite half becomes the agent of which: a matching by shared neighbours.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "algorithms/toolkit/work_slice.h"
#include "pattern/message_words.h"

namespace nbrhood {

// One half's ranks and those of the other half as candidates, by what they share: one bit for each
// destination in the candidates' half, set where a rank has it as out-neighbour.
struct AgentSearch {
    using Row = std::vector<std::uint64_t>;
    std::vector<Row> origins;    // that look for an agent
    std::vector<Row> candidates; // no row (empty): cannot be an agent
};

// The positions of a half that stand for all of it when ranks are compared: evenly spread, at most
// so many (0: all).
class Samples {
public:
    Samples(int begin, int end, int most)
        : begin_(begin), end_(end), stride_(most == 0 ? 1 : (end - begin + most - 1) / most),
          words_(static_cast<std::size_t>((end - begin + stride_ - 1) / stride_ + 31) / 32)
    {}

    // The positions of a rank's destinations (ascending) that are among them, as bits in words; and
    // as a row.
    std::vector<std::int32_t> bits_of(const std::vector<int> &positions) const;
    AgentSearch::Row take_row(WordReader &words) const;

private:
    int begin_;
    int end_;
    int stride_;
    std::size_t words_;
};

// The work of select_agents() in slices; the result does not depend on these.
class AgentSelector {
public:
    AgentSelector(AgentSearch search, int most_origins);

    // Goes on until the slice is used up; whether there is nothing left to do.
    bool go_on(WorkSlice &slice);
    // Once that is so: by origin.
    const std::vector<int> &agents() const { return agents_; }

private:
    struct Pair {
        int shared = 0;
        int origin = 0;
        int candidate = 0;

        // Whether it is matched later than another.
        bool operator<(const Pair &other) const;
    };

    void match(const Pair &pair, WorkSlice &slice);
    void offer_next(int origin, WorkSlice &slice);
    void find_best(int origin, std::vector<Pair> &best, WorkSlice &slice) const;
    bool taken(std::size_t candidate) const { return load_[candidate] >= most_; }

    AgentSearch search_;
    int most_origins_;
    std::vector<int> agents_;             // by origin
    std::vector<int> load_;               // by candidate: its origins
    std::vector<std::vector<Pair>> best_; // by origin
    // The round: candidates serve fewer origins than `most_`, and origins before `next_` that have
    // no agent have offered a pair.
    int most_ = 1;
    std::size_t next_ = 0;
    std::priority_queue<Pair> offers_;
};

// Selects an agent for each origin, or none (-1): the greedy matching by the number of shared
// destinations, the most first, ties by the lower origin and then the lower candidate. With
// most_origins 1 that is what the negotiation of Sharifian, Sojoodi, Afsahi (2024), algorithms 2
// and 3, comes to: there, too, a pair is matched when each is the best that is left to the other.
// With more, origins that got none share the agents: all get a second origin before any gets a
// third. Only ranks that share a destination are matched.
//
// Each origin keeps its best few candidates, and looks for more when these are taken; so the memory
// grows with the number of ranks, while the result is that of complete lists.
std::vector<int> select_agents(AgentSearch search, int most_origins);

} // namespace nbrhood
