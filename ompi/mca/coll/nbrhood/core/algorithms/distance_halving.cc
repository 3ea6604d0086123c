#include "algorithms/distance_halving.h"

#include <algorithm>
#include <array>

#include "algorithms/agent_choices.h"
#include "algorithms/counted_protocol.h"
#include "algorithms/delivery.h"
#include "algorithms/pattern_traffic.h"
#include "algorithms/roll_call.h"

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

// The letters, in the order of the protocol.
enum Kind : int {
    kRoll,
    kCalled,                                  // of the vote on the roll call
    kChoices = kCalled + TreeSum::kKinds,     // who is whose agent
    kReady = kChoices + AgentChoices::kKinds, // of the vote on these
    kNotices = kReady + TreeSum::kKinds,      // of the delivery
    kDuties                                   // of a rank, to its agent; + the step
};

class DistanceHalvingBuilder : public CountedProtocol {
public:
    explicit DistanceHalvingBuilder(const BuildInput &from)
        : CountedProtocol(from),
          buffer_(*from.neighbourhood, from.ranks, from.tuning.values.get(kHalvingPassOn),
                  from.tuning.block_bytes)
    {}

private:
    // What a rank does in its next superstep.
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

    // Where not all places are known, all learn them; and nobody goes on where one did not.
    Step call_roll(const std::vector<Message> &inbox)
    {
        if (!input().neighbourhood->has_edges()) {
            return Step{{}, {}, true};
        }
        known_ = input();
        if (input().surroundings->complete()) {
            return begin();
        }
        if (!roll_) {
            roll_.emplace(input(), kRoll);
        }
        if (auto step = deliver(*roll_, inbox)) {
            return *step;
        }
        known_.surroundings = &roll_->all();
        vote_.emplace(input(), kCalled, TreeSum::nothing());
        phase_ = Phase::called;
        return begin_if_called({});
    }

    Step begin_if_called(const std::vector<Message> &inbox)
    {
        if (auto step = deliver(*vote_, inbox)) {
            return *step;
        }
        return vote_->stopped() ? Step{{}, {}, true} : begin();
    }

    Step begin()
    {
        halves_.emplace(*known_.surroundings, parameter(kHalvingCut), parameter(kHalvingLeaf));
        position_ = halves_->position(self());
        own_halvings_ = halves_->of(position_);
        choices_.emplace(known_, *halves_, parameter(kHalvingOrigins), parameter(kHalvingSamples),
                         kChoices);
        phase_ = Phase::choose;
        return choose({});
    }

    Step choose(const std::vector<Message> &inbox)
    {
        if (auto step = deliver(*choices_, inbox)) {
            return *step;
        }
        vote_.emplace(input(), kReady, TreeSum::nothing());
        phase_ = Phase::vote;
        return vote({});
    }

    // Nobody waits for a rank that does not know its agents and origins. Nor does that rank go on,
    // whatever it is told of the vote.
    Step vote(const std::vector<Message> &inbox)
    {
        if (auto step = deliver(*vote_, inbox)) {
            return *step;
        }
        if (vote_->stopped() || choices_->choices().size() != own_halvings_.size()) {
            return Step{{}, {}, true};
        }
        phase_ = Phase::hand_over;
        return hand_over({});
    }

    // One step of halving: what the last one's origins handed over is here.
    Step hand_over(const std::vector<Message> &inbox)
    {
        for (const Message &from : inbox) {
            attempt([&] {
                buffer_.take_over(from.peer,
                                  open_letter(kDuties + static_cast<int>(step_) - 1, from));
            });
        }
        if (step_ == own_halvings_.size()) {
            return settle();
        }
        const Choice &choice = choices_->choices()[step_];
        const Halving &halving = own_halvings_[step_];
        Step step;
        if (choice.agent != kNoRank) {
            std::vector<std::int32_t> words;
            attempt([&] {
                const int half = halving.half_of(position_);
                words = buffer_.hand_over(choice.agent, [&](Rank rank) {
                    const int position = halves_->position(rank);
                    return halving.contains(position) && halving.half_of(position) != half;
                });
            });
            step.outbox.push_back(letter(kDuties + static_cast<int>(step_), choice.agent, words));
        }
        step.expect = choice.origins;
        ++step_;
        return step;
    }

    Step settle()
    {
        notices_.emplace(known_, halves_->order(), kNotices);
        attempt([&] {
            for (auto &[rank, words] : buffer_.settle()) {
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
                buffer_.note(notice.source, WordReader(notice.words));
            }
            Work &work = works().front();
            buffer_.write(work.pattern);
            const auto steps = static_cast<std::int64_t>(own_halvings_.size());
            work.totals =
                traffic_of(work.pattern, *input().neighbourhood, *known_.surroundings, steps + 1);
        });
        phase_ = Phase::conclude;
        return conclude({});
    }

    Phase phase_ = Phase::call;
    std::optional<RollCall> roll_;
    BuildInput known_; // with the places of all
    std::optional<Halves> halves_;
    int position_ = 0;
    std::vector<Halving> own_halvings_; // by step
    std::optional<AgentChoices> choices_;
    std::optional<TreeSum> vote_;
    std::size_t step_ = 0;
    MainBuffer buffer_;
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
    if (facts.ends) { // each sends to an agent, of one half to one of the other
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
