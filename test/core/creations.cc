// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "creations.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "algorithms/toolkit/checked_messages.h"
#include "analysis/build_network.h"

namespace nbrhood::test {
namespace {

constexpr int kWaits = 99;

// Whether words are those of a builder, behind the word that says whether it failed.
bool is_of_builder(const Message &message, Rank from)
{
    constexpr int kKinds = 32; // more than any builder has
    for (int kind = 0; kind < kKinds; ++kind) {
        try {
            CheckedMessages(message.peer).open(kind, Message{from, false, message.words});
            return true;
        } catch (const BadMessage &) { // another kind, if any
        }
    }
    return false;
}

class CreatingRank : public Post {
public:
    CreatingRank(const Neighbourhood &neighbourhood, const std::vector<Place> &places,
                 const Settings &settings, bool told, const ChangeMessage &change,
                 BuildNetwork &network)
        : rank_(neighbourhood.rank), locality_([&places, &settings, told, this](Rank peer) {
              const Place &own = places[static_cast<std::size_t>(rank_)];
              const Place &other = places[static_cast<std::size_t>(peer)];
              const Level region = settings.values.get(kRegion);
              return own.node != other.node ? Locality::elsewhere
                     : told && (region == Level::node || own.domain(region) == other.domain(region))
                         ? Locality::same_region
                         : Locality::same_node;
          }),
          change_(change), network_(network),
          build(neighbourhood, places[static_cast<std::size_t>(rank_)],
                static_cast<Rank>(places.size()), settings, locality_, *this)
    {}

    void send(Rank peer, Channel channel, std::vector<std::int32_t> words) override
    {
        Message message{peer, words.front() != 0, {words.begin() + 1, words.end()}};
        if (change_ && is_of_builder(message, rank_)) {
            change_(rank_, message);
            words.assign(1, message.failed ? 1 : 0);
            words.insert(words.end(), message.words.begin(), message.words.end());
        }
        network_.send(rank_, peer, channel, words);
    }
    void expect(Rank peer, Channel channel) override { network_.expect(peer, rank_, channel); }

private:
    Rank rank_;
    std::function<Locality(Rank)> locality_;
    const ChangeMessage &change_;
    BuildNetwork &network_;

public:
    CreationBuild build;
};

} // namespace

const Served &served_at(const ServedSizes &sizes, std::size_t bytes)
{
    return *std::find_if(sizes.begin(), sizes.end(),
                         [&](const Served &served) { return bytes <= served.most; });
}

void set_tuning(Settings &settings, const Tuning &tuning)
{
    settings.values = tuning.values;
    settings.ranks_per_core = tuning.ranks_per_core;
    settings.values.set(kBlockBytes, static_cast<std::size_t>(tuning.block_bytes));
}

void change_value(ParameterValues &values, const Parameter &parameter)
{
    if (parameter.type == ValueType::text) {
        values.set_text(parameter, values.text(parameter) + "node:6");
    } else {
        const std::int64_t value = values.number(parameter);
        values.set_number(parameter, value < parameter.range.most ? value + 1 : value - 1);
    }
}

Created create_all(const Graph &graph, const std::vector<Place> &places,
                   const std::vector<Settings> &settings, bool told, const ChangeMessage &change)
{
    Random random(graph.size());
    BuildNetwork network(graph.size(), BuildNetwork::Order::at_random, random());
    std::vector<std::unique_ptr<CreatingRank>> ranks;
    for (std::size_t r = 0; r < graph.size(); ++r) {
        ranks.push_back(
            std::make_unique<CreatingRank>(graph[r], places, settings[r], told, change, network));
    }
    std::vector<std::size_t> order(graph.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    const auto go_on = [](CreationBuild &build) {
        while (build.wants_turn()) {
            build.take_turn();
        }
    };
    for (const std::size_t r : order) {
        ranks[r]->build.begin();
        go_on(ranks[r]->build);
    }
    while (const std::optional<BuildNetwork::Delivery> message = network.take()) {
        CreationBuild &to = ranks[static_cast<std::size_t>(message->to)]->build;
        to.arrived(message->from, *message->words);
        go_on(to);
    }
    Created created;
    for (const auto &rank : ranks) {
        created.errors.push_back(rank->build.ended() ? 0 : kWaits);
        created.topologies.push_back(std::move(rank->build.topology()));
    }
    created.mail_left = !network.is_empty();
    return created;
}

Created create_all(const Graph &graph, const Machine &machine,
                   const std::vector<Settings> &settings, const ChangeMessage &change)
{
    std::vector<Place> places;
    places.reserve(static_cast<std::size_t>(machine.ranks()));
    for (Rank rank = 0; rank < machine.ranks(); ++rank) {
        places.push_back(machine.place(rank));
    }
    return create_all(graph, places, settings, true, change);
}

Created create_all(const Graph &graph, const Machine &machine, const Settings &settings)
{
    return create_all(graph, machine, std::vector<Settings>(graph.size(), settings));
}

} // namespace nbrhood::test
