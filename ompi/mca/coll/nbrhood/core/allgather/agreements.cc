// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/agreements.h"

#include <algorithm>

namespace nbrhood {

const Agreements::Member *Agreements::look(const Group &group, std::uint64_t name)
{
    const auto at = std::lower_bound(
        group.begin(), group.end(), name,
        [](const Member &member, std::uint64_t wanted) { return member.name < wanted; });
    return at != group.end() && at->name == name ? &*at : nullptr;
}

bool Agreements::find(const std::vector<std::uint64_t> &names,
                      std::vector<AllgatherMember> &members) const
{
    for (const Group &group : groups_) {
        members.clear();
        for (const std::uint64_t name : names) {
            const Member *member = look(group, name);
            if (member == nullptr) {
                break;
            }
            members.push_back(member->told);
        }
        if (members.size() == names.size()) {
            return true;
        }
    }
    return false;
}

void Agreements::add(const std::vector<std::uint64_t> &names,
                     const std::vector<AllgatherMember> &members)
{
    if (std::any_of(members.begin(), members.end(),
                    [](const AllgatherMember &member) { return member.threads != 0; })) {
        return; // one thread may be in this agreement while another asks for it
    }
    Group added;
    for (std::size_t i = 0; i < names.size(); ++i) {
        added.push_back(Member{names[i], members[i]});
    }
    std::sort(added.begin(), added.end(),
              [](const Member &a, const Member &b) { return a.name < b.name; });
    const auto inside = [&](const Group &group) {
        return std::all_of(group.begin(), group.end(), [&](const Member &member) {
            return look(added, member.name) != nullptr;
        });
    };
    groups_.erase(std::remove_if(groups_.begin(), groups_.end(), inside), groups_.end());
    groups_.push_back(std::move(added));
}

} // namespace nbrhood
