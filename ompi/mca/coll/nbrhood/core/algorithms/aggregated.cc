#include "algorithms/aggregated.h"

#include <algorithm>
#include <stdexcept>

#include "algorithms/letters.h"
#include "algorithms/member_pattern.h"
#include "algorithms/region_relays.h"

namespace nbrhood {

namespace {

// What the letters of the protocol are, in its order.
enum class Letter : int {
    edges,   // of a member, to its leader
    totals,  // of leaders, up their tree: traffic of every task, and components
    verdict, // down the tree: what is built, the sums of traffic, and components
    relays,  // from leader to leader of neighbour regions
    member   // from a leader to its members: what is built, the sums, and their operations
};

class AggregatedBuilder : public Builder {
public:
    explicit AggregatedBuilder(const BuildInput &input)
        : input_(input), self_(input.neighbourhood->rank), letters_(self_),
          edges_(*input.machine, input.machine->region_of(self_), *input.has_edges)
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
            return finish_member(inbox.front());
        }
        switch (phase_) {
        case LeaderPhase::collect:
            return collect(now, inbox);
        case LeaderPhase::labels:
            return spread(now, inbox.front());
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

    Message message(Letter kind, Rank peer, const std::vector<std::int32_t> &words) const
    {
        return letters_.write(static_cast<int>(kind), peer, failed_, words);
    }

    WordReader open(Letter kind, const Message &letter) const
    {
        return letters_.open(static_cast<int>(kind), letter);
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
            result.outbox.push_back(message(Letter::edges, leader_, words));
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
        attempt(0, [&] { edges_.add_member(self_, WordReader(words)); });
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
            for (std::size_t i = 0; i < members_.size(); ++i) {
                edges_.add_member(members_[i], open(Letter::edges, inbox.at(i)));
            }
            edges_.check_local();
            neighbours_ = edges_.neighbour_regions();
            edges_.join_components(forest);
            for (Work &work : works_) {
                work.totals = relays_.at(work.scheme).traffic(work.kind);
            }
            for (std::size_t i = members_.size(); i < inbox.size(); ++i) {
                WordReader words = open(Letter::totals, inbox.at(i));
                for (Work &work : works_) {
                    work.totals.merge(Traffic::decode(words));
                }
                forest.merge(read_components(words));
            }
        });
        WordWriter words;
        if (parent_ != kNoRank) {
            attempt(step, [&] {
                put_totals(words);
                words.put_all(forest.encode());
            });
            phase_ = LeaderPhase::labels;
            Step result;
            result.outbox.push_back(message(Letter::totals, parent_, words.words()));
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
            for (std::size_t w = 0; w < works_.size(); ++w) {
                works_[w].outcome = verdicts.at(w) != 0 ? Outcome::built : Outcome::declined;
            }
            put_verdicts(words);
            words.put_all(forest.encode());
        });
        return spread(step + 1, message(Letter::verdict, self_, words.words()));
    }

    // The components of the graph, as the rest of a letter.
    std::vector<std::int32_t> read_components(const WordReader &words) const
    {
        std::vector<std::int32_t> sets = words.copy();
        if (!Forest::is_encoded(sets, input_.machine->ranks())) {
            throw BadWords("sets of ranks that cannot be");
        }
        return sets;
    }

    void put_totals(WordWriter &words) const
    {
        for (const Work &work : works_) {
            work.totals.encode(words);
        }
    }

    // Verdicts and totals.
    void put_verdicts(WordWriter &words) const
    {
        for (const Work &work : works_) {
            words.put(work.outcome == Outcome::built ? 1 : 0);
        }
        put_totals(words);
    }

    // Reads them; whether something is built.
    bool read_verdicts(WordReader &words)
    {
        bool any = false;
        for (Work &work : works_) {
            const bool go = words.take_flag();
            work.outcome = go ? Outcome::built : Outcome::declined;
            any = any || go;
        }
        for (Work &work : works_) {
            work.totals = Traffic::decode(words);
        }
        return any;
    }

    // Labels and verdicts are here; pass them on, and tell the neighbour regions our relays.
    Step spread(int step, const Message &letter)
    {
        bool told = true; // whether all leaders hear of it where this one failed
        bool any = false;
        std::vector<std::int32_t> verdict, sets;
        try {
            WordReader words = open(Letter::verdict, letter);
            verdict = words.copy();
            any = read_verdicts(words);
            sets = read_components(words);
        } catch (const OtherFailed &) {
            failed_ = true;
        } catch (const std::exception &) {
            told = failed_;
            failed_ = true;
        }
        // From here on this rank's own failure must not stop the others' labels.
        Step result;
        for (Rank child : children_) {
            // The children of a leader that cannot read its letter can read theirs no better.
            result.outbox.push_back(told ? message(Letter::verdict, child, verdict)
                                         : Message{child, true, {}});
        }
        for (Region other : neighbours_) {
            // Nor does it know whether others build: it tells them, and waits for nobody.
            if (!told) {
                result.outbox.push_back(message(Letter::relays, leader_of(other), {}));
            }
        }
        if (failed_ || !any) {
            tell_members(result, {});
            result.done = true;
            return result;
        }
        attempt(step, [&] {
            Forest components;
            components.merge(sets, edges_.members());
            for (const Crossing &edge : edges_.local()) {
                if (components.label(edge.inside) != components.label(edge.outside)) {
                    throw BadWords("two components for the ends of an edge");
                }
            }
            for (auto &[scheme, relays] : relays_) {
                if (builds(scheme)) {
                    relays.assign(components);
                }
            }
        });
        phase_ = LeaderPhase::relays;
        for (Region other : neighbours_) {
            const Rank peer = leader_of(other);
            WordWriter words;
            attempt(step, [&] { put_relays(other, words); });
            result.outbox.push_back(message(Letter::relays, peer, words.words()));
            result.expect.push_back(peer);
        }
        if (result.expect.empty()) {
            Step last = finish_leader(step + 1, {});
            last.outbox.insert(last.outbox.begin(), result.outbox.begin(), result.outbox.end());
            return last;
        }
        return result;
    }

    // The relays of each scheme that is built.
    void put_relays(Region other, WordWriter &words) const
    {
        for (const auto &[scheme, relays] : relays_) {
            if (builds(scheme)) {
                words.put_group(relays.encode_relays(other));
            }
        }
    }

    void add_remote_relays(Region other, WordReader words)
    {
        for (auto &[scheme, relays] : relays_) {
            if (builds(scheme)) {
                relays.add_remote(other, words.take_group());
            }
        }
        words.expect_end();
    }

    Step finish_leader(int step, const std::vector<Message> &inbox)
    {
        // By member: its operations of each task that is built.
        std::map<Rank, WordWriter> operations;
        attempt(step, [&] {
            for (const Message &letter : inbox) {
                add_remote_relays(input_.machine->region_of(letter.peer),
                                  open(Letter::relays, letter));
            }
            for (const Work &work : works_) {
                if (work.outcome != Outcome::built) {
                    continue;
                }
                for (const auto &[member, words] :
                     relays_.at(work.scheme).encode_operations(work.kind)) {
                    operations[member].put_group(words);
                }
            }
            finish_patterns(WordReader(operations.at(self_).words()));
        });
        Step result;
        tell_members(result, operations);
        result.done = true;
        return result;
    }

    // Members hear verdicts and totals, and their operations of the tasks that are built.
    void tell_members(Step &result, const std::map<Rank, WordWriter> &operations)
    {
        for (Rank member : members_) {
            WordWriter words;
            put_verdicts(words);
            const auto own = operations.find(member);
            if (own != operations.end()) {
                words.put_all(own->second.words());
            }
            result.outbox.push_back(message(Letter::member, member, words.words()));
        }
    }

    Step finish_member(const Message &last)
    {
        attempt(next_step_ - 1, [&] {
            WordReader words = open(Letter::member, last);
            if (read_verdicts(words)) {
                finish_patterns(words);
            }
        });
        return Step{{}, {}, true};
    }

    void finish_patterns(WordReader words)
    {
        const MemberFacts facts{input_.neighbourhood, input_.machine, input_.has_edges};
        for (Work &work : works_) {
            if (work.outcome == Outcome::built) {
                read_member(words.take_group(), facts, work.pattern);
            }
        }
        words.expect_end();
    }

    BuildInput input_;
    Rank self_;
    Letters letters_;
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
