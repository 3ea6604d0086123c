// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/aggregated/region_relays.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace nbrhood {
namespace {

// The volume of data that these edges carry.
std::int64_t volume_of(const std::vector<Crossing> &crossings)
{
    std::int64_t volume = 0;
    for (const Crossing &crossing : crossings) {
        volume += crossing.weight;
    }
    return volume;
}

} // namespace

// The number of relays of a component for messages to and from other regions.
std::size_t RegionRelays::relay_count() const
{
    const int most = tuning_.values.get(kRelaysPerRegion);
    return most > 0 ? static_cast<std::size_t>(most) : scheme_->relays(*edges_, tuning_);
}

// Members in the order in which they become relays: those with the most crossing data first, since
// a relay's own blocks need no message within the region; but members with both in-edges and
// out-edges come before all others. (MPI_Neighbor_allgather returns early if a rank gives a count
// of zero for the direction in which it has no edges.)
std::vector<Rank> RegionRelays::by_suitability() const
{
    std::map<Rank, std::int64_t> crossing_volume; // by member: its own crossing data
    for (Direction direction : {outgoing, incoming}) {
        for (const auto &entry : edges_->crossings(direction)) {
            for (const Crossing &crossing : entry.second) {
                crossing_volume[crossing.inside] += crossing.weight;
            }
        }
    }
    std::vector<Rank> ranks = edges_->members();
    const auto suitability = [&](Rank rank) {
        return std::make_pair(edges_->both_directions(rank), crossing_volume[rank]);
    };
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](Rank a, Rank b) { return suitability(a) > suitability(b); });
    return ranks;
}

// The fixed cost of a message, in the unit of the edges' weights. It is the cost of a number of
// blocks of mean weight: the larger blocks are, the smaller is this number.
std::int64_t RegionRelays::message_load() const
{
    constexpr double kMessageBytes = 512;
    std::int64_t volume = 0;
    std::int64_t blocks = 0;
    for (Direction direction : {outgoing, incoming}) {
        for (const auto &entry : edges_->crossings(direction)) {
            volume += volume_of(entry.second);
            blocks += static_cast<std::int64_t>(entry.second.size());
        }
    }
    const double mean =
        static_cast<double>(volume) / static_cast<double>(std::max<std::int64_t>(1, blocks));
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(mean * kMessageBytes / tuning_.block_bytes));
}

bool RegionRelays::Job::operator<(const Job &b) const
{
    return std::tie(direction, other, component, sender)
           < std::tie(b.direction, b.other, b.component, b.sender);
}

RegionRelays::Jobs RegionRelays::list_jobs(Forest &components) const
{
    Jobs jobs;
    for (Direction direction : {outgoing, incoming}) {
        for (const auto &[other, blocks] : edges_->crossings(direction)) {
            for (const Crossing &crossing : blocks) {
                const Rank source = direction == outgoing ? crossing.inside : crossing.outside;
                const Job job{direction, other, components.label(crossing.inside),
                              scheme_->sender(source)};
                jobs[job].crossings.push_back(crossing);
            }
        }
    }
    for (auto &[job, relay] : jobs) {
        // Both regions list the blocks of a message in this order.
        const bool out = job.direction == outgoing;
        std::sort(relay.crossings.begin(), relay.crossings.end(),
                  [&](const Crossing &a, const Crossing &b) {
                      return std::make_tuple(out ? a.outside : a.inside, out ? a.inside : a.outside,
                                             a.key)
                             < std::make_tuple(out ? b.outside : b.inside,
                                               out ? b.inside : b.outside, b.key);
                  });
    }
    return jobs;
}

// The members of each component that may relay.
RegionRelays::Candidates RegionRelays::find_candidates(Forest &components) const
{
    Candidates candidates;
    const std::size_t most = relay_count();
    for (Rank member : by_suitability()) {
        auto &ranks = candidates[components.label(member)];
        const bool worse = !ranks.empty() && edges_->both_directions(ranks.front())
                           && !edges_->both_directions(member);
        if (ranks.size() < most && (!worse || scheme_->takes_one_directional())) {
            ranks.push_back(member);
        }
    }
    return candidates;
}

namespace {

// The candidates of a component by load; of several with equal load the most suitable comes first.
class Loads {
public:
    Loads(const std::vector<Rank> &candidates, const std::map<Rank, std::int64_t> &loads)
        : candidates_(candidates), loads_(candidates.size())
    {
        for (std::size_t place = 0; place < candidates.size(); ++place) {
            const auto known = loads.find(candidates[place]);
            loads_[place] = known == loads.end() ? 0 : known->second;
            place_of_[candidates[place]] = place;
            order_.insert({loads_[place], place});
        }
    }

    // Gives a message to the candidate with the least load. `detour` is added to the load of
    // candidates that are not best receivers.
    Rank take(std::int64_t load, const std::set<Rank> &best_receivers, std::int64_t detour)
    {
        auto best = *order_.begin();
        best.first += best_receivers.count(candidates_[best.second]) == 0 ? detour : 0;
        for (Rank receiver : best_receivers) {
            const auto place = place_of_.find(receiver);
            if (place != place_of_.end()) {
                best = std::min(best, {loads_[place->second], place->second});
            }
        }
        const std::size_t place = best.second;
        order_.erase({loads_[place], place});
        loads_[place] += load;
        order_.insert({loads_[place], place});
        return candidates_[place];
    }

private:
    const std::vector<Rank> &candidates_;
    std::vector<std::int64_t> loads_; // by place among the candidates
    std::map<Rank, std::size_t> place_of_;
    std::set<std::pair<std::int64_t, std::size_t>> order_;
};

} // namespace

void RegionRelays::choose_relays(Jobs &jobs, const Candidates &candidates) const
{
    const std::int64_t message = message_load();
    const auto load_of = [&](const Relay &relay) { return message + volume_of(relay.crossings); };
    std::map<Rank, std::int64_t> sent; // by fixed senders
    std::vector<std::pair<std::int64_t, Jobs::value_type *>> order;
    for (auto &entry : jobs) {
        if (entry.first.direction == outgoing && entry.first.sender != kNoRank) {
            entry.second.inside = entry.first.sender;
            sent[entry.first.sender] += load_of(entry.second);
        } else {
            order.emplace_back(load_of(entry.second), &entry);
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    std::map<Rank, Loads> loads; // by component
    for (const auto &[component, ranks] : candidates) {
        loads.emplace(component, Loads(ranks, sent));
    }
    for (const auto &[load, entry] : order) {
        entry->second.inside =
            loads.at(entry->first.component)
                .take(load, scheme_->best_receivers(entry->second.crossings), message);
    }
}

void RegionRelays::assign(Forest &components)
{
    jobs_ = list_jobs(components);
    const Candidates candidates = find_candidates(components);
    choose_relays(jobs_, candidates);
    choose_local_combining(components, candidates);
}

void RegionRelays::choose_local_combining(Forest &components, const Candidates &candidates)
{
    std::map<Rank, std::size_t> members, edges;
    std::map<Rank, bool> crosses;
    for (Rank member : edges_->members()) {
        ++members[components.label(member)];
    }
    for (const Crossing &edge : edges_->local()) {
        ++edges[components.label(edge.inside)];
    }
    for (const auto &entry : jobs_) {
        crosses[entry.first.component] = true;
    }
    for (Rank member : edges_->members()) {
        const Rank component = components.label(member);
        const auto &relays = candidates.at(component);
        if (relays.size() == 1 && crosses[component]
            && scheme_->combines_local(tuning_, edges[component], members[component])) {
            local_relay_[member] = relays.front();
        }
    }
}

// A hash of the edges in a message and of their order, which both regions must have identically.
std::int32_t RegionRelays::hash_of(const Job &job, const std::vector<Crossing> &crossings)
{
    std::uint64_t hash = crossings.size();
    for (const Crossing &crossing : crossings) {
        const bool out = job.direction == outgoing;
        for (const Rank rank : {out ? crossing.inside : crossing.outside,
                                out ? crossing.outside : crossing.inside, crossing.key}) {
            hash = mix(hash ^ static_cast<std::uint32_t>(rank));
        }
    }
    return static_cast<std::int32_t>(hash);
}

std::vector<std::int32_t> RegionRelays::encode_relays(Region other) const
{
    WordWriter words;
    for (const auto &[job, relay] : jobs_) {
        if (job.other == other) {
            words.put_all({job.direction, job.component, job.sender, relay.inside,
                           hash_of(job, relay.crossings)});
        }
    }
    return words.take();
}

void RegionRelays::add_remote(Region other, WordReader words)
{
    while (words.left() != 0) {
        // Outgoing blocks of that region are incoming here.
        const Direction direction =
            words.take(outgoing, incoming) == outgoing ? incoming : outgoing;
        const Rank component = words.take();
        const Rank sender = words.take();
        const Rank relay = words.take();
        const auto job = jobs_.find(Job{direction, other, component, sender});
        if (job == jobs_.end() || !edges_->may_relay(relay)
            || words.take() != hash_of(job->first, job->second.crossings)) {
            throw BadMessage("a message that this region does not know");
        }
        job->second.outside = relay;
    }
    for (const auto &[job, relay] : jobs_) {
        if (job.other == other && relay.outside == kNoRank) {
            throw BadMessage("the other region does not know a message");
        }
    }
}

} // namespace nbrhood
