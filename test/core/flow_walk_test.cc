// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The messages of patterns that builders made, compared with a simulation that runs the patterns
// step by step as a call would, and with the graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "algorithms/common_neighbor/common_neighbor.h"
#include "analysis/lockstep.h"
#include "analysis/flow.h"
#include "support.h"

namespace nbrhood::test {
namespace {

// A message of the simulation, and the messages that it waits for.
struct Walked {
    FlowMessage message;
    std::set<std::size_t> needs;
};

// Runs each send as soon as its data has arrived, and records the messages.
class Walk {
public:
    Walk(const std::vector<Pattern> &patterns, const BlockBytes &bytes, const FlowLimits &limits)
        : patterns_(patterns), bytes_(bytes), limits_(limits), staging_(patterns.size(), 0),
          self_(patterns.size(), 0)
    {
        std::map<std::tuple<Rank, Rank, int>, std::vector<const Operation *>> receives;
        for (const Pattern &pattern : patterns) {
            for (const Operation &op : pattern.operations) {
                if (op.kind == OperationKind::receive) {
                    receives[{op.peer, pattern.rank, op.phase}].push_back(&op);
                }
            }
        }
        std::map<std::tuple<Rank, Rank, int>, std::size_t> used;
        for (const Pattern &pattern : patterns) {
            for (const Operation &op : pattern.operations) {
                if (op.kind == OperationKind::send) {
                    const std::tuple<Rank, Rank, int> channel{pattern.rank, op.peer, op.phase};
                    Pair pair;
                    pair.source = pattern.rank;
                    pair.send = &op;
                    pair.receive = receives.at(channel).at(used[channel]++);
                    pairs_.push_back(pair);
                }
            }
        }
        stage_own_blocks();
        for (bool progress = true; progress;) {
            progress = false;
            for (Pair &pair : pairs_) {
                progress = send(pair) || progress;
            }
        }
        number();
        copy();
    }

    const std::vector<Walked> &messages() const { return messages_; }
    std::uint64_t staging(Rank rank) const { return staging_[static_cast<std::size_t>(rank)]; }
    std::uint64_t self(Rank rank) const { return self_[static_cast<std::size_t>(rank)]; }

private:
    // A block or a part of one on a rank: the bytes of the block, and the pair of operations that
    // brought it.
    struct Block {
        std::uint64_t bytes;
        std::size_t pair;
    };
    struct Pair {
        Rank source = kNoRank;
        const Operation *send = nullptr;
        const Operation *receive = nullptr;
        std::vector<std::size_t> messages; // numbers of `sent`
        std::set<std::size_t> needs;       // pairs
        std::vector<FlowMessage> sent;
        bool done = false;
    };

    // A rank sends parts on as it received them.
    using Key = std::tuple<Rank, Space, std::uint32_t, std::uint16_t, std::uint16_t, std::uint16_t>;
    static Key key_of(Rank rank, const Slice &slice)
    {
        return {rank, slice.space, slice.block, slice.first, slice.last, slice.of};
    }

    // Each block of a run counts separately.
    static std::vector<Slice> blocks_of(const std::vector<Slice> &slices)
    {
        std::vector<Slice> blocks;
        for (Slice slice : slices) {
            for (std::uint32_t left = slice.count; left > 0; --left, ++slice.block) {
                blocks.push_back(slice);
                blocks.back().count = 1;
            }
        }
        return blocks;
    }

    static constexpr std::size_t kNoPair = static_cast<std::size_t>(-1);

    void stage_own_blocks()
    {
        for (const Pattern &pattern : patterns_) {
            for (const Operation &op : pattern.operations) {
                if (op.kind == OperationKind::copy && op.slices[0].space == Space::send
                    && op.slices[1].space == Space::staging) {
                    const std::uint64_t bytes = bytes_(pattern.rank, op.slices[0].block);
                    held_[key_of(pattern.rank, op.slices[1])] = Block{bytes, kNoPair};
                    staging_[static_cast<std::size_t>(pattern.rank)] +=
                        bytes > limits_.combining ? 0 : bytes;
                }
            }
        }
    }

    bool send(Pair &pair)
    {
        std::vector<std::uint64_t> sizes;
        if (pair.done) {
            return false;
        }
        for (const Slice &slice : blocks_of(pair.send->slices)) {
            if (slice.space == Space::send) {
                sizes.push_back(bytes_(pair.source, slice.block));
                continue;
            }
            const auto found = held_.find(key_of(pair.source, slice));
            if (found == held_.end()) {
                return false;
            }
            sizes.push_back(found->second.bytes);
            if (found->second.pair != kNoPair) {
                pair.needs.insert(found->second.pair);
            }
        }
        const std::vector<Slice> received = blocks_of(pair.receive->slices);
        FlowMessage form;
        form.source = pair.source;
        form.destination = pair.send->peer;
        form.phase = pair.send->phase;
        form.blocks = 1;
        FlowMessage together = form;
        together.blocks = 0;
        std::vector<FlowMessage> single;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const bool large = sizes[i] > limits_.combining;
            const Slice &to = received.at(i);
            form.bytes = to.size(sizes[i]);
            const bool in_bytes = travels_in_bytes(pair.send->carry, pair.send->phase);
            if (pair.send->carry == Carry::combined && !large && sizes[i] <= limits_.packing) {
                together.bytes += sizes[i];
                ++together.blocks;
            } else if (pair.send->carry == Carry::direct
                       || (pair.send->carry == Carry::direct_if_small
                               ? !large
                               : large == (pair.send->carry == Carry::direct_if_large))) {
                single.push_back(form);
            }
            if (in_bytes || pair.send->carry == Carry::combined
                || pair.send->carry == Carry::direct) {
                held_[key_of(form.destination, to)] =
                    Block{sizes[i], static_cast<std::size_t>(&pair - pairs_.data())};
            }
            if (to.space == Space::staging) {
                staging_[static_cast<std::size_t>(form.destination)] += large ? 0 : sizes[i];
            }
        }
        if (together.bytes > 0) {
            pair.sent.push_back(together);
        }
        pair.sent.insert(pair.sent.end(), single.begin(), single.end());
        pair.done = true;
        return true;
    }

    void number()
    {
        for (Pair &pair : pairs_) {
            for (const FlowMessage &message : pair.sent) {
                pair.messages.push_back(messages_.size());
                messages_.push_back(Walked{message, {}});
            }
        }
        for (const Pair &pair : pairs_) {
            for (const std::size_t own : pair.messages) {
                for (const std::size_t need : pair.needs) {
                    messages_[own].needs.insert(pairs_[need].messages.begin(),
                                                pairs_[need].messages.end());
                }
            }
        }
    }

    void copy()
    {
        for (const Pattern &pattern : patterns_) {
            for (const Operation &op : pattern.operations) {
                if (op.kind != OperationKind::copy) {
                    continue;
                }
                if (op.slices[0].space == Space::send) {
                    self_[static_cast<std::size_t>(pattern.rank)] +=
                        bytes_(pattern.rank, op.slices[0].block);
                    continue;
                }
                const Block &block = held_.at(key_of(pattern.rank, op.slices[0]));
                if (block.bytes > 0 && block.bytes <= limits_.combining) {
                    messages_[pairs_[block.pair].messages.at(0)].message.copied_bytes +=
                        block.bytes;
                }
            }
        }
    }

    const std::vector<Pattern> &patterns_;
    const BlockBytes &bytes_;
    const FlowLimits &limits_;
    std::vector<Pair> pairs_;
    std::vector<Walked> messages_;
    std::vector<std::uint64_t> staging_, self_; // by rank
    std::map<Key, Block> held_;
};

int depth_of(const std::vector<Walked> &messages, std::size_t number, std::vector<int> &known)
{
    if (known[number] == 0) {
        int before = 0;
        for (const std::size_t need : messages[number].needs) {
            before = std::max(before, depth_of(messages, need, known));
        }
        known[number] = before + 1;
    }
    return known[number];
}

void expect_equal(const Flow &flow, const Walk &walk)
{
    const auto &walked = walk.messages();
    ASSERT_EQ(flow.messages().size(), walked.size());
    std::vector<std::set<std::size_t>> needs(walked.size());
    for (std::uint32_t m = 0; m < walked.size(); ++m) {
        for (const std::uint32_t next : flow.feeds(m)) {
            EXPECT_TRUE(needs[next].insert(m).second) << "fed twice";
        }
    }
    std::vector<int> known(walked.size(), 0);
    int depth = 0;
    for (std::size_t m = 0; m < walked.size(); ++m) {
        const FlowMessage &found = flow.messages()[m];
        const FlowMessage &wanted = walked[m].message;
        ASSERT_EQ(std::tie(found.source, found.destination, found.phase, found.bytes, found.blocks,
                           found.copied_bytes),
                  std::tie(wanted.source, wanted.destination, wanted.phase, wanted.bytes,
                           wanted.blocks, wanted.copied_bytes));
        EXPECT_EQ(needs[m], walked[m].needs);
        EXPECT_EQ(found.waits_for, walked[m].needs.size());
        EXPECT_LE(flow.first_of(found.source), m);
        EXPECT_GT(flow.first_of(found.source + 1), m);
        depth = std::max(depth, depth_of(walked, m, known));
    }
    EXPECT_EQ(flow.depth(), depth);
    for (Rank rank = 0; rank < flow.ranks(); ++rank) {
        EXPECT_EQ(flow.staging_bytes(rank), walk.staging(rank));
        EXPECT_EQ(flow.self_bytes(rank), walk.self(rank));
    }
}

// The bytes that must enter each region, and those of self edges, computed from the graph. once:
// whether a rank's only block enters a region just once, and does not go through other regions.
void expect_bytes(const Flow &flow, const Graph &graph, const Machine &machine, BlockKind kind,
                  const BlockBytes &bytes, std::uint64_t combining, bool once)
{
    std::vector<std::uint64_t> needed(static_cast<std::size_t>(machine.regions()), 0);
    std::vector<std::uint64_t> entering(needed);
    std::set<std::pair<Rank, Region>> reached; // by a rank's only block, if it is combined
    for (const Neighbourhood &own : graph) {
        std::uint64_t self = 0;
        for (std::uint32_t slot = 0; slot < own.out.size(); ++slot) {
            const Rank peer = own.out[slot].peer;
            const std::uint64_t block = bytes(own.rank, kind == BlockKind::one_per_rank ? 0 : slot);
            if (peer == own.rank) {
                self += block;
            } else if (peer != kNoRank && !machine.local(own.rank, peer)) {
                const Region to = machine.region_of(peer);
                const bool shared = kind == BlockKind::one_per_rank && block <= combining;
                if (!shared || reached.insert({own.rank, to}).second) {
                    needed[static_cast<std::size_t>(to)] += block;
                }
            }
        }
        // Others may copy their own block to staging.
        EXPECT_GE(flow.self_bytes(own.rank), self);
        EXPECT_TRUE(!once || flow.self_bytes(own.rank) == self);
    }
    for (const FlowMessage &message : flow.messages()) {
        if (!machine.local(message.source, message.destination)) {
            entering[static_cast<std::size_t>(machine.region_of(message.destination))] +=
                message.bytes;
        }
    }
    for (std::size_t region = 0; region < needed.size(); ++region) {
        EXPECT_GE(entering[region], needed[region]);
        EXPECT_TRUE(!once || entering[region] == needed[region]);
    }
}

TEST(FlowWalk, FindsTheMessagesOfAllAlgorithms)
{
    std::size_t messages = 0, packed = 0, unpacked = 0, direct = 0, copied = 0;
    for (int seed = 0; seed < scaled(300); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 40);
        const Graph graph = random_graph(random, ranks);
        const Machine machine = random_machine(random, ranks);
        const Tuning tuning = random_tuning(random);
        const FlowLimits limits{static_cast<std::uint64_t>(draw(random, 0, 1000)),
                                static_cast<std::uint64_t>(draw(random, 0, 600))};
        const auto bytes = [&](Rank rank, std::uint32_t block) -> std::uint64_t {
            const std::uint64_t number = mix(static_cast<std::uint64_t>(rank) << 32 | block);
            return number % 5 == 0 ? 0 : number % 1200;
        };
        for (const Algorithm &algorithm : registry()) {
            for (const BlockKind kind : kinds_of(algorithm)) {
                SCOPED_TRACE("seed " + std::to_string(seed) + " " + algorithm.name + " kind "
                             + std::to_string(static_cast<int>(kind)));
                const GraphPatterns built = build_all(algorithm, kind, graph, machine, tuning);
                const Flow flow(built.patterns, bytes, limits);
                ASSERT_NO_FATAL_FAILURE(expect_equal(flow, Walk(built.patterns, bytes, limits)));
                // direct never leaves an edge out; rows for large blocks leave out edges with small
                // ones.
                const std::uint64_t shared = algorithm.make_builder == nullptr ? 0
                                             : algorithm.above != nullptr      ? UINT64_MAX
                                                                               : limits.combining;
                expect_bytes(flow, graph, machine, kind, bytes, shared,
                             enters_regions_once(algorithm));
                for (const FlowMessage &message : flow.messages()) {
                    ++messages;
                    packed += message.blocks > 1 ? 1 : 0;
                    direct += message.phase == kLarge ? 1 : 0;
                    unpacked += message.phase == kInter && message.bytes > limits.packing
                                        && message.blocks == 1
                                    ? 1
                                    : 0;
                    copied += message.copied_bytes > 0 ? 1 : 0;
                }
            }
        }
    }
    // The cases are useful only if all carries occur.
    for (const std::size_t count : {packed, unpacked, direct, copied}) {
        EXPECT_GT(count, messages / 1000);
    }
}

} // namespace
} // namespace nbrhood::test
