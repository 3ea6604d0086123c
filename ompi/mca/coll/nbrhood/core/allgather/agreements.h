// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Places that processes have told each other, so that allgathers need not ask again.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/machine.h"

namespace nbrhood {

// Entry of a process in an agreement: one allgather of these by the module that the component
// displaced, in the first blocking call on a communicator.
struct AllgatherMember {
    // A Place, which would have a gap at its end. `node`: a number that only processes of that node
    // tell in this agreement.
    std::int32_t node = 0;
    std::array<std::int16_t, kLevels - 1> domains{};
    std::uint16_t threads = 0; // not 0: several threads of the process may call MPI
    float ranks_per_core = 1;
    std::uint32_t parameters = 0; // of the checksum of all that must be equal on all ranks

    Place place() const { return Place{node, domains}; }
};
static_assert(sizeof(AllgatherMember) == 24, "what travels has no hidden gaps");

// The groups of processes that have agreed, in this process. A group inside one of them needs no
// agreement of its own: all its members were in that one, have left it or are in it, and can begin
// no other blocking call before they leave. So all find the same, as long as each has one thread.
class Agreements {
public:
    // names[i] is the process of rank i: a number of its own in the job. Where some group that has
    // agreed holds them all, fills in what they told, and returns true.
    bool find(const std::vector<std::uint64_t> &names, std::vector<AllgatherMember> &members) const;

    // All ranks of a communicator have told this. Groups inside this one are forgotten.
    void add(const std::vector<std::uint64_t> &names, const std::vector<AllgatherMember> &members);

    std::size_t groups() const { return groups_.size(); }

private:
    struct Member {
        std::uint64_t name = 0;
        AllgatherMember told;
    };
    using Group = std::vector<Member>; // ascending
    static const Member *look(const Group &group, std::uint64_t name);

    std::vector<Group> groups_;
};

} // namespace nbrhood
