// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "engine/creator.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/direct.h"

namespace nbrhood {

std::uint64_t hash_serving(const Settings &settings)
{
    std::uint64_t hash = hash_values(settings.values, Compared::calls);
    for (const int choice : settings.choice) {
        hash = mix(hash ^ static_cast<std::uint64_t>(choice));
    }
    return hash;
}

std::uint64_t hash_settings(const Settings &settings)
{
    std::uint64_t hash = mix(hash_values(settings.values, Compared::all) ^ hash_serving(settings));
    const auto add = [&](std::uint64_t value) { hash = mix(hash ^ value); };
    const auto add_cost = [&](double value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        add(bits);
    };
    add(settings.reuse);
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
    if (settings.die_links_of_file && settings.die_links != nullptr) {
        add(settings.die_links->hash());
    }
    return hash;
}

std::uint32_t hash_of_dies(const Settings &settings)
{
    return settings.die_links == nullptr
               ? 0
               : static_cast<std::uint32_t>(settings.die_links->hash() >> 32) | 1;
}

WireSettings wire_settings(const Settings &settings)
{
    WireSettings wire;
    wire.preposted_size = settings.values.get(kPrepostedSize);
    wire.packing_threshold = settings.values.get(kPackingThreshold);
    wire.remove_duplicates = settings.values.get(kRemoveDuplicates);
    return wire;
}

std::vector<std::uint32_t> null_slots(const std::vector<EdgeEnd> &ends)
{
    std::vector<std::uint32_t> slots;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        if (ends[i].peer == kNoRank) {
            slots.push_back(static_cast<std::uint32_t>(i));
        }
    }
    return slots;
}

void set_slots(const Neighbourhood &neighbourhood, Topology &topology)
{
    topology.send_slots = neighbourhood.out.size();
    topology.receive_slots = neighbourhood.in.size();
    topology.sends = std::any_of(neighbourhood.out.begin(), neighbourhood.out.end(),
                                 [](const EdgeEnd &end) { return end.peer != kNoRank; });
    topology.null_sends = null_slots(neighbourhood.out);
    topology.null_receives = null_slots(neighbourhood.in);
}

void Creator::begin(const Survey &survey, Participants participants)
{
    participants_ = std::move(participants);
    topology_.facts = survey.facts;
    topology_.whole_nodes = survey.whole_nodes;
    take_over();
    if (topology_.diagnostic != Diagnostic::none) {
        serve_all(kDirectChoice, topology_.diagnostic == Diagnostic::parameters_differ
                                     ? Reason::parameters_differ
                                     : Reason::edges_do_not_match);
        return;
    }
    topology_.costs = survey.over_tcp ? default_costs_of_tcp() : settings_.costs;
    building_.emplace(neighbourhood_, participants_, settings_, topology_);
    for (int c = 0; c < kCollectives; ++c) {
        building_->select(c);
    }
}

void Creator::serve_none()
{
    take_over();
    serve_all(kDefault, Reason::not_everywhere);
}

void Creator::take_over()
{
    topology_.wire = wire_settings(settings_);
    set_slots(neighbourhood_, topology_);
}

void Creator::serve_all(int choice, Reason reason)
{
    Served served;
    served.choice = choice;
    served.reason = reason;
    topology_.served.fill({served});
}

// The numbers that all ranks add up after builders have run. No rank uses a pattern that some rank
// could not build. Ranks without edges took no part in the build and learn the result from the sum.
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
    const bool failed =
        sums[0] != 0
        || !all_equal(topology_.facts.ranks_with_edges, sums[last + 1], sums[last + 2]);
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

// Out-edges of this rank that leave its region. The survey may have counted some local edges as
// non-local because too little was known; this sum corrects it.
std::uint64_t Creator::count_nonlocal() const
{
    std::uint64_t count = 0;
    for (const EdgeEnd &end : neighbourhood_.out) {
        count +=
            end.peer != kNoRank && !participants_.known_ranks.local(neighbourhood_.rank, end.peer)
                ? 1
                : 0;
    }
    return count;
}

// Direct patterns need no other rank. Collectives of one kind share a pattern.
void Creator::serve_direct(int c, BuiltProgram (&direct)[kBlockKinds])
{
    const BlockKind kind = kind_of(static_cast<Collective>(c));
    BuiltProgram &built = direct[static_cast<std::size_t>(kind)];
    for (Served &served : topology_.served[static_cast<std::size_t>(c)]) {
        if (served.choice != kDirectChoice) {
            continue;
        }
        if (built.program == nullptr) {
            built = BuiltProgram(build_direct(neighbourhood_, kind), settings_.keep_patterns);
        }
        built.serve(served);
    }
}

} // namespace nbrhood
