#include "engine/creator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "algorithms/direct.h"

namespace nbrhood {
namespace {

// Where Open MPI's own neighbourhood collectives are wrong (test/mpi/STOCK-BUGS.md); `auto` then
// serves with direct what it would otherwise leave to them.
constexpr std::uint32_t kShortPeriod = 1;
constexpr std::uint32_t kNullNeighbour = 2;
constexpr std::uint32_t kTagsOnGrids = 4;
// Not a hazard, but likewise of all ranks where it is of one: Settings::over_tcp.
constexpr std::uint32_t kOverTcp = 8;

std::uint32_t find_hazards(const Neighbourhood &neighbourhood, const Settings &settings)
{
    const bool nulls = has_null_neighbour(neighbourhood);
    return (has_short_period(neighbourhood) ? kShortPeriod : 0)
           | (nulls && !settings.cartesian ? kNullNeighbour : 0)
           | (settings.cartesian && settings.tags_clash_on_grids ? kTagsOnGrids : 0)
           | (settings.over_tcp ? kOverTcp : 0);
}

Reason reason_for(std::uint32_t hazards)
{
    return (hazards & kShortPeriod) != 0     ? Reason::short_period
           : (hazards & kNullNeighbour) != 0 ? Reason::null_neighbour
           : (hazards & kTagsOnGrids) != 0   ? Reason::tags_on_grids
                                             : Reason::none;
}

} // namespace

std::uint64_t hash_settings(const Settings &settings)
{
    std::uint64_t hash = hash_values(settings.values);
    const auto add = [&](std::uint64_t value) { hash = mix(hash ^ value); };
    const auto add_cost = [&](double value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        add(bits);
    };
    for (int choice : settings.choice) {
        add(static_cast<std::uint64_t>(choice));
    }
    const Costs &costs = settings.costs;
    for (const LinkCosts &link : costs.links) {
        for (double value : {link.message, link.byte, link.long_message, link.long_byte}) {
            add_cost(value);
        }
    }
    for (double value :
         {costs.protocol_switch, costs.injection_byte, costs.copy_byte, costs.phase_latency}) {
        add_cost(value);
    }
    return hash;
}

namespace {

// Whether these bytes can be a valid record.
bool plausible(const Record &record)
{
    return record.out_edges >= 0 && record.out_edges <= record.edges && record.out_of_node >= 0
           && record.out_of_node <= record.out_of_domain && record.out_of_domain <= record.out_edges
           && std::isfinite(record.ranks_per_core) && record.ranks_per_core > 0
           && *std::min_element(record.place.domains.begin(), record.place.domains.end())
                  >= kNoDomain;
}

template <typename Number>
void keep_greatest(Number &greatest, Number value)
{
    greatest = std::max(greatest, value);
}

} // namespace

WireSettings wire_settings(const Settings &settings)
{
    WireSettings wire;
    wire.preposted_size = settings.values.get(kPrepostedSize);
    wire.packing_threshold = settings.values.get(kPackingThreshold);
    wire.remove_duplicates = settings.values.get(kRemoveDuplicates);
    return wire;
}

void set_slots(const Neighbourhood &neighbourhood, Topology &topology)
{
    topology.send_slots = neighbourhood.out.size();
    topology.receive_slots = neighbourhood.in.size();
    topology.sends = std::any_of(neighbourhood.out.begin(), neighbourhood.out.end(),
                                 [](const EdgeEnd &end) { return end.peer != kNoRank; });
}

Record Creator::record(Place own_place) const
{
    Record own;
    own.place = own_place;
    own.presence = settings_.presence;
    for (const auto *ends : {&neighbourhood_.in, &neighbourhood_.out}) {
        for (const EdgeEnd &end : *ends) {
            own.edges += end.peer != kNoRank ? 1 : 0;
        }
    }
    own.balance = edge_balance(neighbourhood_);
    own.settings = hash_settings(settings_);
    own.timestamp = settings_.timestamp;
    for (const EdgeEnd &end : neighbourhood_.out) {
        const bool other = end.peer != kNoRank && end.peer != neighbourhood_.rank;
        if (other) {
            const Locality locality = locality_(end.peer);
            ++own.out_edges;
            own.out_of_node += locality == Locality::elsewhere ? 1 : 0;
            own.out_of_domain += locality != Locality::same_region ? 1 : 0;
        }
    }
    own.ranks_per_core = static_cast<float>(settings_.ranks_per_core);
    own.hazards = find_hazards(neighbourhood_, settings_);
    return own;
}

void Creator::gathered(const std::vector<Record> &all)
{
    discover(all);
    topology_.wire = wire_settings(settings_);
    set_slots(neighbourhood_, topology_);
    if (settings_.presence == 0 || topology_.diagnostic == Diagnostic::not_everywhere) {
        serve_all(kDefault, Reason::not_everywhere);
    } else if (topology_.diagnostic != Diagnostic::none) {
        serve_all(kFirstRow + kDirect, topology_.diagnostic == Diagnostic::parameters_differ
                                           ? Reason::parameters_differ
                                           : Reason::edges_do_not_match);
    } else {
        topology_.costs = (hazards_ & kOverTcp) != 0 ? default_costs_of_tcp() : settings_.costs;
        building_.emplace(neighbourhood_, machine_, has_edges_, settings_, topology_, numbers_);
        for (int c = 0; c < kCollectives; ++c) {
            building_->select(c, reason_for(hazards_));
        }
    }
}

void Creator::serve_all(int choice, Reason reason)
{
    Served served;
    served.choice = choice;
    served.reason = reason;
    topology_.served.fill({served});
}

void Creator::discover(const std::vector<Record> &all)
{
    if (!present_identically(all) || settings_.presence == 0) {
        return; // nothing else in a record of a rank without the component has a meaning
    }
    topology_.timestamp = all[0].timestamp;
    std::vector<Place> places;
    std::uint64_t balance = 0;
    for (const Record &record : all) {
        places.push_back(record.place);
        has_edges_.push_back(record.edges != 0 ? 1 : 0);
        balance += record.balance;
        topology_.facts.ranks_with_edges += record.edges != 0 ? 1 : 0;
        topology_.facts.edges += record.out_edges;
        keep_greatest<std::int64_t>(topology_.facts.busiest_edges, record.out_edges);
        keep_greatest<double>(topology_.facts.ranks_per_core, record.ranks_per_core);
        hazards_ |= record.hazards;
        if (record.settings != all[0].settings || !plausible(record)) {
            topology_.diagnostic = Diagnostic::parameters_differ;
        }
    }
    machine_ = Machine(std::move(places), settings_.values.get(kRegion));
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        const std::int64_t nonlocal = machine_.in_whole_node(static_cast<Rank>(rank))
                                          ? all[rank].out_of_node
                                          : all[rank].out_of_domain;
        topology_.facts.edges_nonlocal += nonlocal;
        topology_.facts.edges_network += all[rank].out_of_node;
        keep_greatest(topology_.facts.busiest_nonlocal, nonlocal);
        keep_greatest<std::int64_t>(topology_.facts.busiest_network, all[rank].out_of_node);
    }
    topology_.facts.regions = machine_.regions();
    topology_.facts.regions_of_node = machine_.regions_of_node();
    topology_.facts.within_regions = machine_.link_within_regions();
    topology_.whole_nodes = machine_.whole_nodes();
    topology_.region = machine_.members(machine_.region_of(neighbourhood_.rank));
    if (numbers_ != nullptr) {
        for (Rank &rank : topology_.region) {
            rank = (*numbers_)[static_cast<std::size_t>(rank)];
        }
    }
    if (topology_.diagnostic == Diagnostic::none && balance != 0) {
        topology_.diagnostic = Diagnostic::edges_do_not_match;
    }
}

// Nothing else that a rank tells counts where the component is not on all ranks.
bool Creator::present_identically(const std::vector<Record> &all)
{
    const auto odd = std::find_if(all.begin(), all.end(), [&](const Record &record) {
        return record.presence != all[0].presence;
    });
    if (odd == all.end()) {
        return true;
    }
    topology_.diagnostic = Diagnostic::not_everywhere;
    topology_.odd_rank = static_cast<Rank>(odd - all.begin());
    topology_.first_presence = all[0].presence;
    topology_.odd_presence = odd->presence;
    return false;
}

// What all ranks add up once builders have run. What one rank could not build no rank uses. Ranks
// without edges took no part in the building and learn the outcome so.
std::vector<std::uint64_t> Creator::to_add() const
{
    std::vector<std::uint64_t> values{building_->failed() ? 1U : 0U, building_->pattern_hash()};
    const auto told = building_->local_choices();
    values.insert(values.end(), told.begin(), told.end());
    const std::uint64_t agreement = building_->agreement_hash();
    values.insert(values.end(), {count_nonlocal(), agreement, agreement * agreement});
    return values;
}

void Creator::added(const std::vector<std::uint64_t> &sums)
{
    const std::size_t last = sums.size() - 3; // of to_add()
    topology_.facts.edges_nonlocal = static_cast<std::int64_t>(sums[last]);
    topology_.wire.pattern = sums[1];
    const bool failed = sums[0] != 0 || !all_equal(sums[last + 1], sums[last + 2]);
    if (failed) {
        topology_.diagnostic = Diagnostic::cannot_build;
    }
    building_->finish(sums.data() + 2, failed);
}

void Creator::finish()
{
    if (settings_.presence == 0 || topology_.diagnostic == Diagnostic::not_everywhere) {
        return;
    }
    BuiltProgram direct[kBlockKinds];
    for (int c = 0; c < kCollectives; ++c) {
        serve_direct(c, direct);
    }
}

// Whether the ranks with edges have one number, from the sums of their numbers and of the
// squares: n of them are equal where n times the sum of squares is the square of the sum. (For
// numbers that are hashes this hardly holds otherwise modulo 2^64.) All ranks see the same.
bool Creator::all_equal(std::uint64_t sum, std::uint64_t squares) const
{
    return static_cast<std::uint64_t>(topology_.facts.ranks_with_edges) * squares == sum * sum;
}

// Out-edges of this rank that leave its region. In the allgather some may have been counted
// as non-local because too little was known; their sum corrects that.
std::uint64_t Creator::count_nonlocal() const
{
    std::uint64_t count = 0;
    for (const EdgeEnd &end : neighbourhood_.out) {
        count += end.peer != kNoRank && !machine_.local(neighbourhood_.rank, end.peer) ? 1 : 0;
    }
    return count;
}

// Direct patterns need no other rank; collectives of one kind share theirs.
void Creator::serve_direct(int c, BuiltProgram (&direct)[kBlockKinds])
{
    const auto i = static_cast<std::size_t>(c);
    const auto collective = static_cast<Collective>(c);
    const bool automatic = choice_for(settings_.choice[i], collective) == kAuto;
    BuiltProgram &built = direct[static_cast<std::size_t>(kind_of(collective))];
    for (Served &served : topology_.served[i]) {
        const bool all = served.choice == kFirstRow + kDirect;
        if (!all && (served.choice != kDefault || !automatic)) {
            continue;
        }
        if (built.program == nullptr) {
            built = BuiltProgram(build_direct(neighbourhood_, kind_of(collective)), numbers_,
                                 settings_.keep_patterns);
        }
        if (all) {
            built.serve(served);
        }
        served.persistent = built.program;
        if (topology_.served[i].size() > 1) {
            served.nonblocking = built.program;
        }
    }
}

} // namespace nbrhood
