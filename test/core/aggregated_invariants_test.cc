// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Properties of aggregated patterns beyond their proof, counted independently of the builders.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "support.h"

namespace nbrhood::test {
namespace {

struct Counts {
    std::int64_t edges_local = 0, edges_nonlocal = 0;
    std::int64_t region_pairs = 0;    // ordered pairs that edges join
    std::int64_t component_pairs = 0; // the same for each component
    std::int64_t source_pairs = 0;    // pairs of a rank and a region to which it sends
    std::int64_t crossings = 0;       // blocks that must cross, each once for each region
};

Counts count_edges(const Graph &graph, const Machine &machine, const std::vector<Rank> &part,
                   BlockKind kind)
{
    Counts counts;
    std::set<std::pair<Rank, Region>> reached; // regions that a rank's blocks have reached
    std::set<std::pair<Region, Region>> pairs;
    std::set<std::tuple<Region, Region, Rank>> parts;
    for (const Neighbourhood &own : graph) {
        for (const EdgeEnd &end : own.out) {
            if (end.peer == kNoRank || end.peer == own.rank) {
                continue;
            }
            if (machine.local(own.rank, end.peer)) {
                ++counts.edges_local;
                continue;
            }
            ++counts.edges_nonlocal;
            const Region from = machine.region_of(own.rank);
            const Region to = machine.region_of(end.peer);
            pairs.insert({from, to});
            parts.insert({from, to, part[static_cast<std::size_t>(own.rank)]});
            reached.insert({own.rank, to});
        }
    }
    counts.region_pairs = static_cast<std::int64_t>(pairs.size());
    counts.component_pairs = static_cast<std::int64_t>(parts.size());
    counts.source_pairs = static_cast<std::int64_t>(reached.size());
    counts.crossings = kind == BlockKind::one_per_edge ? counts.edges_nonlocal
                                                       : static_cast<std::int64_t>(reached.size());
    return counts;
}

// The rank whose block each staging block holds, followed from message to message.
class Tracer {
public:
    explicit Tracer(const std::vector<Pattern> &patterns)
    {
        for (const Pattern &pattern : patterns) {
            for (const Operation &operation : pattern.operations) {
                if (operation.kind == OperationKind::receive) {
                    receives_[{operation.peer, pattern.rank, operation.phase}] = operation.slices;
                }
            }
        }
        for (std::uint8_t phase : {kGather, kInter}) {
            for (const Pattern &pattern : patterns) {
                for (const Operation &operation : pattern.operations) {
                    if (operation.kind == OperationKind::send && operation.phase == phase) {
                        follow(pattern.rank, operation);
                    }
                }
            }
        }
    }

    // The rank that owns the block of a slice that `rank` sends.
    Rank source(Rank rank, const Slice &slice) const
    {
        return slice.space == Space::send ? rank : staged_.at({rank, slice.block});
    }

private:
    void follow(Rank rank, const Operation &send)
    {
        const auto &to = receives_.at({rank, send.peer, send.phase});
        for (std::size_t s = 0; s < send.slices.size(); ++s) {
            if (to.at(s).space == Space::staging) {
                staged_[{send.peer, to[s].block}] = source(rank, send.slices[s]);
            }
        }
    }

    std::map<std::tuple<Rank, Rank, int>, std::vector<Slice>> receives_;
    std::map<std::pair<Rank, std::uint32_t>, Rank> staged_;
};

// The load of combined messages, and of local ones, inside regions and between them.
struct Found {
    std::int64_t messages_inside = 0, messages_between = 0, blocks_between = 0;
    Load busiest; // copies and numbers over all links only
};

// Adds the sends, receives and copies of a rank.
void add_ends(const Pattern &pattern, Load &busiest)
{
    Load own;
    for (const Operation &operation : pattern.operations) {
        const auto blocks = static_cast<std::int64_t>(operation.slices.size());
        if (operation.kind == OperationKind::copy) {
            own.copies += operation.slices[0].space == Space::staging ? 1 : 0;
        } else if (operation.phase != kLarge) {
            own.all_messages += 1;
            own.all_blocks += blocks;
            for (const Slice &slice : operation.slices) {
                const bool copied =
                    operation.kind == OperationKind::send || slice.space == Space::receive;
                own.copies += copied && blocks > 1 ? 1 : 0;
            }
        }
    }
    busiest.keep_greatest(own);
}

void check_traffic(const Construction &built, Scheme scheme, const Found &found,
                   const Counts &counts, bool connected)
{
    for (std::size_t r = 0; r < built.graph().size(); ++r) {
        if (!built.has_edges(r)) {
            continue;
        }
        const Traffic traffic = built.traffic(r);
        ASSERT_EQ(traffic.direct.local(), counts.edges_local);
        ASSERT_EQ(traffic.direct.nonlocal, counts.edges_nonlocal);
        ASSERT_EQ(traffic.direct.blocks_over(Link::network), counts.edges_nonlocal);
        ASSERT_EQ(traffic.relayed.nonlocal,
                  scheme == kTwoStep ? counts.source_pairs : counts.region_pairs);
        ASSERT_LE(traffic.relayed.nonlocal, found.messages_between);
        ASSERT_EQ(traffic.phases, scheme == kTwoStep ? 2 : 3);
        ASSERT_EQ(traffic.relayed.blocks_over(Link::network), found.blocks_between);
        if (connected) {
            ASSERT_EQ(traffic.relayed.local(), found.messages_inside);
            ASSERT_EQ(traffic.busiest_relayed.all_messages, found.busiest.all_messages);
            ASSERT_EQ(traffic.busiest_relayed.all_blocks, found.busiest.all_blocks);
            ASSERT_EQ(traffic.busiest_relayed.copies, found.busiest.copies);
        }
    }
}

// Whether the ranks with edges are one component.
bool is_connected(const Construction &built, const std::vector<Rank> &part)
{
    std::set<Rank> labels;
    for (std::size_t r = 0; r < part.size(); ++r) {
        if (built.has_edges(r)) {
            labels.insert(part[r]);
        }
    }
    return labels.size() < 2;
}

// Ranks that have in-edges and out-edges to others.
std::vector<bool> both_directions(const Graph &graph)
{
    std::vector<bool> both;
    for (const Neighbourhood &own : graph) {
        const auto leads_away = [&](const EdgeEnd &end) {
            return end.peer != kNoRank && end.peer != own.rank;
        };
        both.push_back(std::any_of(own.in.begin(), own.in.end(), leads_away)
                       && std::any_of(own.out.begin(), own.out.end(), leads_away));
    }
    return both;
}

// two_step: nothing is gathered, and a message from another region goes to a rank with both
// in-edges and out-edges if the receiving region has such a rank in the component.
void check_two_steps(const Construction &built, const std::vector<Pattern> &patterns,
                     const std::vector<Rank> &part)
{
    const std::vector<bool> both = both_directions(built.graph());
    for (std::size_t r = 0; r < patterns.size(); ++r) {
        for (const Operation &operation : patterns[r].operations) {
            ASSERT_NE(int{operation.phase}, int{kGather});
            if (operation.phase != kInter) {
                continue;
            }
            for (const Slice &slice : operation.slices) {
                ASSERT_TRUE(operation.kind == OperationKind::receive || slice.space == Space::send)
                    << "rank " << r << " sends what is not its own";
            }
            const auto &machine = built.machine();
            for (Rank other : machine.members(machine.region_of(static_cast<Rank>(r)))) {
                const auto o = static_cast<std::size_t>(other);
                ASSERT_TRUE(operation.kind == OperationKind::send || both[r] || !both[o]
                            || part[o] != part[r])
                    << "rank " << r << " relays, and not " << other;
            }
        }
    }
}

void check_invariants(Random &random, int ranks, const Tuning &tuning, Scheme scheme)
{
    const BlockKind kind = chance(random, 0.5) ? BlockKind::one_per_rank : BlockKind::one_per_edge;
    Construction built(random_graph(random, ranks), random_machine(random, ranks), tuning, kind,
                       scheme);
    const std::vector<Pattern> patterns = built.run();
    const std::vector<Rank> part = components_of(built.graph());
    const Machine &machine = built.machine();
    const Counts counts = count_edges(built.graph(), machine, part, kind);
    const Tracer tracer(patterns);
    // (region, region, component), or (source, region, component) in two steps
    std::set<std::tuple<std::int32_t, Region, Rank>> between;
    std::set<std::pair<Rank, Region>> entered; // regions that a rank's only block has reached
    Found found;
    for (std::size_t r = 0; r < patterns.size(); ++r) {
        const auto rank = static_cast<Rank>(r);
        if (!built.has_edges(r)) {
            ASSERT_TRUE(patterns[r].operations.empty()) << "rank " << r << " has no edges";
        }
        std::set<std::pair<Rank, int>> pairs;
        add_ends(patterns[r], found.busiest);
        for (const Operation &operation : patterns[r].operations) {
            if (operation.kind == OperationKind::send && operation.phase == kLocal) {
                ++found.messages_inside;
            }
            if (operation.kind != OperationKind::send || operation.carry != Carry::combined) {
                continue;
            }
            ASSERT_FALSE(operation.slices.empty());
            ASSERT_TRUE(pairs.insert({operation.peer, operation.phase}).second)
                << "two messages of rank " << r << " to " << operation.peer << " in phase "
                << int{operation.phase};
            for (const Slice &slice : operation.slices) {
                const auto source = static_cast<std::size_t>(tracer.source(rank, slice));
                ASSERT_EQ(part[r], part[source]);
                ASSERT_EQ(part[static_cast<std::size_t>(operation.peer)], part[source]);
            }
            const Region from = machine.region_of(rank);
            const Region to = machine.region_of(operation.peer);
            ASSERT_EQ(operation.phase == kInter, from != to);
            if (operation.phase == kInter) {
                ASSERT_TRUE(between.insert({scheme == kTwoStep ? rank : from, to, part[r]}).second)
                    << "rank " << rank << " sends a second message to region " << to;
                found.blocks_between += static_cast<std::int64_t>(operation.slices.size());
                for (const Slice &slice : operation.slices) {
                    const Rank source = tracer.source(rank, slice);
                    ASSERT_TRUE(kind == BlockKind::one_per_edge
                                || entered.insert({source, to}).second)
                        << "the block of rank " << source << " comes to region " << to << " twice";
                }
            } else {
                ++found.messages_inside;
            }
        }
    }
    found.messages_between = static_cast<std::int64_t>(between.size());
    ASSERT_EQ(found.messages_between,
              scheme == kTwoStep ? counts.source_pairs : counts.component_pairs);
    ASSERT_EQ(found.blocks_between, counts.crossings);
    check_traffic(built, scheme, found, counts, is_connected(built, part));
    if (scheme == kTwoStep) {
        check_two_steps(built, patterns, part);
    }
}

TEST(AggregatedInvariants, HoldOnRandomGraphs)
{
    for (int seed = 0; seed < scaled(12000) && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 3000000);
        const Tuning tuning = random_tuning(random);
        check_invariants(random, draw(random, 1, 24), tuning, kSchemes[seed % 2]);
    }
}

TEST(AggregatedInvariants, HoldOnGraphsOfFifties)
{
    for (int seed = 0; seed < scaled(400) && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 4000000);
        const Tuning tuning = random_tuning(random);
        check_invariants(random, draw(random, 40, 64), tuning, kSchemes[seed % 2]);
    }
}

// One region sends to few others and receives from many: the relays of both directions are the same
// ranks, so the direction with few messages has more relays than it needs.
TEST(AggregatedInvariants, TrafficCountsLocalMessagesWhereDirectionsDiffer)
{
    constexpr int kHub = 16;
    constexpr int kOthers = 64;
    Lists lists(kHub + kOthers);
    for (Rank rank = 0; rank < kHub; ++rank) {
        for (Rank other = kHub; other < kHub + kOthers; ++other) {
            lists.add(other, rank);
            if (other < kHub + 8) {
                lists.add(rank, other);
            }
        }
    }
    std::vector<int> nodes(kOthers + 1, 1);
    nodes[0] = kHub;
    Construction built(match(lists), make_machine(nodes), Tuning{});
    std::int64_t inside = 0;
    for (const Pattern &pattern : built.run()) {
        for (const Operation &operation : pattern.operations) {
            inside += operation.kind == OperationKind::send
                              && (operation.phase == kLocal || operation.phase == kGather
                                  || operation.phase == kRedistribute)
                          ? 1
                          : 0;
        }
    }
    EXPECT_EQ(built.traffic(0).relayed.local(), inside);
}

TEST(AggregatedInvariants, TheOrderOfStepsDoesNotMatter)
{
    for (int seed = 0; seed < scaled(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 5000000);
        const int ranks = draw(random, 2, 32);
        const Graph graph = random_graph(random, ranks);
        const Machine machine = random_machine(random, ranks);
        const Tuning tuning = random_tuning(random);
        const BlockKind kind = kKinds[seed % 2];
        const Scheme scheme = kSchemes[seed / 2 % 2];
        const auto in_order = Construction(graph, machine, tuning, kind, scheme).run();
        for (int again = 0; again < 3; ++again) {
            ASSERT_EQ(in_order, Construction(graph, machine, tuning, kind, scheme).run(random));
        }
    }
}

} // namespace
} // namespace nbrhood::test
