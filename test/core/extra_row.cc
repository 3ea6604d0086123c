#include "extra_row.h"

#include "algorithms/direct.h"
#include "algorithms/protocol.h"

namespace nbrhood::test {

std::atomic<int> echo_times_seen{0};

namespace {

class EchoBuilder : public Protocol {
public:
    explicit EchoBuilder(const BuildInput &from) : Protocol(from)
    {
        echo_times_seen = from.tuning.values.get(kEchoTimes);
    }

private:
    Step advance(const std::vector<Message> & /*inbox*/) override
    {
        attempt([&] {
            decide();
            for (Work &work : works()) {
                if (work.outcome == Outcome::built) {
                    work.pattern = build_direct(*input().neighbourhood, work.task.kind);
                }
            }
        });
        return Step{{}, {}, true};
    }
};

std::unique_ptr<Builder> make_echo_builder(const BuildInput &input)
{
    return std::make_unique<EchoBuilder>(input);
}

} // namespace

Algorithm echo_row()
{
    return {
        "echo", "what tests add", "none", bit(Collective::neighbor_alltoallv), make_echo_builder, 0,
        true,   {&kEchoTimes}};
}

} // namespace nbrhood::test
