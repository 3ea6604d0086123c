#include "algorithms/common_neighbor.h"

#include <algorithm>
#include <map>
#include <set>

#include "algorithms/counted_protocol.h"
#include "algorithms/friend_operations.h"
#include "algorithms/friend_search.h"
#include "algorithms/pattern_traffic.h"

namespace nbrhood {
namespace {

// The letters, in the order of the protocol.
enum Kind : int {
    kSenders, // of a member, to its leader, and up the tree: out-neighbours
    kPlans,   // down the tree: the plans of those whose out-neighbours came up
    kPlan,    // from a leader to a member
    kNews     // to out-neighbours: how the block comes
};

class CommonNeighborBuilder : public CountedProtocol {
public:
    explicit CommonNeighborBuilder(const BuildInput &from)
        : CountedProtocol(from), anywhere_(from.tuning.values.get(kFriendsAnywhere)),
          links_(*from.neighbourhood)
    {}

private:
    // What a rank does in its next superstep. Those that lead no region, and are not on the way of
    // others' lists, go from `begin` to `take_plan`.
    enum class Stage { begin, collect, find, pass_on, take_plan, tell, build, conclude };

    // A sender on its way to who finds the groups.
    struct Entry {
        Sender sender;
        Whereabouts whereabouts;
        Rank through = kNoRank; // the child that sent it
    };

    Step advance(const std::vector<Message> &inbox) override
    {
        if (!input().neighbourhood->has_edges()) {
            return Step{{}, {}, true};
        }
        Step result = act(inbox);
        // Where this superstep would wait for nobody.
        while (!result.done && !result.pauses && result.expect.empty()) {
            begin_next_superstep();
            Step more = act({});
            more.outbox.insert(more.outbox.begin(), result.outbox.begin(), result.outbox.end());
            result = std::move(more);
        }
        return result;
    }

    Step act(const std::vector<Message> &inbox)
    {
        switch (stage_) {
        case Stage::begin:
            return begin();
        case Stage::collect:
            return collect(inbox);
        case Stage::find:
            return find_friends();
        case Stage::pass_on:
            return pass_on(inbox);
        case Stage::take_plan:
            return take_plan(inbox.front());
        case Stage::tell:
            return tell();
        case Stage::build:
            return build(inbox);
        case Stage::conclude:
            return conclude(inbox);
        }
        return Step{{}, {}, true};
    }

    Rank leader() const { return input().surroundings->region_of(self()); }
    bool leads() const { return leader() == self(); }
    // The ranks whose lists come, and get their plans, along the tree.
    std::vector<Rank> children() const
    {
        return anywhere_ && input().tree ? input().tree->children : std::vector<Rank>{};
    }
    Rank parent() const { return anywhere_ && input().tree ? input().tree->parent : kNoRank; }

    Step begin()
    {
        Entry own;
        attempt([&] {
            own.sender = links_.sender(self());
            own.whereabouts = input().surroundings->of(self());
            sender_ = own.sender;
        });
        Step step;
        if (leads()) {
            for (const Rank member : input().surroundings->members(self())) {
                if (member != self()) {
                    members_.push_back(member);
                }
            }
            step.expect = members_;
            entries_.emplace(self(), own);
        } else {
            WordWriter words;
            put(own, words);
            step.outbox.push_back(letter(kSenders, leader(), words.words()));
        }
        if (!leads() && !(anywhere_ && input().tree)) {
            return await_plan(step);
        }
        const std::vector<Rank> below = children();
        step.expect.insert(step.expect.end(), below.begin(), below.end());
        stage_ = Stage::collect;
        return step;
    }

    Step await_plan(Step &step)
    {
        stage_ = Stage::take_plan;
        step.expect = {leader()};
        return step;
    }

    static void put(const Entry &entry, WordWriter &words)
    {
        entry.sender.put(words);
        entry.whereabouts.put(words);
    }

    Entry take_entry(WordReader &words) const
    {
        Entry entry;
        entry.sender = Sender::take(words, input().ranks);
        entry.whereabouts = Whereabouts::take(words);
        return entry;
    }

    void add(const Entry &entry)
    {
        if (!entries_.emplace(entry.sender.rank, entry).second) {
            throw BadWords("the same rank's out-neighbours twice");
        }
    }

    // The lists of members and of children's ranks are here.
    Step collect(const std::vector<Message> &inbox)
    {
        attempt([&] {
            for (std::size_t i = 0; i < inbox.size(); ++i) {
                WordReader words = open_letter(kSenders, inbox[i]);
                if (i < members_.size()) {
                    add(take_entry(words));
                    words.expect_end();
                    if (entries_.count(inbox[i].peer) == 0) {
                        throw BadWords("another rank's out-neighbours");
                    }
                }
                while (words.left() != 0) {
                    Entry entry = take_entry(words);
                    entry.through = inbox[i].peer;
                    add(entry);
                }
            }
        });
        if (parent() == kNoRank) {
            return find_friends();
        }
        stage_ = Stage::pass_on;
        WordWriter words;
        for (const auto &entry : entries_) {
            put(entry.second, words);
        }
        return Step{{letter(kSenders, parent(), words.words())}, {parent()}, false};
    }

    // Makes the plans of all whose lists are here, turn by turn.
    Step find_friends()
    {
        Step step;
        attempt([&] {
            WorkSlice turn(kWorkOfATurn);
            step.pauses = !plan_all(turn);
        });
        if (step.pauses) {
            stage_ = Stage::find;
        } else {
            stage_ = Stage::pass_on;
            search_.reset();
        }
        return step;
    }

    // Whether all plans are made.
    bool plan_all(WorkSlice &turn)
    {
        if (!search_) {
            std::vector<Sender> senders;
            for (const auto &entry : entries_) {
                senders.push_back(entry.second.sender);
            }
            search_.emplace(std::move(senders), input().tuning.values.get(kFriendsPerGroup),
                            input().tuning.values.get(kFriendCandidates));
        }
        if (!found_) {
            found_ = search_->go_on(turn);
        }
        for (; found_ && plans_.size() < search_->senders().size() && !turn.used_up();) {
            const std::size_t next = plans_.size();
            const FriendPlan &plan = search_->plans()[next];
            WordWriter words;
            plan.put(words);
            for (const Rank one : plan.friends) {
                entries_.at(one).whereabouts.put(words);
            }
            turn.spend(10 * words.words().size());
            plans_[search_->senders()[next].rank] = words.take();
        }
        return found_ && plans_.size() == search_->senders().size();
    }

    void read_plans(WordReader words)
    {
        while (words.left() != 0) {
            const Rank rank = words.take();
            plans_[rank] = words.take_group().copy();
            if (entries_.count(rank) == 0) {
                throw BadWords("the plan of a rank that did not ask");
            }
        }
    }

    // Plans are here, or were made here.
    Step pass_on(const std::vector<Message> &inbox)
    {
        if (!inbox.empty()) {
            attempt([&] { read_plans(open_letter(kPlans, inbox.front())); });
        }
        std::map<Rank, WordWriter> down; // by child
        attempt([&] {
            for (const auto &[rank, entry] : entries_) {
                if (entry.through != kNoRank) {
                    down[entry.through].put(rank);
                    down[entry.through].put_group(plans_.at(rank));
                }
            }
        });
        Step step;
        for (const Rank child : children()) {
            step.outbox.push_back(letter(kPlans, child, down[child].words()));
        }
        for (const Rank member : members_) {
            step.outbox.push_back(letter(kPlan, member, plans_[member]));
        }
        if (!leads()) {
            return await_plan(step);
        }
        attempt([&] { read_plan(WordReader(plans_.at(self()))); });
        stage_ = Stage::tell;
        return step;
    }

    Step take_plan(const Message &from)
    {
        attempt([&] { read_plan(open_letter(kPlan, from)); });
        stage_ = Stage::tell;
        return Step{};
    }

    // What this rank is to do, and where its friends run.
    void read_plan(WordReader words)
    {
        plan_ = FriendPlan::take(words, sender_, input().ranks);
        if (!input().surroundings->complete()) {
            with_friends_ = *input().surroundings;
        }
        for (const Rank one : plan_.friends) {
            const Whereabouts whereabouts = Whereabouts::take(words);
            if (with_friends_) {
                with_friends_->add(one, whereabouts);
            }
            if (!surroundings().knows(one) || !(surroundings().of(one) == whereabouts)
                || (!anywhere_ && !surroundings().local(self(), one))) {
                throw BadWords("a friend that runs elsewhere");
            }
        }
        words.expect_end();
    }

    const Surroundings &surroundings() const
    {
        return with_friends_ ? *with_friends_ : *input().surroundings;
    }

    // Tells each out-neighbour how this rank's block comes to it, and what else comes from here.
    Step tell()
    {
        Step step;
        for (const Rank destination : links_.destinations()) {
            WordWriter words;
            plan_.news_for(destination).put(words);
            step.outbox.push_back(letter(kNews, destination, words.words()));
        }
        step.expect = links_.sources();
        stage_ = Stage::build;
        return step;
    }

    Step build(const std::vector<Message> &inbox)
    {
        attempt([&] {
            std::map<Rank, News> news;
            for (const Message &from : inbox) {
                WordReader words = open_letter(kNews, from);
                news[from.peer] = News::take(words, input().ranks);
                words.expect_end();
            }
            const FriendOperations operations(*input().neighbourhood, links_, plan_, news);
            for (Work &work : works()) {
                operations.append(work.pattern);
                work.totals =
                    traffic_of(work.pattern, *input().neighbourhood, surroundings(), kFriendPhases);
            }
        });
        stage_ = Stage::conclude;
        return Step{};
    }

    bool anywhere_;
    NeighbourLinks links_;
    Stage stage_ = Stage::begin;
    Sender sender_; // this rank
    FriendPlan plan_;
    std::optional<Surroundings> with_friends_; // where not all ranks were known
    // Of those that pass on:
    std::vector<Rank> members_; // of a leader: the others of its region
    std::map<Rank, Entry> entries_;
    std::optional<FriendSearch> search_; // of who finds the groups
    bool found_ = false;
    std::map<Rank, std::vector<std::int32_t>> plans_; // as words
};

} // namespace

std::unique_ptr<Builder> make_common_neighbor_builder(const BuildInput &input)
{
    return std::make_unique<CommonNeighborBuilder>(input);
}

std::optional<Traffic> least_with_friends(const Facts &facts)
{
    constexpr std::int64_t kLeastCommon = 3; // more than two friends
    if (facts.busiest_edges < kLeastCommon) {
        return std::nullopt;
    }
    Traffic traffic;
    traffic.phases = kFriendPhases;
    if (facts.edges_network > 0) {
        traffic.relayed.add(Link::network, false, 1, 1);
        traffic.busiest_relayed = traffic.relayed;
    }
    return traffic;
}

} // namespace nbrhood
