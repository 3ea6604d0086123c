// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "delivery_support.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "algorithms/toolkit/protocol.h"

namespace nbrhood::test {

namespace {

bool operator==(const Delivered &a, const Delivered &b)
{
    return a.source == b.source && a.words == b.words;
}

bool equal(const std::vector<Delivered> &a, const std::vector<Delivered> &b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Delivered &x, const Delivered &y) { return x == y; });
}

std::vector<std::int32_t> answer_to(const std::vector<std::int32_t> &words, Rank self)
{
    std::vector<std::int32_t> answer = words;
    answer.push_back(self);
    return answer;
}

// Changes the messages of another builder.
class Changing : public Builder {
public:
    Changing(std::unique_ptr<Builder> inner, Rank self, ChangeMessage change)
        : inner_(std::move(inner)), self_(self), change_(std::move(change))
    {}
    Step step(const std::vector<Message> &inbox) override
    {
        Step step = inner_->step(inbox);
        for (Message &message : step.outbox) {
            change_(self_, message);
        }
        return step;
    }
    Outcome outcome(std::size_t task) const override { return inner_->outcome(task); }
    Traffic traffic(std::size_t task) const override { return inner_->traffic(task); }
    bool one_size() const override { return inner_->one_size(); }
    Pattern take_pattern(std::size_t task) override { return inner_->take_pattern(task); }

private:
    std::unique_ptr<Builder> inner_;
    Rank self_;
    ChangeMessage change_;
};

} // namespace

std::vector<Sent> random_messages(Random &random, const std::vector<Rank> &ranks)
{
    const auto any = [&] { return ranks[random() % ranks.size()]; };
    const int kind = draw(random, 0, 4);
    const Rank hot = any();
    const int most = kind == 4 ? 2 * static_cast<int>(std::min<std::size_t>(ranks.size(), 64)) : 3;
    std::vector<Sent> messages;
    for (const Rank source : ranks) {
        const int count = kind == 0 ? 0 : draw(random, 0, most);
        for (int i = 0; i < count; ++i) {
            const Rank destination = chance(random, 0.1) ? source : kind == 1 ? hot : any();
            std::vector<std::int32_t> words(static_cast<std::size_t>(draw(random, 0, 5)));
            for (std::int32_t &word : words) {
                word = static_cast<std::int32_t>(random());
            }
            messages.push_back({source, destination, std::move(words)});
        }
    }
    return messages;
}

std::vector<Rank> random_participants(Random &random, int ranks)
{
    std::vector<Rank> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    if (chance(random, 0.5)) {
        std::shuffle(all.begin(), all.end(), random);
        all.resize(static_cast<std::size_t>(draw(random, 1, ranks)));
    }
    return all;
}

// A protocol as builders write it: two deliveries, the second with answers to the messages of the
// first.
class DeliveryWorld::Correspondent : public Protocol {
public:
    Correspondent(const BuildInput &from, const DeliveryWorld &world)
        : Protocol(from), world_(world)
    {}

    Received received;

private:
    Step advance(const std::vector<Message> &inbox) override
    {
        if (!input().known_ranks->knows(self())) {
            return Step{{}, {}, true};
        }
        const std::vector<Rank> &all = world_.participants_;
        if (!messages_) {
            messages_.emplace(input(), all, kMessages);
            attempt([&] {
                for (const Sent &message : world_.sent_[static_cast<std::size_t>(self())]) {
                    messages_->send(message.destination, message.words);
                }
            });
        }
        if (!answers_) {
            if (const auto step = deliver(*messages_, inbox)) {
                return *step;
            }
            received.messages = messages_->take();
            answers_.emplace(input(), all, kAnswers);
            attempt([&] {
                for (const Delivered &message : received.messages) {
                    answers_->send(message.source, answer_to(message.words, self()));
                }
            });
            return go_on({});
        }
        return go_on(inbox);
    }

    Step go_on(const std::vector<Message> &inbox)
    {
        if (const auto step = deliver(*answers_, inbox)) {
            return *step;
        }
        received.answers = answers_->take();
        return Step{{}, {}, true};
    }

    const DeliveryWorld &world_;
    std::optional<Delivery> messages_;
    std::optional<Delivery> answers_;
};

DeliveryWorld::DeliveryWorld(Machine machine, double ranks_per_core, std::vector<Rank> participants,
                             std::vector<Sent> messages)
    : machine_(std::move(machine)), participants_(std::move(participants)),
      ranks_(static_cast<std::size_t>(machine_.ranks())), sent_(ranks_.size()),
      expected_(ranks_.size())
{
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        ranks_[r].rank = static_cast<Rank>(r);
    }
    std::vector<char> takes_part(ranks_.size(), 0);
    for (const Rank rank : participants_) {
        takes_part[static_cast<std::size_t>(rank)] = 1;
    }
    known_ranks_ = KnownRanks(machine_, takes_part);
    input_.known_ranks = &known_ranks_;
    input_.ranks = machine_.ranks();
    input_.tuning.ranks_per_core = ranks_per_core;
    input_.tasks = {Task{}};
    // Sorts by destination and source, so that all lists have the order that deliveries promise.
    std::stable_sort(messages.begin(), messages.end(), [](const Sent &a, const Sent &b) {
        return std::make_pair(a.destination, a.source) < std::make_pair(b.destination, b.source);
    });
    for (const Sent &message : messages) {
        sent_[static_cast<std::size_t>(message.source)].push_back(message);
        expected_[static_cast<std::size_t>(message.destination)].messages.push_back(
            {message.source, message.words});
        expected_[static_cast<std::size_t>(message.source)].answers.push_back(
            {message.destination, answer_to(message.words, message.destination)});
    }
}

void DeliveryWorld::start(Rank fail_rank, int fail_step, const ChangeMessage &change)
{
    builders_.clear();
    correspondents_.clear();
    for (const Neighbourhood &own : ranks_) {
        BuildInput input = input_;
        input.neighbourhood = &own;
        input.fail_in_step = own.rank == fail_rank ? fail_step : -1;
        auto correspondent = std::make_unique<Correspondent>(input, *this);
        correspondents_.push_back(correspondent.get());
        if (change) {
            builders_.push_back(
                std::make_unique<Changing>(std::move(correspondent), own.rank, change));
        } else {
            builders_.push_back(std::move(correspondent));
        }
    }
}

int DeliveryWorld::groups() const
{
    std::map<std::int32_t, int> on_node;
    for (const Rank rank : participants_) {
        ++on_node[machine_.place(rank).node];
    }
    const int most = static_cast<int>(Delivery::kGroup);
    int groups = 0;
    for (const auto &node : on_node) {
        groups += input_.tuning.ranks_per_core > 1 ? 1 : (node.second + most - 1) / most;
    }
    return groups;
}

bool DeliveryWorld::failed(Rank rank) const
{
    return correspondents_[static_cast<std::size_t>(rank)]->outcome(0) == Outcome::failed;
}

Received DeliveryWorld::received(Rank rank) const
{
    return correspondents_[static_cast<std::size_t>(rank)]->received;
}

std::string DeliveryWorld::fault() const
{
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        const Received &got = correspondents_[r]->received;
        if (!failed(static_cast<Rank>(r))
            && !(equal(got.messages, expected_[r].messages)
                 && equal(got.answers, expected_[r].answers))) {
            return "rank " + std::to_string(r) + " did not get what was sent to it, in order";
        }
    }
    return {};
}

} // namespace nbrhood::test
