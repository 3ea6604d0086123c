// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Operations over all ranks of a graph, with messages of any content.
#pragma once

#include <map>

#include "memory_world.h"
#include "plan_fixture.h"

namespace nbrhood::test {

// One operation of each rank, or the starts of one persistent request, over one world. Received
// contents are not checked; writes outside the blocks are.
class GuardedRun {
public:
    // Blocks of one rank lie in one memory, over one another, so that messages have tables.
    GuardedRun(const Graph &graph, const Programs &programs, const WireSettings &wire, World &world,
               BlockKind kind, bool learns, Random &random);

    // Lets every rank perform this many operations, until nothing moves any more. Returns the
    // error, or nothing.
    std::string run(std::uint32_t operations);

    int errors() const { return errors_; }
    // The ranks that still wait.
    int waiting() const;

private:
    void add_rank(const Neighbourhood &own, const WireSettings &wire, bool learns, Random &random);
    std::size_t bytes_of(const Edge &edge) const;
    std::string find_fault(std::size_t largest) const;

    const Programs &programs_;
    World &world_;
    BlockKind kind_;
    std::vector<std::size_t> sizes_; // that blocks may have
    std::uint64_t seed_;
    std::vector<std::unique_ptr<Plan>> plans_;
    std::vector<std::vector<char>> sent_;
    std::vector<std::vector<std::unique_ptr<Memory>>> received_;
    std::vector<std::uint32_t> started_;
    std::vector<char> active_;
    std::size_t allowed_ = 0; // bytes of one allocation
    int errors_ = 0;
    bool ended_twice_ = false;
};

} // namespace nbrhood::test
