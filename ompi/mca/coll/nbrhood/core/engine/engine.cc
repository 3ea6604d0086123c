#include "engine/engine.h"

#include <functional>

#include "algorithms/direct.h"
#include "engine/creator.h"

namespace nbrhood {

bool builds_at_creation(const Settings &settings)
{
    bool any = settings.values.get(kBuildAfter) == 0;
    for (int c = 0; c < kCollectives; ++c) {
        const int choice =
            choice_for(settings.choice[static_cast<std::size_t>(c)], static_cast<Collective>(c));
        any = any || (choice >= kFirstRow && row_of(choice).make_builder != nullptr);
    }
    return any;
}

void create_direct_topology(const Neighbourhood &neighbourhood, const Settings &settings,
                            Topology &topology)
{
    topology.wire = wire_settings(settings);
    set_slots(neighbourhood, topology);
    BuiltProgram built[kBlockKinds];
    for (int c = 0; c < kCollectives; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const auto collective = static_cast<Collective>(c);
        const int choice = choice_for(settings.choice[i], collective);
        Served served;
        served.choice = choice == kDefault ? kDefault : kFirstRow + kDirect;
        served.reason = choice == kAuto ? Reason::few_calls : Reason::parameter;
        if (served.choice != kDefault) {
            BuiltProgram &direct = built[static_cast<std::size_t>(kind_of(collective))];
            if (direct.program == nullptr) {
                direct = BuiltProgram(build_direct(neighbourhood, kind_of(collective)), nullptr,
                                      settings.keep_patterns);
            }
            direct.serve(served);
        }
        topology.served[i] = {served};
    }
}

int create_topology(const Neighbourhood &neighbourhood, Place own_place, Rank ranks,
                    const Settings &settings, Creation &creation, Topology &topology)
{
    const std::function<Locality(Rank)> locality = [&](Rank rank) {
        return creation.locality(rank);
    };
    topology.served.fill(ServedSizes(1));
    Creator creator(neighbourhood, settings, locality, topology);
    std::vector<Record> all(static_cast<std::size_t>(ranks));
    const Record own = creator.record(own_place);
    ++topology.synchronisations;
    int error = creation.allgather(&own, sizeof own, all.data());
    if (error != 0) {
        return error;
    }
    creator.gathered(all);
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
