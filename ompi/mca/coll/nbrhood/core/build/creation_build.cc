// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/creation_build.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nbrhood {

CreationBuild::CreationBuild(const Neighbourhood &neighbourhood, Place place, Rank ranks,
                             const Settings &settings,
                             const std::function<Locality(Rank)> &locality, Post &post)
    : neighbourhood_(neighbourhood), place_(place), ranks_(ranks), settings_(settings),
      locality_(locality), tree_(post),
      construction_(neighbourhood, ranks, settings, tree_, topology_,
                    [this](Survey &survey, WordReader &told) { return take_survey(survey, told); })
{
    topology_.served.fill(ServedSizes(1));
    std::vector<Rank> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    const TreePlace in_tree(all, neighbourhood.rank);
    tree_.place(in_tree.parent, in_tree.children);
}

void CreationBuild::begin()
{
    // A node with a rank that is not known to be in a domain is one region.
    const Level level = settings_.values.get(kRegion);
    const bool whole = level != Level::node && place_.domain(level) < 0;
    const Survey own = survey_of(neighbourhood_, settings_, [&](Rank peer) {
        const Locality near = locality_(peer);
        return whole && near == Locality::same_node ? Locality::same_region : near;
    });
    WordWriter words;
    RankPlace{place_, neighbourhood_.rank}.put(words);
    words.put(static_cast<std::int32_t>(settings_.presence));
    words.put(static_cast<std::int32_t>(hash_of_dies(settings_)));
    words.put(neighbourhood_.has_edges() ? 1 : 0);
    construction_.begin(own, words.take());
    note_end();
}

void CreationBuild::note_end()
{
    if (construction_.ended()) {
        topology_.synchronisations = construction_.builders_ran() ? 2 : 1;
    }
}

bool CreationBuild::present_identically(const std::vector<std::uint32_t> &presences)
{
    const auto odd = std::find_if(presences.begin(), presences.end(),
                                  [&](std::uint32_t other) { return other != presences[0]; });
    if (odd == presences.end()) {
        return true;
    }
    topology_.diagnostic = Diagnostic::not_everywhere;
    topology_.differing_rank = static_cast<Rank>(odd - presences.begin());
    topology_.first_presence = presences[0];
    topology_.differing_presence = *odd;
    return false;
}

// told: the words of all ranks in their order, because each rank follows its parent in the tree.
std::optional<Participants> CreationBuild::take_survey(Survey &survey, WordReader &told)
{
    std::vector<Place> places;
    std::vector<std::uint32_t> presences;
    std::vector<std::uint32_t> dies;
    std::vector<char> has_edges;
    for (Rank rank = 0; rank < ranks_; ++rank) {
        const RankPlace where = RankPlace::take(told);
        if (where.leader != rank) {
            throw BadMessage("not what this rank has told");
        }
        places.push_back(where.place);
        presences.push_back(static_cast<std::uint32_t>(told.take()));
        dies.push_back(static_cast<std::uint32_t>(told.take()));
        has_edges.push_back(told.take_flag() ? 1 : 0);
    }
    if (!present_identically(presences) || settings_.presence == 0) {
        return std::nullopt;
    }
    Participants participants;
    if (agree_on_dies(places, dies).count(place_.node) == 0) {
        participants.die_links = settings_.die_links;
    }
    const Machine machine(std::move(places), settings_.values.get(kRegion));
    add_node(machine, survey);
    survey.facts.regions_of_node = machine.regions_of_node();
    topology_.diagnostic = diagnose(survey, ranks_);
    topology_.region = machine.members(machine.region_of(neighbourhood_.rank));
    participants.known_ranks = KnownRanks(machine, has_edges);
    participants.ranks = ranks_;
    participants.calls = settings_.reuse;
    participants.tree = place_in_tree(participants.known_ranks, neighbourhood_.rank);
    const auto first = std::find(has_edges.begin(), has_edges.end(), 1) - has_edges.begin();
    participants.tells = neighbourhood_.rank == static_cast<Rank>(first);
    return participants;
}

} // namespace nbrhood
