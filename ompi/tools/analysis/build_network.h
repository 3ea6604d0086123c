// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Carries the messages of builds beside a program (build/component_build) between all ranks in one
// process, for tests and tools.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "build/component_build.h"

namespace nbrhood {

constexpr int kChannels = 2;

// What a rank of a machine knows by itself.
OwnFacts own_facts(const Machine &machine, Rank rank);

// Messages arrive where they are expected; those of one pair of ranks and one channel in the order
// in which they were sent. Counts them, and keeps a logical clock on each rank: a message is of the
// round after the latest one that its sender had taken.
class BuildNetwork {
public:
    // by_round: every message takes as long as any other, and what ranks do takes no time.
    // at_random: messages take any time they like.
    enum class Order : std::uint8_t { by_round, at_random };
    using Words = std::vector<std::int32_t>;
    struct Delivery {
        Rank from = kNoRank;
        Rank to = kNoRank;
        Channel channel = Channel::wave;
        std::shared_ptr<const Words> words;
    };
    // What one rank did on one channel.
    struct Count {
        std::int64_t sent = 0; // messages
        std::int64_t bytes_sent = 0;
        std::int64_t bytes_received = 0;
        int rounds = 0; // the latest round of a message that it sent
    };
    using Counts = std::array<Count, kChannels>; // by channel

    BuildNetwork(std::size_t ranks, Order order, std::uint64_t seed = 0)
        : ranks_(ranks), order_(order), random_(seed)
    {}

    void send(Rank from, Rank to, Channel channel, const Words &words);
    // The receiver, `to`, takes one more message of this rank.
    void expect(Rank from, Rank to, Channel channel);
    // The next message that arrives; nothing where none can.
    std::optional<Delivery> take();

    // Nothing was sent that nobody expects, or expected that nobody sent.
    bool is_empty() const { return lines_[0].empty() && lines_[1].empty(); }
    // Of all ranks and channels.
    std::int64_t sent() const;
    const Counts &counts(Rank rank) const { return end(rank).counts; }

private:
    struct Letter {
        std::shared_ptr<const Words> words;
        int round = 0;
    };
    struct Line {
        std::vector<Letter> sent;
        std::size_t expected = 0;
    };
    struct Way {
        Rank from = kNoRank;
        Rank to = kNoRank;
        Channel channel = Channel::wave;
    };
    struct End {
        int round = 0; // of the latest message that the rank took
        Counts counts;
        std::weak_ptr<const Words> last; // that it took or sent
    };

    Line &line(const Way &way);
    End &end(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    const End &end(Rank rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
    std::shared_ptr<const Words> share(End &sender, const Words &words);
    void make_ready(const Way &way, const Letter &letter);
    std::optional<Way> next_way();

    std::vector<End> ranks_;
    Order order_;
    std::mt19937_64 random_;
    std::array<std::unordered_map<std::uint64_t, Line>, kChannels> lines_; // by channel and pair
    // A way for each message that is there and expected: at_random those of round 0.
    std::map<int, std::deque<Way>> ready_;
};

} // namespace nbrhood
