// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/component_build.h"

#include <algorithm>
#include <utility>

#include "algorithms/aggregated/aggregated.h"

namespace nbrhood {
namespace {

// The other ranks that a rank has edges with, each once.
std::vector<Rank> neighbours_of(const Neighbourhood &neighbourhood)
{
    std::vector<EdgeEnd> ends = neighbourhood.in;
    ends.insert(ends.end(), neighbourhood.out.begin(), neighbourhood.out.end());
    std::vector<Rank> neighbours = peers_of(ends);
    neighbours.erase(std::remove(neighbours.begin(), neighbours.end(), neighbourhood.rank),
                     neighbours.end());
    return neighbours;
}

} // namespace

ComponentBuild::ComponentBuild(const Neighbourhood &neighbourhood, OwnFacts own,
                               Collective collective, const Settings &settings,
                               const std::function<Locality(Rank)> &locality, Post &post,
                               std::function<CallCounts()> propose)
    : neighbourhood_(neighbourhood), own_(std::move(own)), collective_(collective),
      settings_(settings), locality_(locality), post_(post), propose_(std::move(propose)),
      neighbours_(neighbours_of(neighbourhood)),
      wave_(neighbourhood.rank, EndKind::ranks, neighbours_, post,
            [this](const GraphSummary &all) { return refuse(all); }),
      tree_(post),
      construction_(neighbourhood, own_.ranks, settings, tree_, topology_,
                    [this](const Survey &survey, WordReader &) { return take_survey(survey); })
{
    topology_.served.fill(ServedSizes(1));
}

void ComponentBuild::begin()
{
    if (neighbours_.empty()) {
        stage_ = Stage::ended;
        return;
    }
    std::int32_t own = 0;
    for (const EdgeEnd &end : neighbourhood_.out) {
        if (end.peer == neighbourhood_.rank) {
            own |= kOddCycle;
        } else if (end.peer != kNoRank && locality_(end.peer) != Locality::same_region) {
            own |= kLeavesRegion;
        }
    }
    own |= peers_of(neighbourhood_.in) != peers_of(neighbourhood_.out) ? kOneWay : 0;
    RankSummary summary(neighbourhood_, settings_, own_.place.node, locality_);
    summary.set_blocks(own_.blocks, own_.bytes);
    wave_.begin(own, std::move(summary));
}

void ComponentBuild::arrived(Rank peer, Channel channel, std::vector<std::int32_t> words)
{
    if (channel == Channel::step) {
        tree_.arrived(peer, std::move(words));
    } else {
        WordReader reader(words);
        const auto kind =
            static_cast<EndKind>(reader.take(static_cast<std::int32_t>(EndKind::ranks),
                                             static_cast<std::int32_t>(EndKind::receivers)));
        if (kind == EndKind::ranks) {
            wave_.arrived(peer, reader);
        } else if (roles_) {
            roles_->arrived(kind, peer, reader);
        } else {
            throw BadMessage("a wave that nobody began");
        }
    }
    if (stage_ == Stage::wave) {
        take_decision();
    }
    advance();
}

void ComponentBuild::take_decision()
{
    const std::optional<bool> &go_on = wave_.decision();
    if (!go_on) {
        return;
    }
    tree_.place(wave_.parent(), wave_.children());
    if (*go_on && has_one_count(collective_) && (wave_.found() & kOneWay) != 0) {
        roles_.emplace(neighbourhood_, post_);
        roles_->begin();
    }
    if (wave_.refusal()) {
        end_refused(*wave_.refusal());
    } else if (!*go_on) {
        topology_.served[static_cast<std::size_t>(collective_)].front().reason =
            Reason::too_few_messages;
        stage_ = Stage::ended;
    } else if (wave_.members() < own_.ranks) {
        await(Stage::node_members, tree_.children());
    } else {
        node_ranks_ = own_.local;
        tell_domains();
    }
}

// Decides from facts that ranks have without communication. Leaves the decision to builders if
// these facts may be wrong, because regions are not nodes or parameters change the relays, or if
// there is a diagnostic for the user.
std::optional<Refusal> ComponentBuild::refuse(const GraphSummary &all) const
{
    const std::optional<Survey> survey = all.estimate();
    const ParameterValues &values = settings_.values;
    if (!survey || own_.earlier == Earlier::decided || values.get(kRegion) != Level::node
        || values.get(kRelaysPerRegion) != 0 || values.get(kCombineLocal) >= 0
        || diagnose(*survey, survey->facts.ranks_with_edges) != Diagnostic::none) {
        return std::nullopt;
    }
    Topology topology;
    Creator creator(neighbourhood_, settings_, topology);
    creator.begin(*survey, participants(*survey));
    if (!creator.refuses(collective_)) {
        return std::nullopt;
    }
    return Refusal{topology.served[static_cast<std::size_t>(collective_)].front().reason,
                   survey->facts.call_blocks, survey->facts.call_bytes};
}

void ComponentBuild::end_refused(const Refusal &refusal)
{
    topology_.served[static_cast<std::size_t>(collective_)].front().reason = refusal.reason;
    topology_.facts.call_blocks = refusal.call_blocks;
    topology_.facts.call_bytes = refusal.call_bytes;
    may_gain_later_ = refusal.call_blocks > 0;
    stage_ = Stage::ended;
}

void ComponentBuild::advance()
{
    while (tree_.complete()) {
        switch (stage_) {
        case Stage::node_members:
            pass_node_members();
            break;
        case Stage::own_node:
            pass_own_node();
            break;
        case Stage::domains:
            tell_node();
            break;
        case Stage::node:
            take_node(tree_.message());
            break;
        case Stage::neighbours:
            take_neighbours();
            break;
        case Stage::roles:
            if (roles_ && !roles_->concluded()) {
                return; // the wave has not arrived yet
            }
            begin_construction();
            break;
        case Stage::construction:
            construction_.advance();
            if (!construction_.ended()) {
                return;
            }
            conclude();
            break;
        case Stage::counts:
            send_up(Stage::first, tree_.greatest(counts_));
            break;
        case Stage::first:
            pass_first();
            break;
        case Stage::wave:
        case Stage::ended:
            return;
        }
    }
}

// ---- Places ----

void ComponentBuild::pass_node_members()
{
    const auto own = std::lower_bound(own_.local.begin(), own_.local.end(), neighbourhood_.rank)
                     - own_.local.begin();
    node_members_.add(own_.place.node, static_cast<std::size_t>(own));
    for (const Message &child : tree_.inbox()) {
        nodes_of_children_.push_back(node_members_.take(WordReader(child.words)));
    }
    WordWriter words;
    node_members_.put(words);
    send_up(Stage::own_node, words.take());
}

void ComponentBuild::pass_own_node()
{
    node_members_.take(WordReader(tree_.message()));
    for (std::size_t child = 0; child < nodes_of_children_.size(); ++child) {
        WordWriter words;
        node_members_.put(nodes_of_children_[child], words);
        tree_.send(tree_.children()[child], words.take());
    }
    node_ranks_ = node_members_.of(own_.place.node, own_.local);
    node_members_ = {};
    nodes_of_children_ = {};
    tell_domains();
}

void ComponentBuild::tell_domains()
{
    const Rank lowest = node_ranks_.front();
    std::vector<Rank> others(node_ranks_.begin() + 1, node_ranks_.end());
    if (neighbourhood_.rank == lowest) {
        await(Stage::domains, others);
    } else {
        WordWriter words;
        RankPlace{own_.place, lowest}.put(words);
        words.put(static_cast<std::int32_t>(hash_of_dies(settings_)));
        tree_.send(lowest, words.take());
        await(Stage::node, {lowest});
    }
}

// Tells the ranks of the node the places of all of them, in their order, and the dies that they
// know. The leaders of regions are not known yet.
void ComponentBuild::tell_node()
{
    WordWriter all;
    RankPlace{own_.place, neighbourhood_.rank}.put(all);
    all.put(static_cast<std::int32_t>(hash_of_dies(settings_)));
    for (const Message &other : tree_.inbox()) {
        all.put_all(other.words);
    }
    for (const Message &other : tree_.inbox()) {
        tree_.send(other.peer, all.words());
    }
    take_node(all.words());
}

void ComponentBuild::take_node(const std::vector<std::int32_t> &words)
{
    WordReader reader(words);
    std::vector<Place> places;
    std::vector<std::uint32_t> dies;
    for (std::size_t i = 0; i < node_ranks_.size(); ++i) {
        places.push_back(RankPlace::take(reader).place);
        places.back().node = own_.place.node;
        dies.push_back(static_cast<std::uint32_t>(reader.take()));
    }
    reader.expect_end();
    if (agree_on_dies(places, dies).empty()) {
        die_links_ = settings_.die_links;
    }
    const Machine node(places, settings_.values.get(kRegion));
    for (std::size_t i = 0; i < node_ranks_.size(); ++i) {
        const Region region = node.region_of(static_cast<Rank>(i));
        const Rank leader = node_ranks_[static_cast<std::size_t>(node.members(region).front())];
        known_ranks_.add(node_ranks_[i], {places[i], leader});
    }
    const Rank leader = known_ranks_.region_of(neighbourhood_.rank);
    topology_.region = known_ranks_.members(leader);
    if (neighbourhood_.rank == node_ranks_.front()) {
        add_node(node, node_);
    }
    for (const Rank neighbour : neighbours_) {
        WordWriter own;
        known_ranks_.of(neighbourhood_.rank).put(own);
        tree_.send(neighbour, own.take());
    }
    await(Stage::neighbours, neighbours_);
}

void ComponentBuild::take_neighbours()
{
    for (const Message &neighbour : tree_.inbox()) {
        WordReader words(neighbour.words);
        known_ranks_.add(neighbour.peer, RankPlace::take(words));
        words.expect_end();
    }
    await(Stage::roles, {});
}

// The number of sets of roles that this rank counts, so that each set is counted once. If each edge
// has an opposite one, the role changes with each edge from one rank to the next, and there are two
// sets, unless some cycle has an odd number of edges.
std::int32_t ComponentBuild::count_sets_of_roles() const
{
    if (roles_) {
        return roles_->counted();
    }
    return !leads() || !has_one_count(collective_) ? 0 : (wave_.found() & kOddCycle) != 0 ? 1 : 2;
}

void ComponentBuild::begin_construction()
{
    Survey own = survey_of(neighbourhood_, settings_, [this](Rank peer) {
        return known_ranks_.locality(neighbourhood_.rank, peer);
    });
    own.sets_of_roles = count_sets_of_roles();
    own.facts.call_blocks = own_.blocks;
    own.facts.call_bytes = own_.bytes;
    own.merge(node_);
    stage_ = Stage::construction;
    construction_.begin(own);
}

Participants ComponentBuild::take_survey(const Survey &survey)
{
    topology_.members = static_cast<Rank>(wave_.members());
    topology_.diagnostic = diagnose(survey, topology_.members);
    Participants all = participants(survey);
    all.known_ranks = std::move(known_ranks_);
    return all;
}

Participants ComponentBuild::participants(const Survey &survey) const
{
    Participants participants;
    participants.ranks = own_.ranks;
    participants.die_links = die_links_;
    participants.tree = TreePlace(wave_.parent(), wave_.children());
    participants.one_size = survey.sets_of_roles == 1;
    participants.tells = leads();
    const bool is_first = own_.earlier == Earlier::none && !own_.declared;
    participants.calls = settings_.reuse != 0 ? settings_.reuse : is_first ? kCallsToFollow : 0;
    return participants;
}

void ComponentBuild::conclude()
{
    const ServedSizes &sizes = topology_.served[static_cast<std::size_t>(collective_)];
    gains_ = std::any_of(sizes.begin(), sizes.end(),
                         [](const Served &served) { return served.choice > kDirectChoice; });
    may_gain_later_ =
        !gains_ && topology_.diagnostic == Diagnostic::none && topology_.facts.call_blocks > 0;
    if (gains_ || (may_gain_later_ && own_.earlier == Earlier::decided)) {
        counts_ = propose_();
        await(Stage::counts, tree_.children());
    } else {
        stage_ = Stage::ended;
    }
}

// Passes on the greatest counts. As calls are numbered from 0, a count is also the number of the
// first call beyond it.
void ComponentBuild::pass_first()
{
    tree_.send_down(tree_.message());
    first_ = Tree::read_counts(tree_.message());
    stage_ = Stage::ended;
}

} // namespace nbrhood
