#include "engine/engine.h"

#include <functional>

#include "algorithms/direct.h"
#include "engine/creator.h"
#include "engine/records.h"

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

int create_topology(const Neighbourhood &neighbourhood, Place own_place, Rank ranks,
                    const Settings &settings, Creation &creation, Topology &topology)
{
    const std::function<Locality(Rank)> locality = [&](Rank rank) {
        return creation.locality(rank);
    };
    topology.served.fill(ServedSizes(1));
    Creator creator(neighbourhood, settings, topology);
    std::vector<Record> all(static_cast<std::size_t>(ranks));
    const Record own = record_of(neighbourhood, settings, locality, own_place);
    ++topology.synchronisations;
    int error = creation.allgather(&own, sizeof own, all.data());
    if (error != 0) {
        return error;
    }
    Survey survey;
    Participants participants;
    if (discover(all, neighbourhood, settings, topology, survey, participants)) {
        creator.begin(survey, std::move(participants));
    } else {
        creator.serve_none();
    }
    std::vector<Message> inbox;
    for (auto step = creator.step(inbox); step; step = creator.step(inbox)) {
        inbox.clear();
        error = creation.exchange(step->outbox, step->expect, inbox);
        if (error != 0) {
            return error;
        }
    }
    if (creator.wants_sum()) {
        std::vector<std::uint64_t> values = creator.to_add();
        ++topology.synchronisations;
        error = creation.sum(values);
        creator.added(values);
    }
    creator.finish();
    return error;
}

} // namespace nbrhood
