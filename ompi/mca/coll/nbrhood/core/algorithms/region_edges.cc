#include "algorithms/region_edges.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

namespace nbrhood {

std::vector<std::int32_t> RegionEdges::encode(const Neighbourhood &neighbourhood)
{
    std::vector<std::int32_t> words{static_cast<std::int32_t>(neighbourhood.in.size()),
                                    static_cast<std::int32_t>(neighbourhood.out.size())};
    for (const auto *ends : {&neighbourhood.in, &neighbourhood.out}) {
        for (const EdgeEnd &end : *ends) {
            words.push_back(end.peer);
            words.push_back(end.key);
        }
    }
    return words;
}

void RegionEdges::add_member(Rank member, const std::vector<std::int32_t> &words)
{
    members_.push_back(member);
    const auto in_degree = static_cast<std::uint32_t>(words.at(0));
    const auto out_degree = static_cast<std::uint32_t>(words.at(1));
    std::size_t at = 2;
    bool has[2] = {false, false};
    for (std::uint32_t i = 0; i < in_degree + out_degree; ++i) {
        const Direction direction = i < in_degree ? incoming : outgoing;
        const std::uint32_t slot = i < in_degree ? i : i - in_degree;
        const Rank peer = words.at(at++);
        const std::int32_t key = words.at(at++);
        if (peer == kNoRank || peer == member) {
            continue;
        }
        has[direction] = true;
        const Region other = machine_->region_of(peer);
        if (other != region_) {
            crossings_[direction][other].push_back(Crossing{member, peer, key, slot});
        } else if (direction == outgoing) {
            local_edges_.push_back(Crossing{member, peer, key, slot});
        } else {
            local_slots_[{peer, member, key}] = slot;
        }
    }
    both_ways_[member] = has[incoming] && has[outgoing];
}

void RegionEdges::join_components(Forest &forest) const
{
    for (const Crossing &edge : local_edges_) {
        forest.unite(edge.inside, edge.outside);
    }
    // Out-edges are enough: the region at the other end reports its own.
    for (const auto &[other, blocks] : crossings_[outgoing]) {
        for (const Crossing &crossing : blocks) {
            forest.unite(crossing.inside, crossing.outside);
        }
    }
}

// How many ranks of a component carry its messages to and from other regions. One rank handles a
// few messages while the others would still be waiting to be told theirs, so a relay gets several.
std::size_t RegionEdges::relay_count() const
{
    constexpr std::size_t kMessagesOfARelay = 8;
    if (tuning_.relays_per_region > 0) {
        return static_cast<std::size_t>(tuning_.relays_per_region);
    }
    const std::size_t messages = std::max(crossings_[outgoing].size(), crossings_[incoming].size());
    return std::max<std::size_t>(1, (messages + kMessagesOfARelay - 1) / kMessagesOfARelay);
}

// Members in the order in which they become relays: those with the most crossing blocks first,
// since what a relay sends or receives for itself needs no message within the region; before all
// others those with in-edges and out-edges. (MPI_Neighbor_allgather returns early where a rank
// gives a count of zero for the direction in which it has no edges.)
std::vector<Rank> RegionEdges::by_suitability() const
{
    std::map<Rank, std::int64_t> crossing_blocks; // by member: how much of its own crosses
    for (const auto &by_region : crossings_) {
        for (const auto &entry : by_region) {
            for (const Crossing &crossing : entry.second) {
                ++crossing_blocks[crossing.inside];
            }
        }
    }
    std::vector<Rank> ranks = members_;
    const auto suitability = [&](Rank rank) {
        return std::make_pair(both_ways_.at(rank), crossing_blocks[rank]);
    };
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](Rank a, Rank b) { return suitability(a) > suitability(b); });
    return ranks;
}

std::vector<Region> RegionEdges::neighbour_regions() const
{
    std::set<Region> regions;
    for (const auto &by_region : crossings_) {
        for (const auto &entry : by_region) {
            regions.insert(entry.first);
        }
    }
    return {regions.begin(), regions.end()};
}

bool RegionEdges::Job::operator<(const Job &b) const
{
    return std::tie(direction, other, component) < std::tie(b.direction, b.other, b.component);
}

void RegionEdges::assign_relays(Forest &components)
{
    for (Direction direction : {outgoing, incoming}) {
        for (const auto &[other, blocks] : crossings_[direction]) {
            for (const Crossing &crossing : blocks) {
                const Job job{direction, other, components.label(crossing.inside)};
                jobs_[job].crossings.push_back(crossing);
            }
        }
    }
    std::map<Rank, std::vector<Rank>> candidates; // by component
    for (Rank member : by_suitability()) {
        candidates[components.label(member)].push_back(member);
    }
    for (auto &entry : candidates) {
        entry.second.resize(std::min(entry.second.size(), relay_count()));
    }
    std::vector<std::pair<const Job, Relay> *> order;
    for (auto &entry : jobs_) {
        order.push_back(&entry);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto *a, const auto *b) {
        return a->second.crossings.size() > b->second.crossings.size();
    });
    // A message costs as much as a good number of small blocks.
    constexpr std::int64_t kMessageWeight = 64;
    std::map<Rank, std::int64_t> load;
    for (auto *entry : order) {
        auto &crossings = entry->second.crossings;
        // Both regions list the blocks of a message in this order.
        std::sort(crossings.begin(), crossings.end(), [&](const Crossing &a, const Crossing &b) {
            const bool out = entry->first.direction == outgoing;
            return std::make_tuple(out ? a.outside : a.inside, out ? a.inside : a.outside, a.key)
                   < std::make_tuple(out ? b.outside : b.inside, out ? b.inside : b.outside, b.key);
        });
        const auto &ranks = candidates.at(entry->first.component);
        const Rank relay = *std::min_element(ranks.begin(), ranks.end(),
                                             [&](Rank a, Rank b) { return load[a] < load[b]; });
        entry->second.inside = relay;
        load[relay] += kMessageWeight + static_cast<std::int64_t>(crossings.size());
    }
    choose_local_rides(components, candidates);
}

bool RegionEdges::local_rides_pay(std::size_t edges, std::size_t members) const
{
    return tuning_.local_rides > 0
           || (tuning_.local_rides < 0 && tuning_.ranks_per_core > 1 && edges > members);
}

// Where a component has one relay in the region, its members exchange one message with it each way
// in any case; blocks that stay inside can join these. That costs the relay two copies a block and
// saves a message a block, which pays where messages mean context switches.
void RegionEdges::choose_local_rides(Forest &components,
                                     const std::map<Rank, std::vector<Rank>> &candidates)
{
    std::map<Rank, std::size_t> members, edges;
    std::map<Rank, bool> crosses;
    for (Rank member : members_) {
        ++members[components.label(member)];
    }
    for (const Crossing &edge : local_edges_) {
        ++edges[components.label(edge.inside)];
    }
    for (const auto &entry : jobs_) {
        crosses[entry.first.component] = true;
    }
    for (Rank member : members_) {
        const Rank component = components.label(member);
        const auto &relays = candidates.at(component);
        if (relays.size() == 1 && crosses[component]
            && local_rides_pay(edges[component], members[component])) {
            local_relay_[member] = relays.front();
        }
    }
}

std::vector<std::int32_t> RegionEdges::encode_relays(Region other) const
{
    std::vector<std::int32_t> words;
    for (const auto &[job, relay] : jobs_) {
        if (job.other == other) {
            words.insert(words.end(), {job.direction, job.component, relay.inside});
        }
    }
    return words;
}

void RegionEdges::add_remote_relays(Region other, const std::vector<std::int32_t> &words)
{
    for (std::size_t at = 0; at + 2 < words.size(); at += 3) {
        // What leaves there arrives here.
        const Direction direction = words[at] == outgoing ? incoming : outgoing;
        jobs_.at(Job{direction, other, words[at + 1]}).outside = words[at + 2];
    }
    for (const auto &[job, relay] : jobs_) {
        if (job.other == other && relay.outside == kNoRank) {
            throw std::runtime_error("the other region does not know a message");
        }
    }
}

} // namespace nbrhood
