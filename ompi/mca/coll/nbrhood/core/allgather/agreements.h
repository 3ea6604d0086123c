// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Places that processes have exchanged, so that later allgathers need no agreement.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/machine.h"

namespace nbrhood {

// Entry of a process in an agreement: the displaced module gathers these in the first blocking call
// on a communicator.
struct AllgatherMember {
    // The fields of a Place, without the gap at its end. `node`: a number that in this agreement
    // only processes of that node have.
    std::int32_t node = 0;
    std::array<std::int16_t, kLevels - 1> domains{};
    std::uint16_t threads = 0; // not 0: several threads of the process may call MPI
    float ranks_per_core = 1;
    std::uint32_t parameters = 0; // checksum of parameters that must be equal everywhere

    Place place() const { return Place{node, domains}; }
};
static_assert(sizeof(AllgatherMember) == 24, "the wire format has no hidden gaps");

// The groups of processes whose agreements this process knows. A group inside one of them needs no
// agreement of its own. All its members took part in that agreement, or are still in it and can
// begin no other blocking call before they leave it. So all find the same answer, as long as each
// has one thread.
class Agreements {
public:
    // names[i] is the process of rank i: its number in the job. If one known group contains them
    // all, fills in their entries and returns true.
    bool find(const std::vector<std::uint64_t> &names, std::vector<AllgatherMember> &members) const;

    // Adds the entries of all ranks of a communicator. Groups inside this one are forgotten.
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
