// How the ranks of one weakly connected component of the graph find each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/post.h"

namespace nbrhood {

// One rank's part: echo with extinction (Tel, "Introduction to Distributed Algorithms", 2000,
// section 7.3). Each rank begins a wave over the edges. A rank that has seen waves of several ranks
// follows that of the one that comes first in an order that all know, and answers when all its
// neighbours have. In that order ranks are shuffled, so that a rank follows about ln(n) waves. The
// wave that comes back whole has made a tree of all ranks, and proves that all have begun. Its root
// tells all, over every edge, to go on, or that nothing can be gained, since no edge leaves a
// region.
class Echo {
public:
    // neighbours: each once, without this rank; not empty where begin() is called.
    Echo(Rank rank, std::vector<Rank> neighbours, Post &post);

    void begin(bool leaves_region); // whether an edge of this rank does
    // Takes in a message of Channel::wave. Throws BadWords for one that no rank can have sent.
    void hear(Rank peer, const std::vector<std::int32_t> &words);

    // What the root says, once it is known: whether to go on. Then the tree is complete.
    const std::optional<bool> &verdict() const { return verdict_; }
    Rank parent() const { return parent_; } // kNoRank: this rank is the root
    const std::vector<Rank> &children() const { return children_; }

    // Whether no neighbour sends anything more.
    bool ended() const { return open_ == 0; }

private:
    void send_wave(Rank peer, bool answer);
    void follow(Rank root, Rank peer);
    void conclude(bool go_on);

    Rank rank_;
    std::vector<Rank> neighbours_;
    Post &post_;
    // The wave that this rank follows: its root, from whom it came, who answered it, whether this
    // rank or one of those has an edge that leaves its region, how many neighbours have sent it.
    Rank root_;
    Rank parent_ = kNoRank;
    std::vector<Rank> children_;
    bool found_leaving_ = false;
    std::size_t heard_ = 0;
    bool leaves_region_ = false;
    std::size_t open_ = 0; // neighbours that may still send
    std::optional<bool> verdict_;
};

} // namespace nbrhood
