// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One rank's part of a creation as a sequence of questions to the other ranks. The caller sends the
// questions and receives the answers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/building.h"
#include "engine/engine.h"
#include "engine/survey.h"

namespace nbrhood {

// Settings that a topology keeps, and the facts that it takes from the neighbourhood.
WireSettings wire_settings(const Settings &settings);
void set_slots(const Neighbourhood &neighbourhood, Topology &topology);

// Decides how the collectives of a communicator, or of a connected part of it, are served. Calls
// come in this order: begin() or serve_none(); step() until it returns nothing; if wants_sum(),
// added() with the sums of to_add() over all ranks that take part; finish(). This class neither
// waits nor sends.
class Creator {
public:
    // Keeps references to all arguments.
    Creator(const Neighbourhood &neighbourhood, const Settings &settings, Topology &topology)
        : neighbourhood_(neighbourhood), settings_(settings), topology_(topology)
    {}

    // survey: of all ranks. Its fault, if any, is in the topology already (diagnostic).
    void begin(const Survey &survey, Participants participants);
    // For a communicator without the component, or with different components on its ranks.
    void serve_none();
    // One superstep of building, with the messages that the last one expected; nothing if there are
    // no more.
    std::optional<Step> step(const std::vector<Message> &inbox)
    {
        return building_ ? building_->step(inbox) : std::nullopt;
    }
    // Whether `auto` leaves a collective direct before any builder runs.
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
