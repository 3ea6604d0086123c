#include "algorithms/region_relays.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace nbrhood {
namespace {

// How much of a region's traffic its edges carry.
std::int64_t volume_of(const std::vector<Crossing> &crossings)
{
    std::int64_t volume = 0;
    for (const Crossing &crossing : crossings) {
        volume += crossing.weight;
    }
    return volume;
}

} // namespace

// How many ranks of a component carry its messages to and from other regions. With three steps,
// where ranks share cores, one rank handles a few messages while the others would still be waiting
// for a core, so a relay gets several; ranks with cores of their own share the messages out. With
// two steps there is a message for each source, and nothing to wait for.
std::size_t RegionRelays::relay_count() const
{
    constexpr std::size_t kMessagesOfARelay = 8;
    const std::size_t messages_of_a_relay = tuning_.ranks_per_core > 1 ? kMessagesOfARelay : 1;
    const int most = tuning_.values.get(kRelaysPerRegion);
    if (most > 0) {
        return static_cast<std::size_t>(most);
    }
    if (scheme_ == kTwoStep) {
        return edges_->members().size();
    }
    const std::size_t messages =
        std::max(edges_->crossings(outgoing).size(), edges_->crossings(incoming).size());
    return std::max<std::size_t>(1, (messages + messages_of_a_relay - 1) / messages_of_a_relay);
}

// Members in the order in which they become relays: those with the most crossing data first,
// since what a relay sends or receives for itself needs no message within the region; before all
// others those with in-edges and out-edges. (MPI_Neighbor_allgather returns early where a rank
// gives a count of zero for the direction in which it has no edges.)
std::vector<Rank> RegionRelays::by_suitability() const
{
    std::map<Rank, std::int64_t> crossing_volume; // by member: how much of its own crosses
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

// What a message costs beside its volume, in the unit of the edges' weights: as much as a good
// number of small blocks of the mean weight, the fewer the larger blocks are.
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
    return std::tie(direction, other, component, source)
           < std::tie(b.direction, b.other, b.component, b.source);
}

RegionRelays::Jobs RegionRelays::list_jobs(Forest &components) const
{
    Jobs jobs;
    for (Direction direction : {outgoing, incoming}) {
        for (const auto &[other, blocks] : edges_->crossings(direction)) {
            for (const Crossing &crossing : blocks) {
                const Rank source = direction == outgoing ? crossing.inside : crossing.outside;
                const Job job{direction, other, components.label(crossing.inside),
                              scheme_ == kTwoStep ? source : kNoRank};
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

// The members of each component that may relay. With two steps all that have both in-edges and
// out-edges may, others only where there is no such member.
RegionRelays::Candidates RegionRelays::find_candidates(Forest &components) const
{
    Candidates candidates;
    for (Rank member : by_suitability()) {
        auto &ranks = candidates[components.label(member)];
        const bool worse = !ranks.empty() && edges_->both_directions(ranks.front())
                           && !edges_->both_directions(member);
        if (ranks.size() < relay_count() && !(scheme_ == kTwoStep && worse)) {
            ranks.push_back(member);
        }
    }
    return candidates;
}

namespace {

// The candidates of a component by load; of several with one load the most suitable comes first.
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

    // Gives a message to the candidate with the least load, where those that are not in `ends` have
    // `detour` more.
    Rank take(std::int64_t load, const std::set<Rank> &ends, std::int64_t detour)
    {
        auto best = *order_.begin();
        best.first += ends.count(candidates_[best.second]) == 0 ? detour : 0;
        for (Rank end : ends) {
            const auto place = place_of_.find(end);
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
    std::map<Rank, std::int64_t> sent; // by sources, which nobody chooses
    std::vector<std::pair<std::int64_t, Jobs::value_type *>> order;
    for (auto &entry : jobs) {
        if (scheme_ == kTwoStep && entry.first.direction == outgoing) {
            entry.second.inside = entry.first.source;
            sent[entry.first.source] += load_of(entry.second);
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
        // With two steps a relay that is not itself a destination needs one more message; with
        // three every relay has messages to or from most members anyhow.
        std::set<Rank> ends;
        if (scheme_ == kTwoStep) {
            for (const Crossing &crossing : entry->second.crossings) {
                ends.insert(crossing.inside);
            }
        }
        entry->second.inside =
            loads.at(entry->first.component).take(load, ends, scheme_ == kTwoStep ? message : 0);
    }
}

void RegionRelays::assign(Forest &components)
{
    jobs_ = list_jobs(components);
    const Candidates candidates = find_candidates(components);
    choose_relays(jobs_, candidates);
    if (scheme_ == kThreeStep) {
        choose_local_combining(components, candidates);
    }
}

bool RegionRelays::local_combining_pays(std::size_t edges, std::size_t members) const
{
    const int wanted = tuning_.values.get(kCombineLocal);
    return wanted > 0 || (wanted < 0 && tuning_.ranks_per_core > 1 && edges > members);
}

// Where a component has one relay in the region, its members exchange one message with it each way
// in any case; blocks that stay inside can join these. That costs the relay two copies per block
// and saves a message per block, which pays off where messages mean context switches.
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
            && local_combining_pays(edges[component], members[component])) {
            local_relay_[member] = relays.front();
        }
    }
}

// Depends on the edges in a message and on their order, which its two regions must see identically.
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
            words.put_all({job.direction, job.component, job.source, relay.inside,
                           hash_of(job, relay.crossings)});
        }
    }
    return words.take();
}

void RegionRelays::add_remote(Region other, WordReader words)
{
    while (words.left() != 0) {
        // What leaves there arrives here.
        const Direction direction =
            words.take(outgoing, incoming) == outgoing ? incoming : outgoing;
        const Rank component = words.take();
        const Rank source = words.take();
        const Rank relay = words.take();
        const auto job = jobs_.find(Job{direction, other, component, source});
        if (job == jobs_.end() || !edges_->takes_part(relay, other)
            || words.take() != hash_of(job->first, job->second.crossings)) {
            throw BadWords("a message that this region does not know");
        }
        job->second.outside = relay;
    }
    for (const auto &[job, relay] : jobs_) {
        if (job.other == other && relay.outside == kNoRank) {
            throw BadWords("the other region does not know a message");
        }
    }
}

} // namespace nbrhood
