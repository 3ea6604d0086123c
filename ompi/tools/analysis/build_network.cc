// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/build_network.h"

#include <algorithm>
#include <utility>

namespace nbrhood {
namespace {

std::uint64_t pair_key(Rank from, Rank to)
{
    return std::uint64_t{static_cast<std::uint32_t>(from)} << 32 | static_cast<std::uint32_t>(to);
}

std::int64_t bytes_of(const BuildNetwork::Words &words)
{
    return static_cast<std::int64_t>(words.size() * sizeof(std::int32_t));
}

} // namespace

OwnFacts own_facts(const Machine &machine, Rank rank)
{
    const auto on_node = [rank](const Machine &nodes) {
        return nodes.members(nodes.region_of(rank));
    };
    return {machine.place(rank), machine.ranks(),
            machine.level() == Level::node ? on_node(machine) : on_node(machine.at(Level::node))};
}

void BuildNetwork::send(Rank from, Rank to, Channel channel, const Words &words)
{
    End &sender = end(from);
    const Way way{from, to, channel};
    Line &there = line(way);
    there.sent.push_back({share(sender, words), sender.round + 1});
    Count &count = sender.counts[static_cast<std::size_t>(channel)];
    ++count.sent;
    count.bytes_sent += bytes_of(words);
    count.rounds = std::max(count.rounds, sender.round + 1);
    if (there.sent.size() <= there.expected) {
        make_ready(way, there.sent.back());
    }
}

void BuildNetwork::expect(Rank from, Rank to, Channel channel)
{
    const Way way{from, to, channel};
    Line &there = line(way);
    if (++there.expected <= there.sent.size()) {
        make_ready(way, there.sent[there.expected - 1]);
    }
}

std::optional<BuildNetwork::Delivery> BuildNetwork::take()
{
    const std::optional<Way> way = next_way();
    if (!way) {
        return std::nullopt;
    }
    Line &there = line(*way);
    SentMessage message = std::move(there.sent.front());
    there.sent.erase(there.sent.begin());
    if (--there.expected == 0 && there.sent.empty()) {
        lines_[static_cast<std::size_t>(way->channel)].erase(pair_key(way->from, way->to));
    }
    End &receiver = end(way->to);
    receiver.round = std::max(receiver.round, message.round);
    receiver.last = message.words;
    receiver.counts[static_cast<std::size_t>(way->channel)].bytes_received +=
        bytes_of(*message.words);
    return Delivery{way->from, way->to, way->channel, std::move(message.words)};
}

std::int64_t BuildNetwork::sent() const
{
    std::int64_t sum = 0;
    for (const End &rank : ranks_) {
        for (const Count &count : rank.counts) {
            sum += count.sent;
        }
    }
    return sum;
}

BuildNetwork::Line &BuildNetwork::line(const Way &way)
{
    return lines_[static_cast<std::size_t>(way.channel)][pair_key(way.from, way.to)];
}

// Data that a rank passes on unchanged, or sends to several others, is in memory once, because
// tables of all ranks are large.
std::shared_ptr<const BuildNetwork::Words> BuildNetwork::share(End &sender, const Words &words)
{
    std::shared_ptr<const Words> last = sender.last.lock();
    if (last == nullptr || *last != words) {
        last = std::make_shared<const Words>(words);
        sender.last = last;
    }
    return last;
}

void BuildNetwork::make_ready(const Way &way, const SentMessage &message)
{
    // A message that came before its receive was posted is taken at once.
    const int round = order_ == Order::by_round ? std::max(message.round, end(way.to).round) : 0;
    ready_[round].push_back(way);
}

std::optional<BuildNetwork::Way> BuildNetwork::next_way()
{
    if (ready_.empty()) {
        return std::nullopt;
    }
    const auto first = ready_.begin();
    std::deque<Way> &ways = first->second;
    if (order_ == Order::at_random) {
        std::swap(ways[random_() % ways.size()], ways.front());
    }
    const Way way = ways.front();
    ways.pop_front();
    if (ways.empty()) {
        ready_.erase(first);
    }
    return way;
}

} // namespace nbrhood
