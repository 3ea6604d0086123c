// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One rank's part of a creation as a sequence of questions to the other ranks: who asks them, and
// how the answers come, is the caller's matter.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/building.h"
#include "engine/engine.h"
#include "engine/survey.h"

namespace nbrhood {

// Settings that a topology keeps, and facts that it takes from the neighbourhood.
WireSettings wire_settings(const Settings &settings);
void set_slots(const Neighbourhood &neighbourhood, Topology &topology);

// Finds out how the collectives of a communicator, or of a connected part of it, are served. In
// this order: begin() or serve_none(); step() until it returns nothing; where wants_sum(), the
// numbers of to_add() are added up over all that take part for added(); finish(). Nothing here
// waits or sends.
class Creator {
public:
    // Keeps references to all arguments.
    Creator(const Neighbourhood &neighbourhood, const Settings &settings, Topology &topology)
        : neighbourhood_(neighbourhood), settings_(settings), topology_(topology)
    {}

    // survey: of all ranks; what is wrong with it is in the topology already (diagnostic).
    void begin(const Survey &survey, Participants participants);
    // The component is not on the communicator, or not the same on all ranks.
    void serve_none();
    // One superstep of building, with what the last one expected; nothing: there are no more.
    std::optional<Step> step(const std::vector<Message> &inbox)
    {
        return building_ ? building_->step(inbox) : std::nullopt;
    }
    // Whether `auto` leaves a collective alone, before a builder has run.
    bool refuses(Collective collective) const
    {
        return building_ && building_->refuses(collective);
    }
    bool wants_sum() const { return building_ && building_->ran(); }
    std::vector<std::uint64_t> to_add() const;
    void added(const std::vector<std::uint64_t> &sums);
    void finish();

private:
    void take_over();
    void serve_all(int choice, Reason reason);
    std::uint64_t count_nonlocal() const;
    void serve_direct(int c, BuiltProgram (&direct)[kBlockKinds]);

    const Neighbourhood &neighbourhood_;
    const Settings &settings_;
    Topology &topology_;
    Participants participants_;
    std::optional<Building> building_;
};

} // namespace nbrhood
