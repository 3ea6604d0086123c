// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/role_waves.h"

#include <algorithm>
#include <utility>

namespace nbrhood {

std::vector<Rank> peers_of(const std::vector<EdgeEnd> &ends)
{
    std::vector<Rank> peers;
    for (const EdgeEnd &end : ends) {
        if (end.peer != kNoRank) {
            peers.push_back(end.peer);
        }
    }
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    return peers;
}

RoleWaves::RoleWaves(const Neighbourhood &neighbourhood, Post &post)
    : self_(neighbourhood.rank), post_(post)
{
    Post &own = *this;
    const auto add = [&](EndKind role, const std::vector<EdgeEnd> &ends) {
        std::vector<Rank> peers = peers_of(ends);
        if (!peers.empty()) {
            wave(role).emplace(self_, role, std::move(peers), own);
        }
    };
    add(EndKind::senders, neighbourhood.out);
    add(EndKind::receivers, neighbourhood.in);
}

void RoleWaves::begin()
{
    for (std::optional<Wave> &wave : waves_) {
        if (wave) {
            wave->begin(kLeavesRegion); // makes these waves go on
        }
    }
    receive_own();
}

void RoleWaves::arrived(EndKind role, Rank peer, const WordReader &words)
{
    if (!wave(role)) {
        throw BadMessage("a wave for a role that this rank does not have");
    }
    wave(role)->arrived(peer, words);
    receive_own();
}

bool RoleWaves::concluded() const
{
    return std::all_of(waves_.begin(), waves_.end(),
                       [](const auto &wave) { return !wave || wave->decision(); });
}

int RoleWaves::counted() const
{
    return static_cast<int>(std::count_if(waves_.begin(), waves_.end(), [](const auto &wave) {
        return wave && wave->decision() && wave->parent() == kNoRank;
    }));
}

bool RoleWaves::ended() const
{
    return std::all_of(waves_.begin(), waves_.end(),
                       [](const auto &wave) { return !wave || wave->ended(); });
}

void RoleWaves::send(Rank peer, Channel channel, Words words)
{
    if (peer == self_) {
        own_.push_back(std::move(words));
    } else {
        post_.send(peer, channel, std::move(words));
    }
}

void RoleWaves::expect(Rank peer, Channel channel)
{
    if (peer != self_) {
        post_.expect(peer, channel);
    }
}

void RoleWaves::receive_own()
{
    while (!own_.empty()) {
        const Words words = std::move(own_.front());
        own_.pop_front();
        WordReader reader(words);
        const auto role = static_cast<EndKind>(reader.take());
        wave(role)->arrived(self_, reader);
    }
}

} // namespace nbrhood
