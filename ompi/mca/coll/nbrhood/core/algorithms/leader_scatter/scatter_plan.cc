// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/leader_scatter/scatter_plan.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "pattern/pattern.h"

namespace nbrhood {
namespace {

using Places = std::vector<ScatterPlace>;

class ScatterPlan {
public:
    ScatterPlan(const ScatterPlace &source, const DieLinks &links, std::size_t most_leaders,
                bool by_turns)
        : source_(source), links_(links), most_leaders_(most_leaders), by_turns_(by_turns)
    {}

    // Adds transfers to the destinations of one package of the source's node.
    void add_package(const Places &package)
    {
        if (package.size() < 2 || package.front().package == source_.package
            || !knows_dies(package)) {
            return;
        }
        const std::vector<int> loads = loads_of(package);
        const int all = std::accumulate(loads.begin(), loads.end(), 0);
        int begin = 0;
        for (std::size_t holder = 0; holder < package.size(); ++holder) {
            const int end = begin + loads[holder];
            if (end > begin) {
                const ScatterTransfer part = part_of(begin, end, all);
                add(part, kGather, source_, package[holder]);
                for (const ScatterPlace &other : package) {
                    if (other.rank != package[holder].rank) {
                        add(part, kInter, package[holder], other);
                    }
                }
            }
            begin = end;
        }
    }

    // Adds transfers to the destinations of another node, which are in the order of packages and
    // dies.
    void add_node(const Places &node)
    {
        if (node.size() < 2) {
            return;
        }
        std::size_t largest = 2;
        std::vector<Places> groups = groups_of(node, largest);
        while (groups.size() > most_leaders_) {
            groups = groups_of(node, ++largest);
        }
        if (by_turns_) {
            for (Places &group : groups) {
                const auto turn = turn_of_source() % group.size();
                std::rotate(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(turn),
                            group.end());
            }
        }
        const int leaders = static_cast<int>(groups.size());
        for (int holder = 0; holder < leaders; ++holder) {
            const ScatterTransfer part = part_of(holder, holder + 1, leaders);
            const ScatterPlace &leader = groups[static_cast<std::size_t>(holder)].front();
            add(part, kGather, source_, leader);
            for (const Places &group : groups) {
                const bool own = group.front().rank == leader.rank;
                if (!own) {
                    add(part, kInter, leader, group.front());
                }
                for (std::size_t member = 1; member < group.size(); ++member) {
                    add(part, own ? kInter : kRedistribute, group.front(), group[member]);
                }
            }
        }
    }

    std::vector<ScatterTransfer> take() { return std::move(transfers_); }

private:
    // Sources of a node take turns by their dies. If dies are not known, a hash decides, because
    // all ranks of a node may have even numbers.
    std::size_t turn_of_source() const
    {
        return source_.die >= 0 ? static_cast<std::size_t>(source_.die)
                                : mix(static_cast<std::uint32_t>(source_.rank));
    }

    // The destinations of each package if each may have leaders.
    std::vector<Places> groups_of(const Places &node, std::size_t largest) const
    {
        std::size_t packages = 1;
        for (std::size_t i = 1; i < node.size(); ++i) {
            packages += node[i].package != node[i - 1].package ? 1 : 0;
        }
        std::vector<Places> groups;
        for (const ScatterPlace &place : node) {
            const bool other_package =
                !groups.empty() && groups.back().front().package != place.package;
            if (groups.empty() || groups.back().size() >= largest
                || (other_package && packages <= most_leaders_)) {
                groups.emplace_back();
            }
            groups.back().push_back(place);
        }
        return groups;
    }

    static ScatterTransfer part_of(int first, int last, int of)
    {
        ScatterTransfer part;
        part.first = static_cast<std::uint16_t>(first);
        part.last = static_cast<std::uint16_t>(last);
        part.of = static_cast<std::uint16_t>(of);
        return part;
    }

    void add(ScatterTransfer part, std::uint8_t phase, const ScatterPlace &from,
             const ScatterPlace &to)
    {
        part.phase = phase;
        part.from = from.rank;
        part.to = to.rank;
        transfers_.push_back(part);
    }

    bool knows(const ScatterPlace &place) const
    {
        return place.die >= 0 && place.die < links_.dies();
    }
    bool knows_dies(const Places &package) const
    {
        return knows(source_)
               && std::all_of(package.begin(), package.end(),
                              [&](const ScatterPlace &place) { return knows(place); });
    }

    // The share of each destination, relative to their sum.
    std::vector<int> loads_of(const Places &package) const
    {
        std::vector<int> links;
        std::vector<int> hops;
        for (const ScatterPlace &place : package) {
            links.push_back(links_.links(source_.die, place.die));
            hops.push_back(links_.hops(source_.die, place.die));
        }
        if (std::any_of(links.begin(), links.end(), [](int count) { return count > 0; })) {
            return links; // equation 2
        }
        const int all_hops = std::accumulate(hops.begin(), hops.end(), 0);
        for (int &count : hops) {
            count = all_hops - count; // equation 1
        }
        return hops;
    }

    const ScatterPlace &source_;
    const DieLinks &links_;
    std::size_t most_leaders_;
    bool by_turns_;
    std::vector<ScatterTransfer> transfers_;
};

} // namespace

std::vector<ScatterTransfer> plan_scatter(const ScatterPlace &source,
                                          std::vector<ScatterPlace> destinations,
                                          const DieLinks &links, std::size_t most_leaders,
                                          bool by_turns)
{
    std::sort(destinations.begin(), destinations.end(),
              [](const ScatterPlace &a, const ScatterPlace &b) {
                  return std::tie(a.node, a.package, a.die, a.rank)
                         < std::tie(b.node, b.package, b.die, b.rank);
              });
    ScatterPlan plan(source, links, most_leaders, by_turns);
    for (auto first = destinations.begin(); first != destinations.end();) {
        const bool local = first->node == source.node;
        const auto last = std::find_if(first, destinations.end(), [&](const ScatterPlace &place) {
            return place.node != first->node || (local && place.package != first->package);
        });
        if (local) {
            plan.add_package({first, last});
        } else {
            plan.add_node({first, last});
        }
        first = last;
    }
    return plan.take();
}

} // namespace nbrhood
