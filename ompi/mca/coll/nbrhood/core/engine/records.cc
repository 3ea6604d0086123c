#include "engine/records.h"

#include <algorithm>
#include <cmath>

namespace nbrhood {
namespace {

// Whether these bytes can be a valid record.
bool plausible(const Record &record)
{
    return record.out_edges >= 0 && (record.out_edges == 0 || record.edges == 1)
           && record.edges <= 1 && record.over_tcp <= 1 && record.out_of_node >= 0
           && record.out_of_node <= record.out_of_domain && record.out_of_domain <= record.out_edges
           && std::isfinite(record.ranks_per_core) && record.ranks_per_core > 0
           && *std::min_element(record.domains.begin(), record.domains.end()) >= kNoDomain;
}

bool present_identically(const std::vector<Record> &all, Topology &topology)
{
    const auto odd = std::find_if(all.begin(), all.end(), [&](const Record &record) {
        return record.presence != all[0].presence;
    });
    if (odd == all.end()) {
        return true;
    }
    topology.diagnostic = Diagnostic::not_everywhere;
    topology.odd_rank = static_cast<Rank>(odd - all.begin());
    topology.first_presence = all[0].presence;
    topology.odd_presence = odd->presence;
    return false;
}

Survey survey_of(const Record &record, const Machine &machine, Rank rank)
{
    Survey survey;
    Facts &facts = survey.facts;
    facts.ranks_with_edges = record.edges != 0 ? 1 : 0;
    facts.edges = facts.busiest_edges = record.out_edges;
    facts.edges_network = facts.busiest_network = record.out_of_node;
    facts.edges_nonlocal = facts.busiest_nonlocal =
        machine.in_whole_node(rank) ? record.out_of_node : record.out_of_domain;
    facts.ranks_per_core = std::max(1.0, static_cast<double>(record.ranks_per_core));
    survey.over_tcp = record.over_tcp != 0;
    survey.balance = record.balance;
    return survey;
}

} // namespace

Record record_of(const Neighbourhood &neighbourhood, const Settings &settings,
                 const std::function<Locality(Rank)> &locality, Place own_place)
{
    Record own;
    own.node = own_place.node;
    own.domains = own_place.domains;
    own.presence = settings.presence;
    for (const auto *ends : {&neighbourhood.in, &neighbourhood.out}) {
        for (const EdgeEnd &end : *ends) {
            own.edges = end.peer != kNoRank ? 1 : own.edges;
        }
    }
    own.balance = edge_balance(neighbourhood);
    own.settings = hash_settings(settings);
    own.timestamp = settings.timestamp;
    for (const EdgeEnd &end : neighbourhood.out) {
        if (end.peer != kNoRank && end.peer != neighbourhood.rank) {
            const Locality near = locality(end.peer);
            ++own.out_edges;
            own.out_of_node += near == Locality::elsewhere ? 1 : 0;
            own.out_of_domain += near != Locality::same_region ? 1 : 0;
        }
    }
    own.ranks_per_core = static_cast<float>(settings.ranks_per_core);
    own.over_tcp = settings.over_tcp ? 1 : 0;
    own.dies = hash_of_dies(settings);
    return own;
}

bool discover(const std::vector<Record> &all, const Neighbourhood &neighbourhood,
              const Settings &settings, Topology &topology, Survey &survey,
              Participants &participants)
{
    if (!present_identically(all, topology) || settings.presence == 0) {
        return false;
    }
    topology.timestamp = all[0].timestamp;
    const auto own = static_cast<std::size_t>(neighbourhood.rank);
    std::vector<Place> places;
    std::vector<char> has_edges;
    std::vector<std::uint32_t> dies;
    for (const Record &record : all) {
        places.push_back(record.place());
        has_edges.push_back(record.edges != 0 ? 1 : 0);
        dies.push_back(record.dies);
        if (record.settings != all[0].settings || !plausible(record)) {
            topology.diagnostic = Diagnostic::parameters_differ;
        }
    }
    if (agree_on_dies(places, dies).count(all[own].node) == 0) {
        participants.die_links = settings.die_links;
    }
    const Machine machine(std::move(places), settings.values.get(kRegion));
    survey = survey_of(all[0], machine, 0);
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        survey.merge(survey_of(all[rank], machine, static_cast<Rank>(rank)));
    }
    add_node(machine, survey);
    survey.facts.regions_of_node = machine.regions_of_node();
    topology.region = machine.members(machine.region_of(neighbourhood.rank));
    if (topology.diagnostic == Diagnostic::none && survey.balance != 0) {
        topology.diagnostic = Diagnostic::edges_do_not_match;
    }
    participants.surroundings = Surroundings(machine, has_edges);
    participants.ranks = machine.ranks();
    participants.tree = place_in_tree(participants.surroundings, neighbourhood.rank);
    const auto first = std::find(has_edges.begin(), has_edges.end(), 1) - has_edges.begin();
    participants.tells = neighbourhood.rank == static_cast<Rank>(first);
    return true;
}

} // namespace nbrhood
