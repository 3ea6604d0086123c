#include "algorithms/aggregated.h"

#include <algorithm>

#include "algorithms/member_pattern.h"
#include "algorithms/outlined_traffic.h"
#include "algorithms/protocol.h"
#include "algorithms/region_relays.h"

namespace nbrhood {

namespace {

// The letters, in the order of the protocol.
enum Kind : int {
    kEdges,    // of a member, to its leader
    kTotals,   // of leaders, up their tree: traffic of every task, and how edges join roles
    kDecision, // down the tree: what is built, the sums of traffic, and components
    kRelays,   // from leader to leader of neighbour regions
    kMember    // from a leader to its members: what is built, the sums, and their operations
};

class AggregatedBuilder : public Protocol {
public:
    explicit AggregatedBuilder(const BuildInput &from) : Protocol(from)
    {
        if (!from.neighbourhood->has_edges()) {
            return;
        }
        leader_ = from.surroundings->region_of(self());
        if (!leads()) {
            return;
        }
        edges_.emplace(*from.surroundings, leader_, from.ranks);
        for (const Task &task : from.tasks) {
            const auto scheme = static_cast<Scheme>(task.variant);
            relays_.emplace(scheme, RegionRelays(*edges_, scheme, from.tuning));
        }
    }
    AggregatedBuilder(const AggregatedBuilder &) = delete;
    AggregatedBuilder &operator=(const AggregatedBuilder &) = delete;

private:
    // What a rank does in its next superstep. Only those in the tree collect and spread, and only
    // leaders finish what their members wait for.
    enum class Phase { start, collect, spread, finish, member };

    Step advance(const std::vector<Message> &inbox) override
    {
        switch (phase_) {
        case Phase::start:
            return start();
        case Phase::collect:
            return collect(inbox);
        case Phase::spread:
            return spread(inbox);
        case Phase::finish:
            return finish_leader(inbox);
        case Phase::member:
            return finish_member(inbox.front());
        }
        return Step{{}, {}, true};
    }

    static Scheme scheme_of(const Work &work) { return static_cast<Scheme>(work.task.variant); }

    // Whether some task of the scheme is built.
    bool builds(Scheme scheme) const
    {
        return std::any_of(works().begin(), works().end(), [&](const Work &work) {
            return scheme_of(work) == scheme && work.outcome == Outcome::built;
        });
    }

    bool leads() const { return self() == leader_; }

    Step start()
    {
        if (!input().neighbourhood->has_edges()) {
            return Step{{}, {}, true};
        }
        std::vector<std::int32_t> words;
        attempt(
            [&] { words = RegionEdges::encode(*input().neighbourhood, *input().surroundings); });
        Step result;
        if (leads()) {
            for (Rank member : input().surroundings->members(leader_)) {
                if (member != self()) {
                    members_.push_back(member);
                }
            }
            attempt([&] { edges_->add_member(self(), WordReader(words)); });
        } else {
            result.outbox.push_back(letter(kEdges, leader_, words));
        }
        if (!input().tree) {
            return await_leader(result);
        }
        result.expect = members_;
        const std::vector<Rank> &children = input().tree->children;
        result.expect.insert(result.expect.end(), children.begin(), children.end());
        phase_ = Phase::collect;
        return result.expect.empty() ? go_on(result, &AggregatedBuilder::collect) : result;
    }

    // The next superstep at once, since this one would wait for nobody.
    Step go_on(Step &result, Step (AggregatedBuilder::*next)(const std::vector<Message> &))
    {
        begin_next_superstep();
        Step step = (this->*next)({});
        step.outbox.insert(step.outbox.begin(), result.outbox.begin(), result.outbox.end());
        return step;
    }

    // What is left to a rank that leads no region.
    Step await_leader(Step &result)
    {
        phase_ = Phase::member;
        result.expect = {leader_};
        return result;
    }

    // What a leader knows once its members' edges are here.
    void count_region(const std::vector<Message> &inbox, Roles &roles)
    {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            edges_->add_member(members_[i], open_letter(kEdges, inbox.at(i)));
        }
        edges_->check_local();
        neighbours_ = edges_->neighbour_regions();
        if (!input().one_size) {
            edges_->join_roles(roles);
        }
        Traffic direct;
        edges_->count_direct(direct);
        for (Work &work : works()) {
            work.totals = direct;
            relays_.at(scheme_of(work)).count_relayed(work.task.kind, work.totals);
        }
    }

    // Children's sums are here, and a leader's members' edges; send the sums up.
    Step collect(const std::vector<Message> &inbox)
    {
        Roles roles(input().ranks);
        attempt([&] {
            if (leads()) {
                count_region(inbox, roles);
            }
            for (std::size_t i = members_.size(); i < inbox.size(); ++i) {
                WordReader words = open_letter(kTotals, inbox.at(i));
                add_totals(words);
                const std::vector<std::int32_t> sets = words.copy();
                if (!roles.is_encoded(sets)) {
                    throw BadWords("sets of roles that cannot be");
                }
                roles.merge(sets);
            }
        });
        phase_ = Phase::spread;
        WordWriter words;
        if (input().tree->parent != kNoRank) {
            attempt([&] {
                put_totals(words);
                words.put_all(roles.encode());
            });
            Step result;
            result.outbox.push_back(letter(kTotals, input().tree->parent, words.words()));
            result.expect.push_back(input().tree->parent);
            return result;
        }
        // The root decides, and goes on as if it had received its own decision.
        attempt([&] {
            set_one_size(input().one_size ? *input().one_size : roles.one_size());
            decide();
            put_decisions(words);
            words.put_all(roles.components().encode());
        });
        begin_next_superstep();
        return spread({letter(kDecision, self(), words.words())});
    }

    // The components of the graph, as the rest of a letter.
    std::vector<std::int32_t> read_components(const WordReader &words) const
    {
        std::vector<std::int32_t> sets = words.copy();
        if (!Forest::is_encoded(sets, input().ranks)) {
            throw BadWords("impossible sets of ranks");
        }
        return sets;
    }

    Forest components_of_members(const std::vector<std::int32_t> &sets) const
    {
        if (input().one_size) {
            return edges_->as_one_component();
        }
        Forest components;
        components.merge(sets, edges_->members());
        for (const Crossing &edge : edges_->local()) {
            if (components.label(edge.inside) != components.label(edge.outside)) {
                throw BadWords("two components for the ends of an edge");
            }
        }
        return components;
    }

    // Labels and decisions are here; pass them on, and tell the neighbour regions our relays.
    Step spread(const std::vector<Message> &inbox)
    {
        bool told = true; // whether all learn of it where this one failed
        bool any = false;
        std::vector<std::int32_t> decision, sets;
        try {
            WordReader words = open_letter(kDecision, inbox.front());
            decision = words.copy();
            any = take_decisions(words);
            sets = read_components(words);
        } catch (const OtherFailed &) {
            fail();
        } catch (const std::exception &) {
            told = failed();
            fail();
        }
        // From here on this rank's own failure must not stop the others' labels.
        Step result;
        for (Rank child : input().tree->children) {
            // The children of a rank that cannot read its letter can read theirs no better.
            result.outbox.push_back(told ? letter(kDecision, child, decision)
                                         : Message{child, true, {}});
        }
        if (!leads()) {
            return await_leader(result);
        }
        for (Region other : neighbours_) {
            // Nor does it know whether others build: it tells them, and waits for nobody.
            if (!told) {
                result.outbox.push_back(letter(kRelays, other, {}));
            }
        }
        if (failed() || !any) {
            tell_members(result, {});
            result.done = true;
            return result;
        }
        attempt([&] {
            Forest components = components_of_members(sets);
            for (auto &[scheme, relays] : relays_) {
                if (builds(scheme)) {
                    relays.assign(components);
                }
            }
        });
        phase_ = Phase::finish;
        for (Region other : neighbours_) {
            WordWriter words;
            attempt([&] { put_relays(other, words); });
            result.outbox.push_back(letter(kRelays, other, words.words()));
            result.expect.push_back(other);
        }
        return result.expect.empty() ? go_on(result, &AggregatedBuilder::finish_leader) : result;
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

    Step finish_leader(const std::vector<Message> &inbox)
    {
        // By member: its operations of each task that is built.
        std::map<Rank, WordWriter> operations;
        attempt([&] {
            for (const Message &from : inbox) {
                add_remote_relays(from.peer, open_letter(kRelays, from));
            }
            for (const Work &work : works()) {
                if (work.outcome != Outcome::built) {
                    continue;
                }
                for (const auto &[member, words] :
                     relays_.at(scheme_of(work)).encode_operations(work.task.kind)) {
                    operations[member].put_group(words);
                }
            }
            finish_patterns(WordReader(operations.at(self()).words()));
        });
        Step result;
        tell_members(result, operations);
        result.done = true;
        return result;
    }

    // Members receive decisions and totals, and their operations of the tasks that are built.
    void tell_members(Step &result, const std::map<Rank, WordWriter> &operations)
    {
        for (Rank member : members_) {
            WordWriter words;
            put_decisions(words);
            const auto own = operations.find(member);
            if (own != operations.end()) {
                words.put_all(own->second.words());
            }
            result.outbox.push_back(letter(kMember, member, words.words()));
        }
    }

    Step finish_member(const Message &last)
    {
        attempt([&] {
            WordReader words = open_letter(kMember, last);
            if (take_decisions(words)) {
                finish_patterns(words);
            }
        });
        return Step{{}, {}, true};
    }

    void finish_patterns(WordReader words)
    {
        const MemberFacts facts{input().neighbourhood, input().surroundings, input().ranks};
        for (Work &work : works()) {
            if (work.outcome == Outcome::built) {
                read_member(words.take_group(), facts, work.pattern);
            }
        }
        words.expect_end();
    }

    Phase phase_ = Phase::start;
    Rank leader_ = kNoRank;
    // Of a leader, but for itself:
    std::vector<Rank> members_;
    std::vector<Region> neighbours_;
    std::optional<RegionEdges> edges_;
    std::map<Scheme, RegionRelays> relays_; // of the schemes asked for
};

} // namespace

namespace {

std::optional<Traffic> least_between_regions(const Facts &facts, Scheme scheme)
{
    if (facts.regions < 2 || facts.edges_nonlocal == 0) {
        return std::nullopt;
    }
    Traffic traffic;
    if (facts.ends) {
        traffic = outlined_traffic(facts, scheme);
        traffic.phases = phases_of(scheme);
        return traffic;
    }
    traffic.phases = phases_of(scheme);
    traffic.relayed.add(facts.edges_nonlocal > facts.edges_network ? Link::node : Link::network,
                        false, 1, 1);
    traffic.busiest_relayed = traffic.relayed;
    return traffic;
}

} // namespace

std::optional<Traffic> least_in_three_steps(const Facts &facts)
{
    return least_between_regions(facts, kThreeStep);
}

std::optional<Traffic> least_in_two_steps(const Facts &facts)
{
    return least_between_regions(facts, kTwoStep);
}

std::unique_ptr<Builder> make_aggregated_builder(const BuildInput &input)
{
    return std::make_unique<AggregatedBuilder>(input);
}

} // namespace nbrhood
