// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The number of sets of roles that the edges of one weakly connected component join.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "build/wave.h"
#include "graph/neighbourhood.h"

namespace nbrhood {

// One rank's part. Waves go over the roles of ranks, sender and receiver, from one end of each edge
// to the other. One wave is completed for each set of roles. (graph/roles.h finds these sets from
// the whole graph.) If all edges go both ways, a wave over ranks tells the same (kOddCycle).
class RoleWaves : private Post {
public:
    RoleWaves(const Neighbourhood &neighbourhood, Post &post);

    void begin();
    // Handles a message of Channel::wave for this role, as Wave::arrived.
    void arrived(EndKind role, Rank peer, const WordReader &words);

    // Whether the sets of this rank's roles are known.
    bool concluded() const;
    // The number of sets whose wave began with a role of this rank. Only this rank counts them.
    int counted() const;
    // Whether no neighbour sends anything more.
    bool ended() const;

private:
    using Words = std::vector<std::int32_t>;
    void send(Rank peer, Channel channel, Words words) override;
    void expect(Rank peer, Channel channel) override;
    std::optional<Wave> &wave(EndKind role) { return waves_.at(role == EndKind::senders ? 0 : 1); }
    void receive_own();

    Rank self_;
    Post &post_;
    std::array<std::optional<Wave>, 2> waves_; // as sender and as receiver; nothing without edges
    std::deque<Words> own_;                    // from one role of this rank to the other
};

// The other ends of edges, each once, in ascending order.
std::vector<Rank> peers_of(const std::vector<EdgeEnd> &ends);

} // namespace nbrhood
