// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/aggregated/aggregated.h"

#include <algorithm>

#include "algorithms/aggregated/member_pattern.h"
#include "algorithms/aggregated/estimated_traffic.h"
#include "algorithms/toolkit/protocol.h"
#include "algorithms/aggregated/region_relays.h"

namespace nbrhood {

namespace {

// The messages, in the order of the protocol.
enum : int {
    // Members send their edges to leaders. The traffic of every task and the roles that edges join
    // go up the tree; the decisions, the sums of traffic, and the components come down.
    kTree,
    kRelays = kTree + TreeExchange::kKinds, // from leader to leader of neighbour regions
    kMember                                 // from a leader to members: operations
};

class AggregatedBuilder : public Protocol {
public:
    explicit AggregatedBuilder(const BuildInput &from) : Protocol(from), roles_(from.ranks)
    {
        if (!from.neighbourhood->has_edges()) {
            return;
        }
        leader_ = from.known_ranks->region_of(self());
        tree_.emplace(input(), from.tree, kTree, terms());
        if (!leads()) {
            return;
        }
        edges_.emplace(*from.known_ranks, leader_, from.ranks);
        for (const Task &task : from.tasks) {
            const auto scheme = static_cast<Scheme>(task.variant);
            relays_.emplace(scheme, RegionRelays(*edges_, scheme, from.tuning));
        }
    }
    AggregatedBuilder(const AggregatedBuilder &) = delete;
    AggregatedBuilder &operator=(const AggregatedBuilder &) = delete;

private:
    // The next superstep of a rank. Leaders end before their members, which wait for them.
    enum class Phase { count, finish, member };

    Step advance(const std::vector<Message> &inbox) override
    {
        if (!input().neighbourhood->has_edges()) {
            return Step{{}, {}, true};
        }
        switch (phase_) {
        case Phase::count:
            return count(inbox);
        case Phase::finish:
            return finish_leader(inbox);
        case Phase::member:
            return finish_member(inbox.front());
        }
        return Step{{}, {}, true};
    }

    static Scheme scheme_of(const Work &work) { return static_cast<Scheme>(work.task.variant); }

    bool builds_any() const
    {
        return std::any_of(works().begin(), works().end(),
                           [](const Work &work) { return work.outcome == Outcome::built; });
    }

    // Whether some task of the scheme is built.
    bool builds(Scheme scheme) const
    {
        return std::any_of(works().begin(), works().end(), [&](const Work &work) {
            return scheme_of(work) == scheme && work.outcome == Outcome::built;
        });
    }

    bool leads() const { return self() == leader_; }

    TreeExchange::Terms terms()
    {
        TreeExchange::Terms terms;
        terms.put_own = [this](WordWriter &words) {
            words.put_all(RegionEdges::encode(*input().neighbourhood, *input().known_ranks));
        };
        terms.add_own = [this](Rank member, WordReader &words) {
            edges_->add_member(member, words.take_words(words.left()));
        };
        terms.put_up = [this](WordWriter &words) {
            count_region();
            put_totals(words);
            words.put_all(roles_.encode());
            roles_ = Roles(input().ranks); // as large as the graph
        };
        terms.add_up = [this](Rank, WordReader &words) {
            add_totals(words);
            const std::vector<std::int32_t> sets = words.take_words(words.left()).copy();
            if (!roles_.is_encoded(sets)) {
                throw BadMessage("sets of roles that cannot be");
            }
            roles_.merge(sets);
        };
        terms.conclude = [this] {
            count_region();
            set_one_size(input().one_size ? *input().one_size : roles_.one_size());
            decide();
            components_ = roles_.components().encode();
            roles_ = Roles(input().ranks);
            return true;
        };
        terms.put_down = [this](Rank, WordWriter &words) {
            put_decisions(words);
            words.put_all(components_);
        };
        terms.take_down = [this](WordReader &words) {
            take_decisions(words);
            components_ = words.take_words(words.left()).copy();
            if (!Forest::is_encoded(components_, input().ranks)) {
                throw BadMessage("impossible sets of ranks");
            }
        };
        return terms;
    }

    // Counts the traffic of a region, when the edges of its members are here.
    void count_region()
    {
        if (!leads()) {
            return;
        }
        edges_->check_local();
        neighbours_ = edges_->neighbour_regions();
        if (!input().one_size) {
            edges_->join_roles(roles_);
        }
        Traffic direct;
        edges_->count_direct(direct);
        for (Work &work : works()) {
            Traffic region = direct;
            relays_.at(scheme_of(work)).count_relayed(work.task.kind, region);
            work.totals.merge(region);
        }
    }

    // Receives decisions and components, unless a rank has failed.
    Step count(const std::vector<Message> &inbox)
    {
        if (const auto step = deliver(*tree_, inbox)) {
            return *step;
        }
        if (tree_->stopped() || (tree_->told() && !builds_any())) {
            return Step{{}, {}, true};
        }
        if (leads()) {
            return tell_relays();
        }
        // A rank that was not told cannot know whether its leader sends.
        phase_ = Phase::member;
        return tree_->told() ? Step{{}, {leader_}, false} : Step{{}, {}, true};
    }

    Forest components_of_members() const
    {
        if (input().one_size) {
            return edges_->as_one_component();
        }
        Forest components;
        components.merge(components_, edges_->members());
        for (const Crossing &edge : edges_->local()) {
            if (components.label(edge.inside) != components.label(edge.outside)) {
                throw BadMessage("two components for the ends of an edge");
            }
        }
        return components;
    }

    // Tells the neighbour regions the relays. A leader that was not told cannot know whether others
    // build, so it reports a failure and waits for no rank.
    Step tell_relays()
    {
        attempt([&] {
            Forest components = components_of_members();
            for (auto &[scheme, relays] : relays_) {
                if (builds(scheme)) {
                    relays.assign(components);
                }
            }
        });
        Step step;
        for (Region other : neighbours_) {
            WordWriter words;
            attempt([&] { put_relays(other, words); });
            step.outbox.push_back(write_message(kRelays, other, words.words()));
        }
        if (tree_->told()) {
            step.expect = neighbours_;
            phase_ = Phase::finish;
        } else {
            tell_members(step, {});
        }
        return step;
    }

    // Writes the relays of each scheme that is built.
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
                add_remote_relays(from.peer, open_message(kRelays, from));
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
        Step step;
        tell_members(step, std::move(operations));
        return step;
    }

    // Sends members their operations of the tasks that are built, which ends the protocol.
    void tell_members(Step &step, std::map<Rank, WordWriter> operations) const
    {
        for (Rank member : input().known_ranks->members(leader_)) {
            if (member != self()) {
                step.outbox.push_back(write_message(kMember, member, operations[member].words()));
            }
        }
        step.done = true;
    }

    Step finish_member(const Message &last)
    {
        attempt([&] { finish_patterns(open_message(kMember, last)); });
        return Step{{}, {}, true};
    }

    void finish_patterns(WordReader words)
    {
        const MemberFacts facts{input().neighbourhood, input().known_ranks, input().ranks};
        for (Work &work : works()) {
            if (work.outcome == Outcome::built) {
                read_member(words.take_group(), facts, work.pattern);
            }
        }
        words.expect_end();
    }

    Phase phase_ = Phase::count;
    Rank leader_ = kNoRank;
    std::optional<TreeExchange> tree_;
    Roles roles_;
    std::vector<std::int32_t> components_; // of the graph, as words
    // State of a leader:
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
        traffic = estimated_traffic(facts, scheme);
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
