// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Example 2.1 of Collom, Li and Bienz (SC-W 2023): the messages between two regions of four ranks,
// counted by the performance variables.
#include "verify_duplicates.h"
#include "common_mpi_t.h"
#include "verify_regions.h"

#include <algorithm>
#include <array>
#include <map>

namespace nbrhood_test {

namespace {

constexpr int kRegion = 4;      // ranks in each of the two regions
constexpr int kValues = 2;      // values of each rank: the circle is number 0, the square number 1
constexpr int kEdges = 15;      // from one region to the other
constexpr int kSentValues = 19; // values in these messages together
constexpr int kWarmUp = 2, kCounted = 5; // starts

/// The ranks of the other region, 0 to 3, to which a rank sends each of its two values. The text
/// gives them for the first and the third rank, and says that there are 15 messages.
const std::array<std::array<std::vector<int>, kValues>, kRegion> kWanted = {{
    {{{1, 2}, {0, 1, 3}}},
    {{{0, 2}, {1, 2, 3}}},
    {{{0, 3}, {0, 1, 2}}},
    {{{0, 1}, {1, 3}}},
}};

/// The graph of the example in both directions between the first four ranks of two regions.
class Example {
public:
    explicit Example(int size);
    /// False if the machine does not have two regions of four ranks, or regions are not known.
    bool fits() const { return ranks_.size() == 2; }
    Topology topology() const { return Topology::dist_graph(neighbourhoods_); }
    /// The values that go over an edge.
    std::vector<int> values(Endpoint source) const
    {
        return values_.at({source.rank, source.slot});
    }

private:
    void connect(const std::vector<int> &from, const std::vector<int> &to);

    std::vector<std::vector<int>> ranks_; // of each region, in MPI_COMM_WORLD
    std::vector<Neighbourhood> neighbourhoods_;
    std::map<std::pair<int, int>, std::vector<int>> values_; // by rank and out-slot
};

Example::Example(int size) : neighbourhoods_(static_cast<std::size_t>(size))
{
    const std::vector<int> regions = find_regions(size);
    std::map<int, std::vector<int>> members;
    for (std::size_t rank = 0; rank < regions.size(); ++rank)
        members[regions[rank]].push_back(static_cast<int>(rank));
    for (auto &[region, ranks] : members) {
        if (ranks.size() >= kRegion && ranks_.size() < 2)
            ranks_.emplace_back(ranks.begin(), ranks.begin() + kRegion);
    }
    if (!fits())
        return;
    connect(ranks_[0], ranks_[1]);
    connect(ranks_[1], ranks_[0]);
}

void Example::connect(const std::vector<int> &from, const std::vector<int> &to)
{
    for (int i = 0; i < kRegion; ++i) {
        const auto source = static_cast<std::size_t>(from[static_cast<std::size_t>(i)]);
        for (int j = 0; j < kRegion; ++j) {
            std::vector<int> wanted;
            for (int value = 0; value < kValues; ++value) {
                const std::vector<int> &ranks =
                    kWanted[static_cast<std::size_t>(i)][static_cast<std::size_t>(value)];
                if (std::find(ranks.begin(), ranks.end(), j) != ranks.end())
                    wanted.push_back(value);
            }
            if (wanted.empty())
                continue;
            const int destination = to[static_cast<std::size_t>(j)];
            const auto slot = static_cast<int>(neighbourhoods_[source].out.size());
            values_[{static_cast<int>(source), slot}] = wanted;
            neighbourhoods_[source].out.push_back(destination);
            neighbourhoods_[static_cast<std::size_t>(destination)].in.push_back(
                static_cast<int>(source));
        }
    }
}

/// The messages and bytes that all ranks sent between regions in one start after the first ones.
struct Crossing {
    unsigned long long messages = 0;
    unsigned long long bytes = 0;
};

// Runs a persistent request, checks the received data, and counts in starts after the first ones.
Crossing count_crossing(Context &context, const Example &example, const EntryPoint &entry,
                        const SharedWorkload &workload)
{
    const Topology topology = example.topology();
    const Communicator comm = context.create(topology);
    Pending pending = make_shared_pending(context, entry, topology, workload, context.seed);
    pending.prepare(0);
    context.check(entry, pending.invoke(comm.get()));
    const auto start = [&](int round) {
        pending.prepare(round);
        if (context.check(entry, pending.start()))
            context.check(entry, pending.wait());
    };
    for (int round = 1; round <= kWarmUp; ++round)
        start(round);
    unsigned long long crossing[2] = {0, 0};
    {
        const Pvars pvars;
        context.expect(pvars.failure().empty(), pvars.failure());
        for (int round = kWarmUp + 1; round <= kWarmUp + kCounted; ++round)
            start(round);
        crossing[0] = pvars.count("messages_nonlocal");
        crossing[1] = pvars.count("bytes_nonlocal");
    }
    context.check(entry, pending.free());
    MPI_Allreduce(MPI_IN_PLACE, crossing, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    context.expect(crossing[0] % kCounted == 0 && crossing[1] % kCounted == 0,
                   "later starts differ in what crosses between regions");
    return {crossing[0] / kCounted, crossing[1] / kCounted};
}

/// The forms in which the example's values can be passed to the call.
enum class Interface { alltoallv, alltoallw, library };

bool relays(const Context &context)
{
    return context.algorithm == "aggregated" || context.algorithm == "two_step";
}

/// Runs the example if it fits the machine, the component is loaded and the messages of the
/// algorithm are known; otherwise there is nothing to count.
void with_example(Context &context, Interface interface, void (*judge)(Context &, const Crossing &))
{
    if (!Parameters().component_present() || !component_parameter("inject_failure").empty()
        || (context.algorithm != "direct" && !relays(context)))
        return;
    const Example example(context.size);
    if (!example.fits())
        return;
    SharedWorkload workload;
    workload.values = [&example](Endpoint source) { return example.values(source); };
    workload.in = interface == Interface::alltoallw ? ValuesIn::types
                  : interface == Interface::library ? ValuesIn::packed
                                                    : ValuesIn::windows;
    const EntryPoint &entry =
        interface == Interface::library
            ? library_entry_point()
            : entry_point(interface == Interface::alltoallw ? Operation::alltoallw
                                                            : Operation::alltoallv,
                          Variant::persistent);
    judge(context, count_crossing(context, example, entry, workload));
}

void expect_equal(Context &context, const char *what, unsigned long long got,
                  unsigned long long expected)
{
    context.expect(got == expected, std::to_string(got) + " " + what
                                        + " cross between regions in a start, not "
                                        + std::to_string(expected));
}

// In each direction: one message if a relay collects them, one of each rank in two_step, otherwise
// one per edge.
void judge_messages(Context &context, const Crossing &crossing)
{
    expect_equal(context, "messages", crossing.messages,
                 context.algorithm == "aggregated" ? 2
                 : context.algorithm == "two_step" ? 2 * kRegion
                                                   : 2 * kEdges);
}

// With relays each value crosses once in each direction; with direct, or if duplicates are not
// removed, once for each neighbour that receives it.
void judge_bytes(Context &context, const Crossing &crossing)
{
    const bool removed = relays(context) && component_parameter("remove_duplicates") != "0";
    const int values = removed ? kRegion * kValues : kSentValues;
    expect_equal(context, "bytes", crossing.bytes,
                 2ULL * static_cast<unsigned>(values) * sizeof(std::int64_t));
}

} // namespace

const std::vector<Case> &duplicate_traffic_cases()
{
    static const std::vector<Case> cases = {
        {"duplicates-example-messages",
         [](Context &c) { with_example(c, Interface::alltoallv, judge_messages); }},
        {"duplicates-example-bytes-alltoallv",
         [](Context &c) { with_example(c, Interface::alltoallv, judge_bytes); }},
        {"duplicates-example-bytes-alltoallw",
         [](Context &c) { with_example(c, Interface::alltoallw, judge_bytes); }},
        {"duplicates-example-bytes-library",
         [](Context &c) { with_example(c, Interface::library, judge_bytes); }},
    };
    return cases;
}

} // namespace nbrhood_test
