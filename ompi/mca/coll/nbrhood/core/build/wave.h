// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// How the ranks of one weakly connected component of the graph find each other.
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

// The ends between which the waves of a build go: ranks, and, where it matters which blocks have
// one size, the roles of ranks (class RoleWaves). The first word of a message says for which end of
// the receiver it is.
enum class EndKind : std::int32_t { ranks, senders, receivers };

// Facts that a wave collects: one bit for each that holds for some end.
enum Found : std::int32_t {
    kLeavesRegion = 1, // an edge of it leaves its region
    kOneWay = 2,       // an edge of it has none that goes the other way
    kOddCycle = 4      // it is on a cycle with an odd number of edges, whatever their direction
};

// One end's part: echo with extinction (Tel, "Introduction to Distributed Algorithms", 2000,
// section 7.3). Each end that has a lower number than all its neighbours begins a wave over the
// edges: few do, as programs number ranks along their grids. One that has seen waves of several
// follows that of the end that comes first in an order that all know, and answers when all its
// neighbours have. The order shuffles the ends, so that each follows fewer than ln(n) waves of n.
// The wave that comes back whole has made a tree of all, and proves that all have begun. Its root
// tells all, over every edge, how many they are, what was found, and to go on, or that nothing can
// be gained, since no edge leaves a region, or by the summary of all, which answers bring to it.
class Wave {
public:
    using Refuse = std::function<std::optional<Refusal>(const GraphSummary &)>;

    // role: what this end is at its rank. neighbours: ranks, each once; not empty where begin() is
    // called. refuse: asked at the root, with the summary of all; needed where begin() is given
    // one.
    Wave(Rank rank, EndKind role, std::vector<Rank> neighbours, Post &post, Refuse refuse = {});

    // own: what is found at this end itself. summary: of its rank, where waves bring that to the
    // root.
    void begin(std::int32_t own, std::optional<RankSummary> summary = std::nullopt);
    // Takes in a message of Channel::wave, but for its first word. Throws BadMessage for one that
    // no rank can have sent.
    void arrived(Rank peer, WordReader words);

    // The decision of the root, once it is known: whether to go on. Then the tree is complete.
    const std::optional<bool> &decision() const { return decision_; }
    std::int32_t members() const { return members_; } // ends of the tree
    std::int32_t found() const { return found_; }     // what holds for some of them
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
    // The wave that this end follows: its root, from whom it came, whether over an odd number of
    // edges, who answered it, how many these are with all behind them, what was found there and
    // here, how many neighbours have sent it.
    std::optional<std::int32_t> root_;
    Rank parent_ = kNoRank;
    bool odd_ = false;
    std::vector<Rank> children_;
    std::int32_t members_ = 1;
    std::int32_t found_ = 0;
    std::size_t received_ = 0;
    std::int32_t own_ = 0;
    GraphSummary answered_; // of the ends that answered, with all behind them
    std::optional<RankSummary> rank_summary_;
    Refuse refuse_;
    std::optional<Refusal> refusal_;
    std::size_t open_ = 0; // neighbours that may still send
    std::optional<bool> decision_;
};

} // namespace nbrhood
