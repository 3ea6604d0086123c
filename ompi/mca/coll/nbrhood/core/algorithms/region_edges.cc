#include "algorithms/region_edges.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

namespace nbrhood {

std::vector<std::int32_t> RegionEdges::encode(const Neighbourhood& neighbourhood) {
    std::vector<std::int32_t> words{static_cast<std::int32_t>(neighbourhood.in.size()),
                                    static_cast<std::int32_t>(neighbourhood.out.size())};
    for (const auto* ends : {&neighbourhood.in, &neighbourhood.out}) {
        for (const EdgeEnd& end : *ends) {
            words.push_back(end.peer);
            words.push_back(end.key);
        }
    }
    return words;
}

void RegionEdges::add_member(Rank member, const std::vector<std::int32_t>& words) {
    members_.push_back(member);
    const auto in_degree = static_cast<std::uint32_t>(words.at(0));
    const auto out_degree = static_cast<std::uint32_t>(words.at(1));
    std::size_t at = 2;
    for (std::uint32_t i = 0; i < in_degree + out_degree; ++i) {
        const Direction direction = i < in_degree ? incoming : outgoing;
        const std::uint32_t slot = i < in_degree ? i : i - in_degree;
        const Rank peer = words.at(at++);
        const std::int32_t key = words.at(at++);
        if (peer == kNoRank || peer == member) {
            continue;
        }
        const Region other = machine_->region_of(peer);
        if (other != region_) {
            crossings_[direction][other].push_back(Crossing{member, peer, key, slot});
        } else if (direction == outgoing) {
            local_edges_.emplace_back(member, peer);
        }
    }
}

void RegionEdges::join_components(Forest& forest) const {
    for (const auto& [a, b] : local_edges_) {
        forest.unite(a, b);
    }
    // Out-edges are enough: the region at the other end reports its own.
    for (const auto& [other, blocks] : crossings_[outgoing]) {
        for (const Crossing& crossing : blocks) {
            forest.unite(crossing.inside, crossing.outside);
        }
    }
}

Traffic RegionEdges::traffic(int relays) const {
    Traffic total;
    total.edges_local = static_cast<std::int64_t>(local_edges_.size());
    std::map<Rank, std::set<Region>> reached[2];
    for (int direction : {outgoing, incoming}) {
        for (const auto& [other, blocks] : crossings_[direction]) {
            for (const Crossing& crossing : blocks) {
                reached[direction][crossing.inside].insert(other);
            }
        }
        const auto peers = static_cast<std::int64_t>(crossings_[direction].size());
        const std::int64_t carriers = relays > 0 ? std::min<std::int64_t>(relays, peers) : peers;
        for (const auto& entry : reached[direction]) {
            // An upper bound: a member may be a relay itself.
            total.relayed_local +=
                std::min<std::int64_t>(carriers, static_cast<std::int64_t>(entry.second.size()));
        }
    }
    for (const auto& [other, blocks] : crossings_[outgoing]) {
        total.edges_nonlocal += static_cast<std::int64_t>(blocks.size());
        ++total.relayed_nonlocal;
    }
    return total;
}

std::vector<Region> RegionEdges::neighbour_regions() const {
    std::set<Region> regions;
    for (const auto& by_region : crossings_) {
        for (const auto& entry : by_region) {
            regions.insert(entry.first);
        }
    }
    return {regions.begin(), regions.end()};
}

bool RegionEdges::Job::operator<(const Job& b) const {
    return std::tie(direction, other, component) < std::tie(b.direction, b.other, b.component);
}

void RegionEdges::assign_relays(Forest& components, int relays) {
    std::map<Rank, std::int64_t> crossing_blocks; // by member: how much of its own crosses
    for (Direction direction : {outgoing, incoming}) {
        for (const auto& [other, blocks] : crossings_[direction]) {
            for (const Crossing& crossing : blocks) {
                const Job job{direction, other, components.label(crossing.inside)};
                jobs_[job].blocks.push_back(crossing);
                ++crossing_blocks[crossing.inside];
            }
        }
    }
    // The candidates of a component: members with the most crossing blocks first, since what a relay
    // sends or receives for itself needs no message within the region.
    std::map<Rank, std::vector<Rank>> candidates;
    for (Rank member : members_) {
        candidates[components.label(member)].push_back(member);
    }
    for (auto& entry : candidates) {
        auto& ranks = entry.second;
        std::stable_sort(ranks.begin(), ranks.end(), [&](Rank a, Rank b) {
            return crossing_blocks[a] > crossing_blocks[b];
        });
        if (relays > 0 && ranks.size() > static_cast<std::size_t>(relays)) {
            ranks.resize(static_cast<std::size_t>(relays));
        }
    }
    std::vector<std::pair<const Job, Relay>*> order;
    for (auto& entry : jobs_) {
        order.push_back(&entry);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
        return a->second.blocks.size() > b->second.blocks.size();
    });
    // A message costs as much as a good number of small blocks.
    constexpr std::int64_t kMessageWeight = 64;
    std::map<Rank, std::int64_t> load;
    for (auto* entry : order) {
        auto& blocks = entry->second.blocks;
        // Both regions list the blocks of a message in this order.
        std::sort(blocks.begin(), blocks.end(), [&](const Crossing& a, const Crossing& b) {
            const bool out = entry->first.direction == outgoing;
            return std::make_tuple(out ? a.outside : a.inside, out ? a.inside : a.outside, a.key) <
                   std::make_tuple(out ? b.outside : b.inside, out ? b.inside : b.outside, b.key);
        });
        const auto& ranks = candidates.at(entry->first.component);
        const Rank relay = *std::min_element(
            ranks.begin(), ranks.end(), [&](Rank a, Rank b) { return load[a] < load[b]; });
        entry->second.inside = relay;
        load[relay] += kMessageWeight + static_cast<std::int64_t>(blocks.size());
    }
}

std::vector<std::int32_t> RegionEdges::encode_relays(Region other) const {
    std::vector<std::int32_t> words;
    for (const auto& [job, relay] : jobs_) {
        if (job.other == other) {
            words.insert(words.end(), {job.direction, job.component, relay.inside});
        }
    }
    return words;
}

void RegionEdges::add_remote_relays(Region other, const std::vector<std::int32_t>& words) {
    for (std::size_t at = 0; at + 2 < words.size(); at += 3) {
        // What leaves there arrives here.
        const Direction direction = words[at] == outgoing ? incoming : outgoing;
        jobs_.at(Job{direction, other, words[at + 1]}).outside = words[at + 2];
    }
    for (const auto& [job, relay] : jobs_) {
        if (job.other == other && relay.outside == kNoRank) {
            throw std::runtime_error("the other region does not know a message");
        }
    }
}

} // namespace nbrhood
