// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Waves, by which the ranks of one weakly connected component of the graph find each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "build/graph_summary.h"
#include "build/post.h"
#include "pattern/message_words.h"

namespace nbrhood {

// The ends between which the waves of a build go: ranks, and the roles of ranks if the build must
// find out whether blocks have one size (class RoleWaves). The first word of a message names the
// receiver's end.
enum class EndKind : std::int32_t { ranks, senders, receivers };

// Facts that a wave collects: one bit for each that holds for some end.
enum Found : std::int32_t {
    kLeavesRegion = 1, // an edge of it leaves its region
    kOneWay = 2,       // an edge of it has none that goes the other way
    kOddCycle = 4      // it is on a cycle with an odd number of edges, whatever their direction
};

// One end's part: echo with extinction (Tel, "Introduction to Distributed Algorithms", 2000,
// section 7.3). Each end that has a lower number than all its neighbours begins a wave over the
// edges; these are few, because programs number ranks along their grids. An end that has seen
// several waves follows the one whose root comes first in an order that all ends know, and answers
// it when all its neighbours have answered. The order shuffles the ends, so an end follows fewer
// than ln(n) of n waves on average. The wave that all ends answer has made a tree of them, and
// proves that all have begun. Its root then tells all ends, over every edge, their number, the
// facts found, and the decision: to go on, or that no pattern can gain, because no edge leaves a
// region or because of the summary that the answers brought.
class Wave {
public:
    using Refuse = std::function<std::optional<Refusal>(const GraphSummary &)>;

    // role: the kind of this end. neighbours: ranks, each once; not empty if begin() is called.
    // refuse: called at the root with the summary of all ranks; required if begin() gets a summary.
    Wave(Rank rank, EndKind role, std::vector<Rank> neighbours, Post &post, Refuse refuse = {});

    // own: the facts of this end. summary: of its rank, if waves bring summaries to the root.
    void begin(std::int32_t own, std::optional<RankSummary> summary = std::nullopt);
    // Handles a message of Channel::wave, without its first word. Throws BadMessage for a message
    // that no rank can have sent.
    void arrived(Rank peer, WordReader words);

    // The decision of the root, once it is known: whether to go on. Then the tree is complete.
    const std::optional<bool> &decision() const { return decision_; }
    std::int32_t members() const { return members_; } // ends of the tree
    std::int32_t found() const { return found_; }     // facts that hold for some of them
    // Why nothing can be gained, if the summary shows that.
    const std::optional<Refusal> &refusal() const { return refusal_; }
    Rank parent() const { return parent_; } // kNoRank: this end is the root
    const std::vector<Rank> &children() const { return children_; }

    // Whether no neighbour sends anything more.
    bool ended() const { return open_ == 0; }

private:
    void send_wave(Rank peer, bool answer);
    void follow(std::int32_t root, Rank peer, bool odd);
    void answer();
    void conclude(bool go_on, std::int32_t members, std::int32_t found);

    std::int32_t self_;
    std::vector<Rank> neighbours_;
    EndKind peer_kind_;
    Post &post_;
    // The wave that this end follows: its root, the neighbour that sent it first, whether it came
    // over an odd number of edges, the children that answered it, the number of ends in their
    // subtrees, the facts found so far, the number of neighbours that have sent it.
    std::optional<std::int32_t> root_;
    Rank parent_ = kNoRank;
    bool odd_ = false;
    std::vector<Rank> children_;
    std::int32_t members_ = 1;
    std::int32_t found_ = 0;
    std::size_t received_ = 0;
    std::int32_t own_ = 0;
    GraphSummary answered_; // of the subtrees that answered
    std::optional<RankSummary> rank_summary_;
    Refuse refuse_;
    std::optional<Refusal> refusal_;
    std::size_t open_ = 0; // neighbours that may still send
    std::optional<bool> decision_;
};

} // namespace nbrhood
