// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Relays share the messages and the bytes between regions, as far as the weights of edges tell
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support.h"

namespace nbrhood::test {
namespace {

constexpr int kRanks = 96;
constexpr int kRegion = 8; // ranks of each of the twelve regions
constexpr int kRelays = 4;

// The bytes that an edge carries; equal at both ends.
std::int64_t weight_of(Rank source, Rank destination, std::uint64_t seed)
{
    const std::uint64_t drawn = mix(
        seed
        ^ mix(static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(destination)));
    return drawn % 8 == 0 ? 5000 : 1 + static_cast<std::int64_t>(drawn >> 8) % 50;
}

// Whole regions differ in weight, too: the edges of the first region carry little.
std::int64_t volume_of(Rank source, Rank destination, std::uint64_t seed)
{
    return weight_of(source, destination, seed) * (source < kRegion ? 1 : 3);
}

void set_volumes(Graph &graph, std::uint64_t seed)
{
    for (Neighbourhood &own : graph) {
        std::vector<std::int32_t> in, out;
        for (const EdgeEnd &end : own.in) {
            in.push_back(static_cast<std::int32_t>(volume_of(end.peer, own.rank, seed)));
        }
        for (const EdgeEnd &end : own.out) {
            out.push_back(static_cast<std::int32_t>(volume_of(own.rank, end.peer, seed)));
        }
        set_weights(own, in, out);
    }
}

struct Share {
    std::int64_t greatest = 0; // load of a rank
    std::int64_t total = 0;
    std::int64_t largest = 0; // message
};

// The bytes on the edges between a rank (or, with three steps, its region) and a region.
class Volumes {
public:
    Volumes(const Graph &graph, const Machine &machine, Scheme scheme, std::uint64_t seed)
        : machine_(machine), scheme_(scheme)
    {
        for (const Neighbourhood &own : graph) {
            for (const EdgeEnd &end : own.out) {
                if (!machine.local(own.rank, end.peer)) {
                    of_[{sender(own.rank), machine.region_of(end.peer)}] +=
                        volume_of(own.rank, end.peer, seed);
                }
            }
        }
    }

    // The bytes of the message between two ranks.
    std::int64_t of(Rank from, Rank to) const
    {
        return of_.at({sender(from), machine_.region_of(to)});
    }

private:
    Rank sender(Rank rank) const { return scheme_ == kTwoStep ? rank : machine_.region_of(rank); }

    const Machine &machine_;
    Scheme scheme_;
    std::map<std::pair<Rank, Region>, std::int64_t> of_;
};

// The volume of the messages between regions that each rank of a region receives and, with three
// steps, sends: the volume that the region's leader could distribute.
std::map<Region, Share> shares(const std::vector<Pattern> &patterns, const Machine &machine,
                               const Volumes &volumes, Scheme scheme)
{
    std::map<Region, Share> found;
    for (const Pattern &pattern : patterns) {
        Share &share = found[machine.region_of(pattern.rank)];
        std::int64_t load = 0;
        for (const Operation &operation : pattern.operations) {
            if (operation.phase == kInter
                && (scheme == kThreeStep || operation.kind == OperationKind::receive)) {
                const bool sends = operation.kind == OperationKind::send;
                const std::int64_t volume = sends ? volumes.of(pattern.rank, operation.peer)
                                                  : volumes.of(operation.peer, pattern.rank);
                load += volume;
                share.largest = std::max(share.largest, volume);
            }
        }
        share.greatest = std::max(share.greatest, load);
        share.total += load;
    }
    return found;
}

// Every rank sends to and receives from many; each region has kRelays relays. Blocks so large that
// messages do not count.
TEST(Balance, RelaysShareTheBytesBetweenRegions)
{
    for (Scheme scheme : kSchemes) {
        std::int64_t with = 0, without = 0;
        for (int seed = 0; seed < scaled(40); ++seed) {
            SCOPED_TRACE("scheme " + std::to_string(scheme) + ", seed " + std::to_string(seed));
            const auto drawn = static_cast<std::uint64_t>(seed);
            Random random(drawn);
            Tuning tuning;
            tuning.values.set(kRelaysPerRegion, kRelays);
            tuning.block_bytes = 1e9;
            const Machine machine = make_machine(std::vector<int>(kRanks / kRegion, kRegion));
            Graph graph = match(dense_lists(random, kRanks, 0.3));
            const Volumes volumes(graph, machine, scheme, drawn);
            const auto blind =
                shares(Construction(graph, machine, tuning, BlockKind::one_per_edge, scheme).run(),
                       machine, volumes, scheme);
            set_volumes(graph, drawn);
            Construction built(graph, machine, tuning, BlockKind::one_per_edge, scheme);
            const std::vector<Pattern> patterns = built.run();
            ASSERT_TRUE(prove(patterns, graph, [](const Edge &) { return false; }).empty());
            for (const auto &[region, share] : shares(patterns, machine, volumes, scheme)) {
                if (scheme == kThreeStep) {
                    // The relays have no other load, so each message was assigned to a rank below
                    // the mean.
                    EXPECT_LE(share.greatest, share.total / kRelays + share.largest);
                }
                with += share.greatest;
                without += blind.at(region).greatest;
            }
        }
        EXPECT_LT(with, without) << "scheme " << scheme;
    }
}

// two_step: the messages that a rank sends for itself count, too.
TEST(Balance, ReceiversAreChosenByWhatTheySend)
{
    for (int seed = 0; seed < scaled(40); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto drawn = static_cast<std::uint64_t>(seed);
        Random random(drawn);
        Tuning tuning;
        tuning.block_bytes = 1e9;
        const Machine machine = make_machine(std::vector<int>(kRanks / kRegion, kRegion));
        Graph graph = match(dense_lists(random, kRanks, 0.3));
        set_volumes(graph, drawn);
        const Volumes volumes(graph, machine, kTwoStep, drawn);
        Construction built(graph, machine, tuning, BlockKind::one_per_edge, kTwoStep);
        std::map<Region, Share> all;
        std::map<Region, std::int64_t> most_sent;
        for (const Pattern &pattern : built.run()) {
            const Region region = machine.region_of(pattern.rank);
            std::int64_t sent = 0, received = 0;
            for (const Operation &operation : pattern.operations) {
                if (operation.phase == kInter && operation.kind == OperationKind::send) {
                    sent += volumes.of(pattern.rank, operation.peer);
                } else if (operation.phase == kInter) {
                    const std::int64_t volume = volumes.of(operation.peer, pattern.rank);
                    received += volume;
                    all[region].largest = std::max(all[region].largest, volume);
                }
            }
            most_sent[region] = std::max(most_sent[region], sent);
            all[region].greatest = std::max(all[region].greatest, sent + received);
            all[region].total += sent + received;
        }
        for (const auto &[region, share] : all) {
            EXPECT_LE(share.greatest,
                      std::max(most_sent[region], share.total / kRegion + share.largest) + kRanks)
                << "region " << region;
        }
    }
}

// Invalid weights, or weights that add up to more than 32 bits, change only the choice of relays.
TEST(Balance, AbsurdWeightsAreHarmless)
{
    Random random(3);
    for (Scheme scheme : kSchemes) {
        for (std::int32_t weight : {-7, 0, kGreatestWeight, 2147483647}) {
            Graph graph = match(dense_lists(random, kRanks, 0.9));
            for (Neighbourhood &own : graph) {
                set_weights(own, std::vector<std::int32_t>(own.in.size(), weight),
                            std::vector<std::int32_t>(own.out.size(), weight));
            }
            Tuning tiny;
            tiny.block_bytes = 1;
            Construction built(graph, make_machine(std::vector<int>(kRanks / kRegion, kRegion)),
                               tiny, BlockKind::one_per_edge, scheme);
            const auto patterns = built.run();
            EXPECT_TRUE(prove(patterns, graph, [](const Edge &) { return false; }).empty());
        }
    }
}

} // namespace
} // namespace nbrhood::test
