// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Carries the messages of builds while a program runs (build/component_build) between all ranks in
// one process, for tests and tools.
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

// The facts that a rank of a machine knows by itself.
OwnFacts own_facts(const Machine &machine, Rank rank);

// A message arrives when its receiver expects it; messages of one pair of ranks and one channel
// arrive in the order in which they were sent. The network counts messages and keeps a logical
// clock on each rank: the round of a message is one more than that of the latest message that its
// sender had taken.
class BuildNetwork {
public:
    // by_round: all messages take the same time, and the work of ranks takes none. at_random:
    // messages take random times.
    enum class Order : std::uint8_t { by_round, at_random };
    using Words = std::vector<std::int32_t>;
    struct Delivery {
        Rank from = kNoRank;
        Rank to = kNoRank;
        Channel channel = Channel::wave;
        std::shared_ptr<const Words> words;
    };
    // The messages of one rank on one channel.
    struct Count {
        std::int64_t sent = 0; // messages
        std::int64_t bytes_sent = 0;
        std::int64_t bytes_received = 0;
        int rounds = 0; // the latest round of a message that the rank sent
    };
    using Counts = std::array<Count, kChannels>; // by channel

    BuildNetwork(std::size_t ranks, Order order, std::uint64_t seed = 0)
        : ranks_(ranks), order_(order), random_(seed)
    {}

    void send(Rank from, Rank to, Channel channel, const Words &words);
    // The receiver, `to`, expects one more message of this rank.
    void expect(Rank from, Rank to, Channel channel);
    // The next message that arrives; nothing if none can arrive.
    std::optional<Delivery> take();

    // Whether every message that was sent was expected, and every expected message was sent.
    bool is_empty() const { return lines_[0].empty() && lines_[1].empty(); }
    // The sum over all ranks and channels.
    std::int64_t sent() const;
    const Counts &counts(Rank rank) const { return end(rank).counts; }

private:
    struct SentMessage {
        std::shared_ptr<const Words> words;
        int round = 0;
    };
    struct Line {
        std::vector<SentMessage> sent;
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
        std::weak_ptr<const Words> last; // of the latest message that the rank took or sent
    };

    Line &line(const Way &way);
    End &end(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    const End &end(Rank rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
    std::shared_ptr<const Words> share(End &sender, const Words &words);
    void make_ready(const Way &way, const SentMessage &message);
    std::optional<Way> next_way();

    std::vector<End> ranks_;
    Order order_;
    std::mt19937_64 random_;
    std::array<std::unordered_map<std::uint64_t, Line>, kChannels> lines_; // by channel and pair
    // One entry for each message that was sent and is expected; with at_random they all have round
    // 0.
    std::map<int, std::deque<Way>> ready_;
};

} // namespace nbrhood
