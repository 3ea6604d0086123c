// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Builds a pattern for one collective while the program runs, among the ranks of one weakly
// connected component of the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "build/construction.h"
#include "build/wave.h"
#include "build/node_members.h"
#include "build/role_waves.h"
#include "build/tree.h"

namespace nbrhood {

// Facts of a rank when a build begins.
struct OwnFacts {
    Place place;
    Rank ranks = 0; // of the communicator
    std::vector<Rank>
        local; // ranks of its node including itself, ascending; identical on all of them
    // Blocks that the rank sends in the call that begins the build, and their bytes.
    std::int64_t blocks = 0;
    std::int64_t bytes = 0;
    // If an earlier build chose a pattern and nothing gains now, direct messages must take over,
    // from a call on that no rank has begun.
    Earlier earlier = Earlier::none;
    bool declared = false; // the program declares many calls
};

// One rank's part of a build. It never waits: the application goes on, arrived() does the work that
// a message makes possible, and take_turn() does long work in slices. All ranks of the component
// must begin the build at some time, in any order. Each edge of the graph joins two ranks that make
// the same calls, so if a given call begins a build, all ranks of the component begin it. Ranks of
// other components, or without edges, are not needed.
//
// 1. The ranks find each other, and make a tree (class Wave).
// 2. Each rank finds out where its neighbours and the ranks of its node run. The ranks of a node
//    that take part (class NodeMembers, unless all ranks of the communicator do) tell their domains
//    to the lowest of them, which tells all. Then neighbours tell each other their places and the
//    leaders of their regions.
// 3. They build, as at a creation (class Construction).
// 4. The switch point. A rank that learns of a change proposes a number: the calls that it has
//    begun, plus those that it may begin while the numbers go up and down the tree (`propose`). It
//    holds back calls beyond its proposal until it has the answer. The greatest numbers of all
//    ranks come down the tree; the pattern serves from these calls on, and all ranks know that
//    before they reach them.
class ComponentBuild {
public:
    // settings: with the choice for `collective`. locality: as far as this rank knows without
    // communication. propose: called once, see above. Keeps references to all arguments but `own`.
    ComponentBuild(const Neighbourhood &neighbourhood, OwnFacts own, Collective collective,
                   const Settings &settings, const std::function<Locality(Rank)> &locality,
                   Post &post, std::function<CallCounts()> propose);

    // Both throw std::bad_alloc, and BadMessage for a message that no rank can have sent. After
    // that the build cannot go on, on any rank.
    void begin();
    void arrived(Rank peer, Channel channel, std::vector<std::int32_t> words);

    // Whether a builder has paused long work, which goes on with take_turn() at any time. Messages
    // may arrive meanwhile.
    bool wants_turn() const { return construction_.wants_turn(); }
    void take_turn()
    {
        construction_.take_turn();
        advance();
    }

    // Whether this rank neither sends nor expects anything more.
    bool ended() const
    {
        return stage_ == Stage::ended && wave_.ended() && (!roles_ || roles_->ended());
    }

    // Whether this rank reports to the user for its component; known at the end.
    bool leads() const { return wave_.decision() && wave_.parent() == kNoRank; }

    // The first calls that the pattern serves; nothing until they are known, or if no pattern
    // gains.
    std::optional<CallCounts> first_served() const { return gains_ ? first_ : std::nullopt; }
    // The first calls that direct messages serve, if the earlier decision does not gain with the
    // present size of blocks.
    std::optional<CallCounts> first_direct() const { return gains_ ? std::nullopt : first_; }
    // If no pattern gains: whether one may gain with blocks of another size.
    bool may_gain_later() const { return may_gain_later_; }

    // The result of the build, once it is known.
    Topology &topology() { return topology_; }

    // The tree, for later agreements. Call it after the end of the build.
    const Tree &tree() const { return tree_; }

private:
    // The kind of messages that are expected; in all stages but the first on Channel::step.
    enum class Stage {
        wave,
        node_members, // of children
        own_node,     // from the parent
        domains,      // of the other ranks of the node
        node,         // from the lowest of them
        neighbours,   // their places
        roles,        // no messages; waves over the roles of ranks may be in progress
        construction,
        counts,
        first,
        ended
    };

    void await(Stage stage, const std::vector<Rank> &peers)
    {
        stage_ = stage;
        tree_.await(peers);
    }
    void send_up(Stage answer, std::vector<std::int32_t> words)
    {
        stage_ = answer;
        tree_.send_up(std::move(words));
    }
    void take_decision();
    std::optional<Refusal> refuse(const GraphSummary &all) const;
    void end_refused(const Refusal &refusal);
    void advance();
    void pass_node_members();
    void pass_own_node();
    void tell_domains();
    void tell_node();
    void take_node(const std::vector<std::int32_t> &words);
    void take_neighbours();
    std::int32_t count_sets_of_roles() const;
    Participants participants(const Survey &survey) const;
    void begin_construction();
    Participants take_survey(const Survey &survey);
    void conclude();
    void pass_first();

    const Neighbourhood &neighbourhood_;
    OwnFacts own_;
    Collective collective_;
    const Settings &settings_;
    const std::function<Locality(Rank)> &locality_;
    Post &post_;
    std::function<CallCounts()> propose_;

    std::vector<Rank> neighbours_; // without this rank and repetitions
    Wave wave_;
    std::optional<RoleWaves> roles_; // if one_size matters and the ranks' own wave does not tell it
    Tree tree_;
    Topology topology_;
    Construction construction_;
    Stage stage_ = Stage::wave;

    NodeMembers node_members_;
    std::vector<std::set<std::int32_t>> nodes_of_children_; // the nodes that each child asks for
    std::vector<Rank> node_ranks_; // the ranks of the component on this node, ascending
    KnownRanks known_ranks_;
    std::shared_ptr<const DieLinks> die_links_; // if all ranks of the node know the same
    Survey node_;                               // facts of the node, from its lowest rank
    bool gains_ = false;
    bool may_gain_later_ = false;
    CallCounts counts_;
    std::optional<CallCounts> first_;
};

} // namespace nbrhood
