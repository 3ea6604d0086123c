#include "engine/engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "algorithms/direct.h"
#include "engine/building.h"

namespace nbrhood {
namespace {

// What every rank tells all others, in the one allgather of a creation.
struct Record {
    Place place;
    std::int32_t edges = 0;     // in and out, with self edges: zero means that it may skip calls
    std::int32_t out_edges = 0; // without self edges
    float ranks_per_core = 1;
    // Those that leave the node, and those that leave the domain on the level of the regions: which
    // of them are non-local is known when all places are.
    std::int32_t out_of_node = 0;
    std::int32_t out_of_domain = 0;
    std::uint32_t hazards = 0; // why Open MPI's own collectives cannot be trusted here
    std::uint32_t presence = 0;
    std::uint64_t balance = 0;
    std::int64_t timestamp = 0; // that of rank 0 names a recording of the patterns
    std::uint64_t settings = 0;
};
static_assert(sizeof(Record) == 64, "the same on all ranks, without gaps");

// Where Open MPI's own neighbourhood collectives are wrong (test/mpi/STOCK-BUGS.md); `auto` then
// serves with direct what it would otherwise leave to them.
constexpr std::uint32_t kShortPeriod = 1;
constexpr std::uint32_t kNullNeighbour = 2;
constexpr std::uint32_t kTagsOnGrids = 4;

std::uint32_t find_hazards(const Neighbourhood &neighbourhood, const Settings &settings)
{
    const bool nulls = has_null_neighbour(neighbourhood);
    return (has_short_period(neighbourhood) ? kShortPeriod : 0)
           | (nulls && !settings.cartesian ? kNullNeighbour : 0)
           | (settings.cartesian && settings.tags_clash_on_grids ? kTagsOnGrids : 0);
}

Reason reason_for(std::uint32_t hazards)
{
    return (hazards & kShortPeriod) != 0     ? Reason::short_period
           : (hazards & kNullNeighbour) != 0 ? Reason::null_neighbour
           : (hazards & kTagsOnGrids) != 0   ? Reason::tags_on_grids
                                             : Reason::none;
}

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

class Creator {
public:
    Creator(const Neighbourhood &neighbourhood, const Settings &settings, Creation &creation,
            Topology &topology)
        : neighbourhood_(neighbourhood), settings_(settings), creation_(creation),
          topology_(topology)
    {}

    int run(Place own_place, Rank ranks)
    {
        const int error = discover(own_place, ranks);
        if (error != 0) {
            return error;
        }
        topology_.wire.preposted_size = settings_.values.get(kPrepostedSize);
        topology_.wire.packing_threshold = settings_.values.get(kPackingThreshold);
        topology_.wire.remove_duplicates = settings_.values.get(kRemoveDuplicates);
        topology_.send_slots = neighbourhood_.out.size();
        topology_.receive_slots = neighbourhood_.in.size();
        topology_.sends = std::any_of(neighbourhood_.out.begin(), neighbourhood_.out.end(),
                                      [](const EdgeEnd &end) { return end.peer != kNoRank; });
        if (settings_.presence == 0 || topology_.diagnostic == Diagnostic::not_everywhere) {
            serve_all(kDefault, Reason::not_everywhere);
            return 0;
        }
        Building building(neighbourhood_, machine_, has_edges_, settings_, creation_, topology_);
        if (topology_.diagnostic != Diagnostic::none) {
            serve_all(kFirstRow + kDirect, topology_.diagnostic == Diagnostic::parameters_differ
                                               ? Reason::parameters_differ
                                               : Reason::edges_do_not_match);
            return agree(building);
        }
        for (int c = 0; c < kCollectives; ++c) {
            building.select(c, reason_for(hazards_));
        }
        const int failed = building.run();
        return failed != 0 ? failed : agree(building);
    }

private:
    void serve_all(int choice, Reason reason)
    {
        Served served;
        served.choice = choice;
        served.reason = reason;
        topology_.served.fill({served});
    }

    int discover(Place own_place, Rank ranks)
    {
        std::vector<Record> all(static_cast<std::size_t>(ranks));
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
                const Locality locality = creation_.locality(end.peer);
                ++own.out_edges;
                own.out_of_node += locality == Locality::elsewhere ? 1 : 0;
                own.out_of_domain += locality != Locality::same_region ? 1 : 0;
            }
        }
        own.ranks_per_core = static_cast<float>(settings_.ranks_per_core);
        own.hazards = find_hazards(neighbourhood_, settings_);
        ++topology_.synchronisations;
        const int error = creation_.allgather(&own, sizeof own, all.data());
        if (error != 0) {
            return error;
        }
        if (!present_identically(all) || settings_.presence == 0) {
            return 0; // nothing else in a record of a rank without the component has a meaning
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
        if (topology_.diagnostic == Diagnostic::none && balance != 0) {
            topology_.diagnostic = Diagnostic::edges_do_not_match;
        }
        return 0;
    }

    // Nothing else that a rank tells counts where the component is not on all ranks.
    bool present_identically(const std::vector<Record> &all)
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

    // What one rank could not build no rank uses. Ranks without edges took no part
    // in the building and receive the outcome here.
    int agree(Building &building)
    {
        int error = 0;
        if (building.ran()) {
            std::vector<std::uint64_t> values{building.failed() ? 1U : 0U, building.pattern_hash()};
            const auto told = building.local_choices();
            values.insert(values.end(), told.begin(), told.end());
            const std::uint64_t agreement = building.agreement_hash();
            const std::size_t last = values.size();
            values.insert(values.end(), {count_nonlocal(), agreement, agreement * agreement});
            ++topology_.synchronisations;
            error = creation_.sum(values);
            topology_.facts.edges_nonlocal = static_cast<std::int64_t>(values[last]);
            topology_.wire.pattern = values[1];
            const bool failed = values[0] != 0 || !all_equal(values[last + 1], values[last + 2]);
            if (failed) {
                topology_.diagnostic = Diagnostic::cannot_build;
            }
            building.finish(values.data() + 2, failed);
        }
        BuiltProgram direct[kBlockKinds];
        for (int c = 0; c < kCollectives; ++c) {
            serve_direct(c, direct);
        }
        return error;
    }

    // Whether the ranks with edges have one number, from the sums of their numbers and of the
    // squares: n of them are equal where n times the sum of squares is the square of the sum. (For
    // numbers that are hashes this hardly holds otherwise modulo 2^64.) All ranks see the same.
    bool all_equal(std::uint64_t sum, std::uint64_t squares) const
    {
        return static_cast<std::uint64_t>(topology_.facts.ranks_with_edges) * squares == sum * sum;
    }

    // Out-edges of this rank that leave its region. In the allgather some may have been counted
    // as non-local because too little was known; their sum corrects that.
    std::uint64_t count_nonlocal() const
    {
        std::uint64_t count = 0;
        for (const EdgeEnd &end : neighbourhood_.out) {
            count += end.peer != kNoRank && !machine_.local(neighbourhood_.rank, end.peer) ? 1 : 0;
        }
        return count;
    }

    // Direct patterns need no other rank; collectives of one kind share theirs.
    void serve_direct(int c, BuiltProgram (&direct)[kBlockKinds])
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
                built = BuiltProgram(build_direct(neighbourhood_, kind_of(collective)),
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

    const Neighbourhood &neighbourhood_;
    const Settings &settings_;
    Creation &creation_;
    Topology &topology_;
    Machine machine_;
    std::vector<char> has_edges_;
    std::uint32_t hazards_ = 0; // of all ranks
};

} // namespace

int create_topology(const Neighbourhood &neighbourhood, Place own_place, Rank ranks,
                    const Settings &settings, Creation &creation, Topology &topology)
{
    topology.served.fill(ServedSizes(1));
    return Creator(neighbourhood, settings, creation, topology).run(own_place, ranks);
}

} // namespace nbrhood
