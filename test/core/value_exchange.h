// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One alltoallv over all ranks of a graph in which ranks send entries of a vector, perhaps the same
// one to several neighbours.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "memory_world.h"
#include "plan_fixture.h"

namespace nbrhood::test {

// The form in which a rank passes its data to the call.
enum class Handing {
    scattered, // datatypes that pick entries of the vector
    windows,   // contiguous, overlapping ranges of the vector
    indexed,   // copies of the entries, with their indices
    packed     // copies without indices
};

struct ValueOptions {
    std::size_t entry = 8;  // bytes
    int entries = 20;       // of each rank's vector
    int most_per_edge = 10; // entries
    bool learns = true;
    bool duplicates_in_block = true;
    double scattered_slots = 0.5; // of the receivers
    std::vector<Handing> handings{Handing::scattered, Handing::windows, Handing::indexed,
                                  Handing::packed};
};

class ValueExchange {
public:
    ValueExchange(const Graph &graph, const Programs &programs, const WireSettings &wire,
                  World &world, const ValueOptions &options, Random &random);

    // Lets every rank perform operations one after the other, in random order.
    void run(std::uint32_t rounds, Random &random);

    // The entries that a rank sends in an out-slot.
    const std::vector<int> &entries(Rank rank, std::size_t slot) const
    {
        return entries_[index(rank)][slot];
    }
    // Replaces the entries, before the first round.
    void send(Rank rank, std::size_t slot, std::vector<int> entries);
    std::uint32_t started(Rank rank) const { return started_[index(rank)]; }
    Plan &plan(Rank rank) { return *plans_[index(rank)]; }

private:
    static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }
    std::uint64_t contents(Rank rank, int entry, std::uint32_t round) const;
    void draw_entries(Random &random);
    void bind(Random &random);
    void bind_sends(std::size_t rank);
    void bind_receives(std::size_t rank, Random &random);
    void start(Rank rank);
    void check(Rank rank);

    const Graph &graph_;
    World &world_;
    ValueOptions options_;
    std::vector<std::unique_ptr<Plan>> plans_;
    std::vector<Handing> handing_;
    std::vector<std::vector<std::vector<int>>> entries_; // by rank and out-slot
    std::vector<std::vector<char>> vectors_;             // the send buffer of each rank
    std::vector<std::vector<std::vector<char>>> copies_; // or these entries, by slot
    std::vector<std::vector<std::vector<MemorySegment>>> send_types_, receive_types_;
    std::vector<std::vector<std::vector<char>>> received_; // by slot
    std::vector<std::map<std::pair<Rank, std::int32_t>, std::size_t>> out_slots_;
    std::vector<std::uint32_t> started_;
    std::vector<char> active_;
    bool bound_ = false;
};

} // namespace nbrhood::test
