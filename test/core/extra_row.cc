// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "extra_row.h"

#include <array>
#include <utility>

#include "algorithms/direct.h"
#include "algorithms/toolkit/protocol.h"

namespace nbrhood::test {

std::atomic<int> echo_times_seen{0};

namespace {

class EchoBuilder : public Protocol {
public:
    // For graphs in which all blocks have one size if a rank gives one count.
    EchoBuilder(const BuildInput &from, const Traffic &counted) : Protocol(from), counted_(counted)
    {
        set_one_size(true);
    }

private:
    Step advance(const std::vector<Message> & /*inbox*/) override
    {
        attempt([&] {
            for (Work &work : works()) {
                work.totals = counted_;
            }
            decide();
            for (Work &work : works()) {
                if (work.outcome == Outcome::built) {
                    work.pattern = build_direct(*input().neighbourhood, work.task.kind);
                }
            }
        });
        return Step{{}, {}, true};
    }

    Traffic counted_;
};

std::unique_ptr<Builder> make_echo_builder(const BuildInput &input)
{
    echo_times_seen = input.tuning.values.get(kEchoTimes);
    return std::make_unique<EchoBuilder>(input, Traffic{});
}

std::array<Traffic, kExtraRows> extra_traffics;
std::vector<int> extra_runs; // of rank 0's thread

template <int number>
std::unique_ptr<Builder> make_extra_builder(const BuildInput &input)
{
    if (input.neighbourhood->rank == 0) {
        extra_runs.push_back(number);
    }
    return std::make_unique<EchoBuilder>(input, extra_traffics[number]);
}

} // namespace

Algorithm echo_row()
{
    return {
        "echo", "what tests add", "none", bit(Collective::neighbor_alltoallv), make_echo_builder, 0,
        true,   {&kEchoTimes}};
}

Algorithm extra_row(int number, LeastTraffic least)
{
    return {number == 0 ? "extra0" : "extra1",
            "what tests add",
            "none",
            bit(Collective::neighbor_alltoallv),
            number == 0 ? make_extra_builder<0> : make_extra_builder<1>,
            0,
            true,
            {},
            least};
}

Traffic &extra_traffic(int number)
{
    return extra_traffics[static_cast<std::size_t>(number)];
}

std::vector<int> take_extra_runs()
{
    return std::exchange(extra_runs, {});
}

} // namespace nbrhood::test
