// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "engine/survey.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

namespace nbrhood {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 48; // far more than possible

std::int64_t bits_of(double value)
{
    std::int64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Facts that are added up, and facts of which the maximum is taken.
constexpr std::int64_t Facts::*kSummed[] = {&Facts::ranks_with_edges, &Facts::edges,
                                            &Facts::edges_nonlocal,   &Facts::edges_network,
                                            &Facts::call_blocks,      &Facts::call_bytes};
constexpr std::int64_t Facts::*kGreatest[] = {&Facts::busiest_edges, &Facts::busiest_nonlocal,
                                              &Facts::busiest_network};

} // namespace

void Survey::merge(const Survey &other)
{
    for (const auto number : kSummed) {
        facts.*number += other.facts.*number;
    }
    for (const auto number : kGreatest) {
        facts.*number = std::max(facts.*number, other.facts.*number);
    }
    facts.regions += other.facts.regions;
    facts.regions_of_node = std::max(facts.regions_of_node, other.facts.regions_of_node);
    facts.within_regions = std::max(facts.within_regions, other.facts.within_regions);
    facts.ranks_per_core = std::max(facts.ranks_per_core, other.facts.ranks_per_core);
    whole_nodes += other.whole_nodes;
    over_tcp = over_tcp || other.over_tcp;
    settings += other.settings;
    squares += other.squares;
    balance += other.balance;
    sets_of_roles += other.sets_of_roles;
}

void Survey::put(WordWriter &words) const
{
    for (const auto number : kSummed) {
        words.put_long(facts.*number);
    }
    for (const auto number : kGreatest) {
        words.put_long(facts.*number);
    }
    words.put(facts.regions);
    words.put(facts.regions_of_node);
    words.put(static_cast<std::int32_t>(facts.within_regions));
    words.put_long(bits_of(facts.ranks_per_core));
    words.put(whole_nodes);
    words.put(over_tcp ? 1 : 0);
    for (const std::uint64_t sum : {settings, squares, balance}) {
        words.put_long(static_cast<std::int64_t>(sum));
    }
    words.put(sets_of_roles);
}

Survey Survey::take(WordReader &words)
{
    constexpr std::int32_t kMany = std::numeric_limits<std::int32_t>::max() / 2;
    Survey taken;
    for (const auto number : kSummed) {
        taken.facts.*number = words.take_long(0, kMost);
    }
    for (const auto number : kGreatest) {
        taken.facts.*number = words.take_long(0, kMost);
    }
    taken.facts.regions = words.take(0, kMany);
    taken.facts.regions_of_node = words.take(0, kMany);
    taken.facts.within_regions = static_cast<Link>(words.take(0, kLinks - 1));
    const std::int64_t bits = words.take_long();
    std::memcpy(&taken.facts.ranks_per_core, &bits, sizeof bits);
    if (!std::isfinite(taken.facts.ranks_per_core) || taken.facts.ranks_per_core <= 0) {
        throw BadMessage("no number of ranks on a core");
    }
    taken.whole_nodes = words.take(0, kMany);
    taken.over_tcp = words.take(0, 1) != 0;
    for (std::uint64_t *sum : {&taken.settings, &taken.squares, &taken.balance}) {
        *sum = static_cast<std::uint64_t>(words.take_long());
    }
    taken.sets_of_roles = words.take(0, kMany);
    return taken;
}

Survey survey_of(const Neighbourhood &neighbourhood, const Settings &settings,
                 const std::function<Locality(Rank)> &locality)
{
    Survey own;
    Facts &facts = own.facts;
    facts.ranks_with_edges = neighbourhood.has_edges() ? 1 : 0;
    facts.ranks_per_core = std::max(1.0, settings.ranks_per_core);
    for (const EdgeEnd &end : neighbourhood.out) {
        if (end.peer != kNoRank && end.peer != neighbourhood.rank) {
            const Locality where = locality(end.peer);
            ++facts.edges;
            facts.edges_nonlocal += where == Locality::same_region ? 0 : 1;
            facts.edges_network += where == Locality::elsewhere ? 1 : 0;
        }
    }
    facts.busiest_edges = facts.edges;
    facts.busiest_nonlocal = facts.edges_nonlocal;
    facts.busiest_network = facts.edges_network;
    own.over_tcp = settings.over_tcp;
    own.settings = hash_settings(settings);
    own.squares = own.settings * own.settings;
    own.balance = edge_balance(neighbourhood);
    return own;
}

void add_node(const Machine &node, Survey &survey)
{
    survey.facts.regions += node.regions();
    survey.facts.regions_of_node = std::max(survey.facts.regions_of_node, node.regions());
    survey.facts.within_regions = std::max(survey.facts.within_regions, node.link_within_regions());
    survey.whole_nodes += node.whole_nodes();
}

Diagnostic diagnose(const Survey &survey, std::int64_t ranks)
{
    return !all_equal(ranks, survey.settings, survey.squares) ? Diagnostic::parameters_differ
           : survey.balance != 0                              ? Diagnostic::edges_do_not_match
                                                              : Diagnostic::none;
}

std::unordered_set<std::int32_t> agree_on_dies(std::vector<Place> &places,
                                               const std::vector<std::uint32_t> &dies)
{
    std::unordered_map<std::int32_t, std::uint32_t> first_of_node;
    std::unordered_set<std::int32_t> odd;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (first_of_node.emplace(places[i].node, dies[i]).first->second != dies[i]) {
            odd.insert(places[i].node);
        }
    }
    for (Place &place : places) {
        if (odd.count(place.node) != 0) {
            place.domain(Level::gpu) = place.domain(Level::die) = kNoDomain;
        }
    }
    return odd;
}

} // namespace nbrhood
