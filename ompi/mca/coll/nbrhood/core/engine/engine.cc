// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "engine/engine.h"

#include "algorithms/direct.h"
#include "engine/creator.h"

namespace nbrhood {

bool builds_at_creation(const std::array<int, kCollectives> &choices, int build_after)
{
    bool any = build_after == 0;
    for (int c = 0; c < kCollectives; ++c) {
        const int choice =
            choice_for(choices[static_cast<std::size_t>(c)], static_cast<Collective>(c));
        any = any || (choice >= kFirstRow && row_of(choice).make_builder != nullptr);
    }
    return any;
}

void create_direct_topology(const Neighbourhood &neighbourhood,
                            const std::array<int, kCollectives> &choices, bool may_build,
                            Topology &topology)
{
    set_slots(neighbourhood, topology);
    for (int c = 0; c < kCollectives; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const int choice = choice_for(choices[i], static_cast<Collective>(c));
        topology.served[i].assign(1, Served{});
        Served &served = topology.served[i].front();
        served.choice = choice == kDefault ? kDefault : kDirectChoice;
        served.reason = choice != kAuto ? Reason::parameter
                        : may_build     ? Reason::few_calls
                                        : Reason::parameters_differ;
    }
}

void prepare_direct(const Neighbourhood &neighbourhood, Collective collective, Topology &topology)
{
    Served &served = topology.served[static_cast<std::size_t>(collective)].front();
    if (served.choice != kDefault && served.program == nullptr) {
        BuiltProgram(build_direct(neighbourhood, kind_of(collective)), false).serve(served);
    }
}

} // namespace nbrhood
