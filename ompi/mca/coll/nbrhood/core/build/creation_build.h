// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Builds patterns at the creation of a topology, among all ranks of its communicator.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "build/construction.h"

namespace nbrhood {

// One rank's part. All ranks of the communicator take part: also ranks without edges, which learn
// the choices, and ranks without the component on their communicator (Settings::presence), with a
// neighbourhood without edges. The tree is the binomial tree over rank numbers and needs no
// message. After its survey each rank tells all others where it runs, whether it has edges, and its
// presence; then class Construction takes over. A creation synchronises the communicator at most
// twice.
class CreationBuild {
public:
    // place: where this rank runs (the glue numbers nodes by their lowest ranks). locality: as far
    // as this rank knows without communication; edges of unknown locality count as non-local until
    // builders have run. Keeps references to the neighbourhood, the settings, locality and the
    // post.
    CreationBuild(const Neighbourhood &neighbourhood, Place place, Rank ranks,
                  const Settings &settings, const std::function<Locality(Rank)> &locality,
                  Post &post);

    // As the functions of ComponentBuild; all messages are on Channel::step.
    void begin();
    void arrived(Rank peer, std::vector<std::int32_t> words)
    {
        tree_.arrived(peer, std::move(words));
        advance();
    }
    bool wants_turn() const { return construction_.wants_turn(); }
    void take_turn()
    {
        construction_.take_turn();
        note_end();
    }
    // Whether this rank neither sends nor expects anything more.
    bool ended() const { return construction_.ended(); }

    Topology &topology() { return topology_; }

private:
    void advance()
    {
        construction_.advance();
        note_end();
    }
    void note_end();
    std::optional<Participants> take_survey(Survey &survey, WordReader &told);
    bool present_identically(const std::vector<std::uint32_t> &presences);

    const Neighbourhood &neighbourhood_;
    Place place_;
    Rank ranks_;
    const Settings &settings_;
    const std::function<Locality(Rank)> &locality_;
    Topology topology_;
    Tree tree_;
    Construction construction_;
};

} // namespace nbrhood
