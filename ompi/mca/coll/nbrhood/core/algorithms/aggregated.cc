#include "algorithms/aggregated.h"

#include <algorithm>
#include <stdexcept>

#include "algorithms/direct.h"
#include "algorithms/region_relays.h"

namespace nbrhood {

namespace {

class AggregatedBuilder : public Builder {
public:
    explicit AggregatedBuilder(const BuildInput &input)
        : input_(input), self_(input.neighbourhood->rank),
          edges_(*input.machine, input.machine->region_of(self_))
    {
        for (const Task &task : input.tasks) {
            const auto scheme = static_cast<Scheme>(task.variant);
            works_.emplace_back(task.kind, scheme, self_);
            relays_.emplace(scheme, RegionRelays(edges_, scheme, input.tuning));
        }
    }
    AggregatedBuilder(const AggregatedBuilder &) = delete;
    AggregatedBuilder &operator=(const AggregatedBuilder &) = delete;

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

    Outcome outcome(std::size_t task) const override
    {
        return failed_ ? Outcome::failed : works_.at(task).outcome;
    }
    Traffic traffic(std::size_t task) const override { return works_.at(task).totals; }
    Pattern take_pattern(std::size_t task) override { return std::move(works_.at(task).pattern); }

private:
    enum class LeaderPhase { collect, labels, relays };

    // What is counted and perhaps built for a task.
    struct Work {
        Work(BlockKind k, Scheme s, Rank self) : kind(k), scheme(s)
        {
            pattern.rank = self;
            pattern.kind = k;
        }
        BlockKind kind;
        Scheme scheme;
        Traffic totals;
        Outcome outcome = Outcome::built;
        Pattern pattern;
    };

    // Whether some task of the scheme is built.
    bool builds(Scheme scheme) const
    {
        return std::any_of(works_.begin(), works_.end(), [&](const Work &work) {
            return work.scheme == scheme && work.outcome == Outcome::built;
        });
    }

    // Runs a part of the construction; a failure is remembered and told to the others.
    template <typename Part>
    void attempt(int step, const Part &part)
    {
        if (failed_) {
            return;
        }
        try {
            if (step == input_.fail_in_step) {
                throw std::runtime_error("injected failure");
            }
            part();
        } catch (const std::exception &) {
            failed_ = true;
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
        return Message{peer, failed_, failed_ ? std::vector<std::int32_t>() : std::move(words)};
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
            neighbours_ = edges_.neighbour_regions();
            edges_.join_components(forest);
            for (Work &work : works_) {
                work.totals = relays_.at(work.scheme).traffic(work.kind);
            }
            for (std::size_t i = members_.size(); i < inbox.size(); ++i) {
                const auto &words = inbox[i].words;
                for (std::size_t w = 0; w < works_.size(); ++w) {
                    works_[w].totals.merge(Traffic::decode(words.data() + w * Traffic::kWords));
                }
                forest.merge(words.data() + traffic_words(), words.data() + words.size());
            }
        });
        std::vector<std::int32_t> words;
        attempt(step, [&] {
            encode_traffic(words);
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
            std::vector<Traffic> totals;
            for (const Work &work : works_) {
                totals.push_back(work.totals);
            }
            const std::vector<char> verdicts =
                input_.decide ? input_.decide(totals) : std::vector<char>(works_.size(), 1);
            words.insert(words.begin(), verdicts.begin(), verdicts.end());
        });
        return spread(step + 1, message(self_, std::move(words)));
    }

    std::size_t traffic_words() const { return works_.size() * Traffic::kWords; }

    void encode_traffic(std::vector<std::int32_t> &words) const
    {
        for (const Work &work : works_) {
            work.totals.encode(words);
        }
    }

    // Reads verdicts and totals; whether something is built.
    bool hear(const std::vector<std::int32_t> &words)
    {
        bool any = false;
        for (std::size_t w = 0; w < works_.size(); ++w) {
            const bool go = words.at(w) == 1;
            works_[w].outcome = go ? Outcome::built : Outcome::declined;
            works_[w].totals = Traffic::decode(words.data() + works_.size() + w * Traffic::kWords);
            any = any || go;
        }
        return any;
    }

    // Labels and verdicts are here; pass them on, and tell the neighbour regions our relays.
    Step spread(int step, const Message &verdicts)
    {
        failed_ = failed_ || verdicts.failed;
        // From here on this rank's own failure must not stop the others' labels.
        const std::vector<std::int32_t> &words = verdicts.words;
        Step result;
        for (Rank child : children_) {
            result.outbox.push_back(message(child, words));
        }
        if (failed_ || !hear(words)) {
            tell_members(result, {});
            result.done = true;
            return result;
        }
        attempt(step, [&] {
            Forest components;
            components.merge(words.data() + works_.size() + traffic_words(),
                             words.data() + words.size(), edges_.members());
            for (auto &[scheme, relays] : relays_) {
                if (builds(scheme)) {
                    relays.assign(components);
                }
            }
        });
        phase_ = LeaderPhase::relays;
        for (Region other : neighbours_) {
            const Rank peer = leader_of(other);
            std::vector<std::int32_t> words_of_relays;
            attempt(step, [&] { words_of_relays = encode_relays(other); });
            result.outbox.push_back(message(peer, std::move(words_of_relays)));
            result.expect.push_back(peer);
        }
        if (result.expect.empty()) {
            Step last = finish_leader(step + 1, {});
            last.outbox.insert(last.outbox.begin(), result.outbox.begin(), result.outbox.end());
            return last;
        }
        return result;
    }

    // The relays of each scheme that is built: the number of words, and the words.
    std::vector<std::int32_t> encode_relays(Region other) const
    {
        std::vector<std::int32_t> all;
        for (const auto &[scheme, relays] : relays_) {
            if (builds(scheme)) {
                const auto words = relays.encode_relays(other);
                all.push_back(static_cast<std::int32_t>(words.size()));
                all.insert(all.end(), words.begin(), words.end());
            }
        }
        return all;
    }

    void add_remote_relays(Region other, const std::vector<std::int32_t> &words)
    {
        std::size_t at = 0;
        for (auto &[scheme, relays] : relays_) {
            if (builds(scheme)) {
                const auto end = at + 1 + static_cast<std::size_t>(words.at(at));
                relays.add_remote(other, words, at + 1, end);
                at = end;
            }
        }
    }

    Step finish_leader(int step, const std::vector<Message> &inbox)
    {
        // By member: for each task that is built the number of words, and the words.
        std::map<Rank, std::vector<std::int32_t>> operations;
        attempt(step, [&] {
            for (const Message &from : inbox) {
                if (from.failed) {
                    throw std::runtime_error("another region failed");
                }
                add_remote_relays(input_.machine->region_of(from.peer), from.words);
            }
            for (const Work &work : works_) {
                if (work.outcome != Outcome::built) {
                    continue;
                }
                for (const auto &[member, words] :
                     relays_.at(work.scheme).encode_operations(work.kind)) {
                    auto &all = operations[member];
                    all.push_back(static_cast<std::int32_t>(words.size()));
                    all.insert(all.end(), words.begin(), words.end());
                }
            }
            finish_patterns(operations.at(self_), 0);
        });
        Step result;
        tell_members(result, operations);
        result.done = true;
        return result;
    }

    // Members hear verdicts and totals, and their operations of the tasks that are built.
    void tell_members(Step &result, const std::map<Rank, std::vector<std::int32_t>> &operations)
    {
        for (Rank member : members_) {
            std::vector<std::int32_t> words;
            for (const Work &work : works_) {
                words.push_back(work.outcome == Outcome::built ? 1 : 0);
            }
            encode_traffic(words);
            const auto own = operations.find(member);
            if (own != operations.end()) {
                words.insert(words.end(), own->second.begin(), own->second.end());
            }
            result.outbox.push_back(message(member, std::move(words)));
        }
    }

    Step finish_member(const Message &last)
    {
        failed_ = failed_ || last.failed;
        attempt(next_step_ - 1, [&] {
            if (hear(last.words)) {
                finish_patterns(last.words, works_.size() + traffic_words());
            }
        });
        return Step{{}, {}, true};
    }

    void finish_patterns(const std::vector<std::int32_t> &words, std::size_t at)
    {
        for (Work &work : works_) {
            if (work.outcome == Outcome::built) {
                const auto count = static_cast<std::size_t>(words.at(at++));
                finish_pattern(work, words, at, at + count);
                at += count;
            }
        }
    }

    // The leader's operations for this rank, and what travels direct in any case.
    void finish_pattern(Work &work, const std::vector<std::int32_t> &words, std::size_t at,
                        std::size_t end)
    {
        const Neighbourhood &own = *input_.neighbourhood;
        Pattern &pattern = work.pattern;
        pattern.staging_blocks = static_cast<std::uint32_t>(words.at(at++));
        const bool local_edges_ride = words.at(at++) != 0;
        const auto direct = [&](Rank peer) {
            return !local_edges_ride && input_.machine->local(self_, peer);
        };
        while (at < end) {
            pattern.operations.push_back(decode_operation(words, at));
        }
        append_edges(own, Carry::whole, kLocal, direct, pattern);
        append_edges(
            own, Carry::large, kLarge, [&](Rank peer) { return !direct(peer); }, pattern);
        append_self_copies(own, pattern);
    }

    BuildInput input_;
    Rank self_;
    Rank leader_ = kNoRank;
    RegionEdges edges_;
    std::map<Scheme, RegionRelays> relays_; // of the schemes asked for
    std::vector<Rank> members_;             // of a leader, without itself
    std::vector<Rank> children_;
    Rank parent_ = kNoRank;
    std::vector<Region> neighbours_;
    LeaderPhase phase_ = LeaderPhase::collect;
    int next_step_ = 0;
    bool failed_ = false;
    std::vector<Work> works_; // by task
};

} // namespace

std::unique_ptr<Builder> make_aggregated_builder(const BuildInput &input)
{
    return std::make_unique<AggregatedBuilder>(input);
}

} // namespace nbrhood
