// How the ranks of one weakly connected component of the graph find each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/post.h"
#include "pattern/words.h"

namespace nbrhood {

// The waves that one build makes: over ranks, and, where it matters which blocks have one size,
// over the roles of ranks (class RoleEchoes). The first word of a message says whose it is at the
// receiver.
enum class Over : std::int32_t { ranks, senders, receivers };

// One end's part: echo with extinction (Tel, "Introduction to Distributed Algorithms", 2000,
// section 7.3). In an order that all know, each end that comes before all its neighbours begins a
// wave over the edges. One that has seen waves of several follows that of the end that comes first,
// and answers when all its neighbours have. The order shuffles the ends, so that each follows fewer
// than ln(n) waves. The wave that comes back whole has made a tree of all, and proves that all have
// begun. Its root tells all, over every edge, how many they are, and to go on, or that nothing can
// be gained, since no edge leaves a region.
class Echo {
public:
    // role: what this end is at its rank. neighbours: ranks, each once; not empty where begin() is
    // called.
    Echo(Rank rank, Over role, std::vector<Rank> neighbours, Post &post);

    void begin(bool leaves_region); // whether an edge of this end does
    // Takes in a message of Channel::wave, but for its first word. Throws BadWords for one that no
    // rank can have sent.
    void hear(Rank peer, WordReader words);

    // What the root says, once it is known: whether to go on. Then the tree is complete.
    const std::optional<bool> &verdict() const { return verdict_; }
    std::int32_t members() const { return members_; } // ends of the tree
    Rank parent() const { return parent_; }           // kNoRank: this end is the root
    const std::vector<Rank> &children() const { return children_; }

    // Whether no neighbour sends anything more.
    bool ended() const { return open_ == 0; }

private:
    void send_wave(Rank peer, bool answer);
    void follow(std::int32_t root, Rank peer);
    void conclude(bool go_on, std::int32_t members);

    std::int32_t self_;
    std::vector<Rank> neighbours_;
    Over there_;
    Post &post_;
    // The wave that this end follows: its root, from whom it came, who answered it, how many these
    // are with all behind them, whether this end or one of those has an edge that leaves its
    // region, how many neighbours have sent it.
    std::int32_t root_;
    Rank parent_ = kNoRank;
    std::vector<Rank> children_;
    std::int32_t members_ = 1;
    bool found_leaving_ = false;
    std::size_t heard_ = 0;
    bool leaves_region_ = false;
    std::size_t open_ = 0; // neighbours that may still send
    std::optional<bool> verdict_;
};

} // namespace nbrhood
