// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/distance_halving/distance_halving.h"

#include <algorithm>
#include <array>

#include "algorithms/distance_halving/agent_choices.h"
#include "algorithms/toolkit/counted_protocol.h"
#include "algorithms/toolkit/delivery.h"
#include "algorithms/toolkit/pattern_traffic.h"

namespace nbrhood {

const char *cut_name(int value)
{
    constexpr std::array<const char *, 2> kNames{"count", "border"};
    return value >= 0 && value < 2 ? kNames[static_cast<std::size_t>(value)] : nullptr;
}

const char *leaf_name(int value)
{
    constexpr std::array<const char *, 2> kNames{"socket", "node"};
    return value >= 0 && value < 2 ? kNames[static_cast<std::size_t>(value)] : nullptr;
}

const char *pass_on_name(int value)
{
    constexpr std::array<const char *, 3> kNames{"cheaper", "needed", "all"};
    return value >= 0 && value < 3 ? kNames[static_cast<std::size_t>(value)] : nullptr;
}

namespace {

// The messages, in the order of the protocol.
enum : int {
    kRoll,                                     // the places of ranks
    kCalled = kRoll + TreeExchange::kKinds,    // of the vote on the roll call
    kChoices = kCalled + TreeExchange::kKinds, // agents and origins
    kReady = kChoices + AgentChoices::kKinds,  // of the vote on the choices
    kNotices = kReady + TreeExchange::kKinds,  // of the delivery
    kHandOver                                  // of a rank, to its agent; + the step
};

class DistanceHalvingBuilder : public CountedProtocol {
public:
    explicit DistanceHalvingBuilder(const BuildInput &from)
        : CountedProtocol(from),
          held_blocks_(*from.neighbourhood, from.ranks, from.tuning.values.get(kHalvingPassOn),
                       from.tuning.block_bytes)
    {}

private:
    // The next superstep of a rank.
    enum class Phase { call, called, choose, vote, hand_over, notify, conclude };

    Step advance(const std::vector<Message> &inbox) override
    {
        switch (phase_) {
        case Phase::call:
            return call_roll(inbox);
        case Phase::called:
            return begin_if_called(inbox);
        case Phase::choose:
            return choose(inbox);
        case Phase::vote:
            return vote(inbox);
        case Phase::hand_over:
            return hand_over(inbox);
        case Phase::notify:
            return notify(inbox);
        case Phase::conclude:
            return conclude(inbox);
        }
        return Step{{}, {}, true};
    }

    template <typename Value>
    Value parameter(const Typed<Value> &which) const
    {
        return input().tuning.values.get(which);
    }

    // Places that ranks know go up the tree, and those of all ranks come down: five words for each
    // rank. Only an algorithm for dense graphs can afford that: there ranks hold lists of
    // neighbours of similar length in any case.
    TreeExchange::Terms roll_call()
    {
        const auto put = [this](WordWriter &words) {
            for (const Rank rank : all_.ranks()) {
                words.put(rank);
                all_.of(rank).put(words);
            }
        };
        const auto take = [this](WordReader &words) {
            while (words.left() != 0) {
                const Rank rank = words.take(0, input().ranks - 1);
                all_.add(rank, RankPlace::take(words));
            }
        };
        TreeExchange::Terms terms;
        terms.put_up = put;
        terms.add_up = [take](Rank, WordReader &words) { take(words); };
        terms.put_down = [put](Rank, WordWriter &words) { put(words); };
        terms.take_down = take;
        return terms;
    }

    // If not all places are known, all ranks learn them. If some rank does not, no rank goes on.
    Step call_roll(const std::vector<Message> &inbox)
    {
        if (!input().neighbourhood->has_edges()) {
            return Step{{}, {}, true};
        }
        known_ = input();
        if (input().known_ranks->complete()) {
            return begin();
        }
        if (!exchange_) {
            all_.add(self(), input().known_ranks->of(self()));
            exchange_.emplace(input(), input().tree, kRoll, roll_call());
        }
        if (auto step = deliver(*exchange_, inbox)) {
            return *step;
        }
        all_.set_complete();
        known_.known_ranks = &all_;
        exchange_.emplace(input(), input().tree, kCalled, TreeExchange::Terms());
        phase_ = Phase::called;
        return begin_if_called({});
    }

    Step begin_if_called(const std::vector<Message> &inbox)
    {
        if (auto step = deliver(*exchange_, inbox)) {
            return *step;
        }
        return exchange_->stopped() ? Step{{}, {}, true} : begin();
    }

    Step begin()
    {
        halving_tree_.emplace(*known_.known_ranks, parameter(kHalvingCut), parameter(kHalvingLeaf));
        position_ = halving_tree_->position(self());
        own_halvings_ = halving_tree_->of(position_);
        choices_.emplace(known_, *halving_tree_, parameter(kHalvingOrigins),
                         parameter(kHalvingSamples), kChoices);
        phase_ = Phase::choose;
        return choose({});
    }

    Step choose(const std::vector<Message> &inbox)
    {
        if (auto step = deliver(*choices_, inbox)) {
            return *step;
        }
        exchange_.emplace(input(), input().tree, kReady, TreeExchange::Terms());
        phase_ = Phase::vote;
        return vote({});
    }

    // After the vote no rank waits for a rank that does not know its agents and origins. That rank
    // ends, too, whatever the vote says.
    Step vote(const std::vector<Message> &inbox)
    {
        if (auto step = deliver(*exchange_, inbox)) {
            return *step;
        }
        if (exchange_->stopped() || choices_->choices().size() != own_halvings_.size()) {
            return Step{{}, {}, true};
        }
        phase_ = Phase::hand_over;
        return hand_over({});
    }

    // One step of halving, with the words that the origins of the last step handed over.
    Step hand_over(const std::vector<Message> &inbox)
    {
        for (const Message &from : inbox) {
            attempt([&] {
                held_blocks_.take_over(from.peer,
                                       open_message(kHandOver + static_cast<int>(step_) - 1, from));
            });
        }
        if (step_ == own_halvings_.size()) {
            return announce_final_messages();
        }
        const Choice &choice = choices_->choices()[step_];
        const Halving &halving = own_halvings_[step_];
        Step step;
        if (choice.agent != kNoRank) {
            std::vector<std::int32_t> words;
            attempt([&] {
                const int half = halving.half_of(position_);
                words = held_blocks_.hand_over(choice.agent, [&](Rank rank) {
                    const int position = halving_tree_->position(rank);
                    return halving.contains(position) && halving.half_of(position) != half;
                });
            });
            step.outbox.push_back(
                write_message(kHandOver + static_cast<int>(step_), choice.agent, words));
        }
        step.expect = choice.origins;
        ++step_;
        return step;
    }

    Step announce_final_messages()
    {
        notices_.emplace(known_, halving_tree_->order(), kNotices);
        attempt([&] {
            for (auto &[rank, words] : held_blocks_.final_messages()) {
                notices_->send(rank, words);
            }
        });
        phase_ = Phase::notify;
        return notify({});
    }

    Step notify(const std::vector<Message> &inbox)
    {
        if (auto step = deliver(*notices_, inbox)) {
            return *step;
        }
        attempt([&] {
            for (const Delivered &notice : notices_->take()) {
                held_blocks_.note(notice.source, WordReader(notice.words));
            }
            Work &work = works().front();
            held_blocks_.write(work.pattern);
            const auto steps = static_cast<std::int64_t>(own_halvings_.size());
            work.totals =
                traffic_of(work.pattern, *input().neighbourhood, *known_.known_ranks, steps + 1);
        });
        phase_ = Phase::conclude;
        return conclude({});
    }

    Phase phase_ = Phase::call;
    std::optional<TreeExchange> exchange_; // the roll call, then the votes
    KnownRanks all_;                       // result of the roll call
    BuildInput known_;                     // with the places of all
    std::optional<HalvingTree> halving_tree_;
    int position_ = 0;
    std::vector<Halving> own_halvings_; // by step
    std::optional<AgentChoices> choices_;
    std::size_t step_ = 0;
    HeldBlocks held_blocks_;
    std::optional<Delivery> notices_;
};

} // namespace

std::optional<Traffic> least_by_halving(const Facts &facts)
{
    if (facts.regions < 2 || facts.edges_nonlocal == 0) {
        return std::nullopt;
    }
    Traffic traffic;
    traffic.phases = 2;
    const Link link = facts.edges_nonlocal > facts.edges_network ? Link::node : Link::network;
    if (facts.ends) { // each sends to an agent in the other half
        const std::int64_t senders = std::max<std::int64_t>(1, facts.ends->nonlocal_senders);
        const std::int64_t share = std::max<std::int64_t>(1, senders / facts.ranks_with_edges);
        traffic.relayed.add(link, false, senders, senders);
        traffic.busiest_relayed.add(link, false, 2 * share, 2 * share);
    } else {
        traffic.relayed.add(link, false, 1, 1);
        traffic.busiest_relayed = traffic.relayed;
    }
    return traffic;
}

std::unique_ptr<Builder> make_distance_halving_builder(const BuildInput &input)
{
    return std::make_unique<DistanceHalvingBuilder>(input);
}

} // namespace nbrhood
