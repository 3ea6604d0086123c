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
        local; // those of its node, itself among them, ascending; identical on all of these
    // Blocks that it sends in the call that begins the build, and their bytes.
    std::int64_t blocks = 0;
    std::int64_t bytes = 0;
    // If earlier builds decided what serves calls, and nothing gains now, direct messages have to
    // take over, with a call that no rank has begun.
    Earlier earlier = Earlier::none;
    bool declared = false; // the program declares many calls
};

// One rank's part of a build. No part of it waits: the rank goes on with its program, and
// arrived() does what a message makes possible, or take_turn() where that is much. All ranks of the
// component must begin at some time, in whatever order; as each edge of the graph joins two ranks
// that make the same calls, a build that begins with a given call is begun by all of them, and
// ranks of other components, or without edges, are not needed.
//
// 1. The ranks find each other, and make a tree (class Wave).
// 2. They find out where the others run that matter to them, and no rank more than that: those of
//    its node which take part (class NodeMembers, unless all ranks of the communicator do) tell the
//    lowest of them their domains, which tells all. Then neighbours tell each other their place and
//    who leads their region.
// 3. They build, as at a creation (class Construction).
// 4. The switch point. A rank that learns that something else is to serve proposes a number: the
//    calls that it has begun, and as many more as it may begin while the numbers go up and down
//    (`propose`). It begins no call beyond that until the answer is here. The greatest numbers of
//    all ranks come down: from these calls on the pattern serves, and all ranks know so before
//    they get there.
class ComponentBuild {
public:
    // collective: what is built for; settings: its choice is that of the collective. locality: as
    // far as is known without asking a rank. propose: asked once, see above. Keeps references to
    // the arguments but for `own`.
    ComponentBuild(const Neighbourhood &neighbourhood, OwnFacts own, Collective collective,
                   const Settings &settings, const std::function<Locality(Rank)> &locality,
                   Post &post, std::function<CallCounts()> propose);

    // Both throw std::bad_alloc, and BadMessage for a message that no rank can have sent. After
    // that the build cannot go on, here or elsewhere.
    void begin();
    void arrived(Rank peer, Channel channel, std::vector<std::int32_t> words);

    // Whether a builder has more to do than it may at a time: it goes on with take_turn(), whenever
    // the caller likes. Messages may arrive meanwhile.
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

    // Whether this rank is the one of its component that tells the user; known at the end.
    bool leads() const { return wave_.decision() && wave_.parent() == kNoRank; }

    // The first calls that the pattern serves; nothing as long as that is not known, or where
    // none gains.
    std::optional<CallCounts> first_served() const { return gains_ ? first_ : std::nullopt; }
    // The first calls that direct messages serve, if the earlier decision does not gain with the
    // present size of blocks.
    std::optional<CallCounts> first_direct() const { return gains_ ? std::nullopt : first_; }
    // If no pattern gains: whether one may gain with blocks of another size.
    bool may_gain_later() const { return may_gain_later_; }

    // The result of the build, once it is known.
    Topology &topology() { return topology_; }

    // The tree, for what the ranks have to agree on later. Once the build has ended.
    const Tree &tree() const { return tree_; }

private:
    // The kind of messages that are expected; of all stages but the first on Channel::step.
    enum class Stage {
        wave,
        node_members, // of children
        own_node,     // from the parent
        domains,      // of the other ranks of the node
        node,         // from the lowest of them
        neighbours,   // their places
        roles,        // none; waves over the roles of ranks may be under way
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

    std::vector<Rank> neighbours_; // each once, without this rank
    Wave wave_;
    std::optional<RoleWaves> roles_; // where it matters which blocks have one size, and the ranks'
                                     // own wave does not tell
    Tree tree_;
    Topology topology_;
    Construction construction_;
    Stage stage_ = Stage::wave;

    NodeMembers node_members_;
    std::vector<std::set<std::int32_t>> nodes_of_children_; // what each child wants to know
    std::vector<Rank> node_ranks_; // the ranks of the component on this node, ascending
    KnownRanks known_ranks_;
    std::shared_ptr<const DieLinks> die_links_; // where the node's ranks know the same
    Survey node_;                               // what the lowest rank of the node says of it
    bool gains_ = false;
    bool may_gain_later_ = false;
    CallCounts counts_;
    std::optional<CallCounts> first_;
};

} // namespace nbrhood
