#include "algorithms/aggregated.h"

#include <algorithm>
#include <stdexcept>

#include "algorithms/direct.h"
#include "algorithms/region_edges.h"

namespace nbrhood {

Traffic &Traffic::operator+=(const Traffic &other)
{
    edges_local += other.edges_local;
    edges_nonlocal += other.edges_nonlocal;
    relayed_local += other.relayed_local;
    relayed_nonlocal += other.relayed_nonlocal;
    return *this;
}

namespace {

constexpr std::size_t kTrafficWords = 8;

void encode_traffic(const Traffic &traffic, std::vector<std::int32_t> &words)
{
    for (std::int64_t value : {traffic.edges_local, traffic.edges_nonlocal, traffic.relayed_local,
                               traffic.relayed_nonlocal}) {
        words.push_back(static_cast<std::int32_t>(value & 0xffffffff));
        words.push_back(static_cast<std::int32_t>(value >> 32));
    }
}

Traffic decode_traffic(const std::int32_t *words)
{
    const auto value = [&](int i) {
        return static_cast<std::int64_t>(words[2 * i + 1]) << 32
               | static_cast<std::uint32_t>(words[2 * i]);
    };
    return Traffic{value(0), value(1), value(2), value(3)};
}

class AggregatedBuilder : public Builder {
public:
    explicit AggregatedBuilder(const BuildInput &input)
        : input_(input), self_(input.neighbourhood->rank),
          edges_(*input.machine, input.machine->region_of(self_), input.tuning)
    {
        pattern_.rank = self_;
    }

    Step step(const std::vector<Message> &inbox) override
    {
        const int now = next_step_++;
        if (now == 0) {
            return start();
        }
        if (self_ != leader_) {
            return finish_member(inbox.at(0));
        }
        switch (phase_) {
        case LeaderPhase::collect:
            return collect(now, inbox);
        case LeaderPhase::labels:
            return spread(now, inbox.at(0));
        case LeaderPhase::relays:
            return finish_leader(now, inbox);
        }
        return Step{{}, {}, true};
    }

    Outcome outcome() const override { return outcome_; }
    Traffic traffic() const override { return totals_; }
    Pattern take_pattern() override { return std::move(pattern_); }

private:
    enum class LeaderPhase { collect, labels, relays };

    // Runs a part of the construction; a failure is remembered and told to the others.
    template <typename Part>
    void attempt(int step, const Part &part)
    {
        if (outcome_ == Outcome::failed) {
            return;
        }
        try {
            if (step == input_.fail_in_step) {
                throw std::runtime_error("injected failure");
            }
            part();
        } catch (const std::exception &) {
            outcome_ = Outcome::failed;
        }
    }

    bool has_edges(Rank rank) const
    {
        return (*input_.has_edges)[static_cast<std::size_t>(rank)] != 0;
    }

    Rank leader_of(Region region) const
    {
        const auto &ranks = input_.machine->members(region);
        const auto found =
            std::find_if(ranks.begin(), ranks.end(), [&](Rank r) { return has_edges(r); });
        return found == ranks.end() ? kNoRank : *found;
    }

    Message message(Rank peer, std::vector<std::int32_t> words) const
    {
        const bool failed = outcome_ == Outcome::failed;
        return Message{peer, failed, failed ? std::vector<std::int32_t>() : std::move(words)};
    }

    Step start()
    {
        if (!has_edges(self_)) {
            return Step{{}, {}, true};
        }
        const Region own = input_.machine->region_of(self_);
        leader_ = leader_of(own);
        std::vector<std::int32_t> words;
        attempt(0, [&] { words = RegionEdges::encode(*input_.neighbourhood); });
        Step result;
        if (self_ != leader_) {
            result.outbox.push_back(message(leader_, std::move(words)));
            result.expect.push_back(leader_);
            return result;
        }
        for (Rank member : input_.machine->members(own)) {
            if (member != self_ && has_edges(member)) {
                members_.push_back(member);
            }
        }
        find_tree();
        result.expect = members_;
        result.expect.insert(result.expect.end(), children_.begin(), children_.end());
        attempt(0, [&] { edges_.add_member(self_, words); });
        return result.expect.empty() ? collect(1, {}) : result;
    }

    // The place of this leader in the binomial tree over all leaders.
    void find_tree()
    {
        std::vector<Rank> leaders;
        for (Region region = 0; region < input_.machine->regions(); ++region) {
            const Rank leader = leader_of(region);
            if (leader != kNoRank) {
                leaders.push_back(leader);
            }
        }
        const auto own = static_cast<std::size_t>(std::find(leaders.begin(), leaders.end(), self_)
                                                  - leaders.begin());
        for (std::size_t bit = 1; bit < leaders.size(); bit <<= 1) {
            if ((own & bit) != 0) {
                parent_ = leaders[own ^ bit];
                break;
            }
            if ((own | bit) < leaders.size()) {
                children_.push_back(leaders[own | bit]);
            }
        }
    }

    // Members' edges and children's components are here; send the sums up.
    Step collect(int step, const std::vector<Message> &inbox)
    {
        Forest forest;
        attempt(step, [&] {
            for (const Message &from : inbox) {
                if (from.failed) {
                    throw std::runtime_error("another rank failed");
                }
            }
            for (std::size_t i = 0; i < members_.size(); ++i) {
                edges_.add_member(inbox[i].peer, inbox[i].words);
            }
            totals_ = edges_.traffic();
            neighbours_ = edges_.neighbour_regions();
            edges_.join_components(forest);
            for (std::size_t i = members_.size(); i < inbox.size(); ++i) {
                const auto &words = inbox[i].words;
                totals_ += decode_traffic(words.data());
                forest.merge(words.data() + kTrafficWords, words.data() + words.size());
            }
        });
        std::vector<std::int32_t> words;
        attempt(step, [&] {
            encode_traffic(totals_, words);
            const auto sets = forest.encode();
            words.insert(words.end(), sets.begin(), sets.end());
        });
        if (parent_ != kNoRank) {
            phase_ = LeaderPhase::labels;
            Step result;
            result.outbox.push_back(message(parent_, std::move(words)));
            result.expect.push_back(parent_);
            return result;
        }
        // The root decides, and goes on as if it had heard its own verdict.
        attempt(step, [&] {
            const bool go = !input_.worthwhile || input_.worthwhile(totals_);
            words.insert(words.begin(), go ? 1 : 0);
        });
        return spread(step + 1, message(self_, std::move(words)));
    }

    // Labels and verdict are here; pass them on, and tell the neighbour regions our relays.
    Step spread(int step, const Message &verdict)
    {
        if (verdict.failed) {
            outcome_ = Outcome::failed;
        }
        Forest components;
        // From here on this rank's own failure must not stop the others' labels.
        std::vector<std::int32_t> words = verdict.words;
        Step result;
        for (Rank child : children_) {
            result.outbox.push_back(message(child, words));
        }
        const bool agreed = outcome_ != Outcome::failed && words.at(0) == 1;
        if (outcome_ != Outcome::failed) {
            totals_ = decode_traffic(words.data() + 1);
        }
        if (!agreed) {
            if (outcome_ != Outcome::failed) {
                outcome_ = Outcome::declined;
            }
            tell_members(result, {});
            result.done = true;
            return result;
        }
        attempt(step, [&] {
            components.merge(words.data() + 1 + kTrafficWords, words.data() + words.size());
            // Sets that never leave a region are known only here.
            edges_.join_components(components);
            edges_.assign_relays(components);
        });
        phase_ = LeaderPhase::relays;
        for (Region other : neighbours_) {
            const Rank peer = leader_of(other);
            std::vector<std::int32_t> relays;
            attempt(step, [&] { relays = edges_.encode_relays(other); });
            result.outbox.push_back(message(peer, std::move(relays)));
            result.expect.push_back(peer);
        }
        if (result.expect.empty()) {
            Step last = finish_leader(step + 1, {});
            last.outbox.insert(last.outbox.begin(), result.outbox.begin(), result.outbox.end());
            return last;
        }
        return result;
    }

    Step finish_leader(int step, const std::vector<Message> &inbox)
    {
        std::map<Rank, std::vector<std::int32_t>> operations;
        attempt(step, [&] {
            for (const Message &from : inbox) {
                if (from.failed) {
                    throw std::runtime_error("another region failed");
                }
                edges_.add_remote_relays(input_.machine->region_of(from.peer), from.words);
            }
            operations = edges_.encode_operations();
            finish_pattern(operations.at(self_));
        });
        Step result;
        tell_members(result, operations);
        result.done = true;
        return result;
    }

    // Members hear totals and verdict, and when the verdict is yes their operations.
    void tell_members(Step &result, const std::map<Rank, std::vector<std::int32_t>> &operations)
    {
        for (Rank member : members_) {
            std::vector<std::int32_t> words;
            encode_traffic(totals_, words);
            if (outcome_ == Outcome::built) {
                const auto &own = operations.at(member);
                words.insert(words.end(), own.begin(), own.end());
            }
            result.outbox.push_back(message(member, std::move(words)));
        }
    }

    Step finish_member(const Message &last)
    {
        if (last.failed) {
            outcome_ = Outcome::failed;
        }
        attempt(next_step_ - 1, [&] {
            totals_ = decode_traffic(last.words.data());
            if (last.words.size() == kTrafficWords) {
                outcome_ = Outcome::declined;
            } else {
                finish_pattern({last.words.begin() + kTrafficWords, last.words.end()});
            }
        });
        return Step{{}, {}, true};
    }

    // The leader's operations for this rank, and what travels direct in any case.
    void finish_pattern(const std::vector<std::int32_t> &words)
    {
        const Neighbourhood &own = *input_.neighbourhood;

        pattern_.kind = BlockKind::one_per_edge;
        std::size_t at = 0;
        pattern_.staging_blocks = static_cast<std::uint32_t>(words.at(at++));
        const bool local_edges_ride = words.at(at++) != 0;
        const auto direct = [&](Rank peer) {
            return !local_edges_ride && input_.machine->local(self_, peer);
        };
        while (at < words.size()) {
            pattern_.operations.push_back(decode_operation(words, at));
        }
        append_edges(own, Carry::whole, kLocal, direct, pattern_);
        append_edges(
            own, Carry::large, kLarge, [&](Rank peer) { return !direct(peer); }, pattern_);
        append_self_copies(own, pattern_);
        outcome_ = Outcome::built;
    }

    BuildInput input_;
    Rank self_;
    Rank leader_ = kNoRank;
    RegionEdges edges_;
    std::vector<Rank> members_; // of a leader, without itself
    std::vector<Rank> children_;
    Rank parent_ = kNoRank;
    std::vector<Region> neighbours_;
    LeaderPhase phase_ = LeaderPhase::collect;
    int next_step_ = 0;
    Outcome outcome_ = Outcome::built;
    Traffic totals_;
    Pattern pattern_;
};

} // namespace

std::unique_ptr<Builder> make_aggregated_builder(const BuildInput &input)
{
    return std::make_unique<AggregatedBuilder>(input);
}

} // namespace nbrhood
