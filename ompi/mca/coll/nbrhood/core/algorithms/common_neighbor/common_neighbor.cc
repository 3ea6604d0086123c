// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/common_neighbor/common_neighbor.h"

#include <algorithm>
#include <map>

#include "algorithms/toolkit/counted_protocol.h"
#include "algorithms/common_neighbor/friend_operations.h"
#include "algorithms/common_neighbor/friend_search.h"
#include "algorithms/toolkit/pattern_traffic.h"

namespace nbrhood {
namespace {

// The messages, in the order of the protocol.
enum : int {
    kFriends,                                       // up the tree: out-neighbours; down: plans
    kNotification = kFriends + TreeExchange::kKinds // to out-neighbours: the block's route
};

class CommonNeighborBuilder : public CountedProtocol {
public:
    explicit CommonNeighborBuilder(const BuildInput &from)
        : CountedProtocol(from), anywhere_(from.tuning.values.get(kFriendsAnywhere)),
          links_(*from.neighbourhood)
    {}

private:
    // The next superstep of a rank.
    enum class Stage { find, build, conclude };

    // A sender on its way to the rank that finds the groups.
    struct Entry {
        Sender sender;
        RankPlace rank_place;
    };

    Step advance(const std::vector<Message> &inbox) override
    {
        if (!input().neighbourhood->has_edges()) {
            return Step{{}, {}, true};
        }
        switch (stage_) {
        case Stage::find:
            return find(inbox);
        case Stage::build:
            return build(inbox);
        case Stage::conclude:
            return conclude(inbox);
        }
        return Step{{}, {}, true};
    }

    // Lists of out-neighbours go up the tree, whose root finds the groups; plans go down the tree.
    Step find(const std::vector<Message> &inbox)
    {
        if (!exchange_) {
            attempt([&] {
                sender_ = links_.sender(self());
                entries_.emplace(self(), Entry{sender_, input().known_ranks->of(self())});
            });
            exchange_.emplace(
                input(), anywhere_ ? input().tree : place_in_region(*input().known_ranks, self()),
                kFriends, terms());
        }
        if (const auto step = deliver(*exchange_, inbox)) {
            return *step;
        }
        attempt([&] { read_plan(WordReader(plans_.at(self()))); });
        return tell();
    }

    TreeExchange::Terms terms()
    {
        TreeExchange::Terms terms;
        terms.put_up = [this](WordWriter &words) {
            for (const auto &[rank, entry] : entries_) {
                put(entry, words);
            }
        };
        terms.add_up = [this](Rank child, WordReader &words) { add_entries(child, words); };
        terms.conclude = [this] {
            WorkSlice turn(kWorkOfATurn);
            const bool done = plan_all(turn);
            if (done) {
                search_.reset();
            }
            return done;
        };
        terms.put_down = [this](Rank child, WordWriter &words) {
            for (const Rank rank : through_.at(child)) {
                words.put(rank);
                words.put_group(plans_.at(rank));
            }
        };
        terms.take_down = [this](WordReader &words) { read_plans(words); };
        return terms;
    }

    static void put(const Entry &entry, WordWriter &words)
    {
        entry.sender.put(words);
        entry.rank_place.put(words);
    }

    Entry take_entry(WordReader &words) const
    {
        Entry entry;
        entry.sender = Sender::take(words, input().ranks);
        entry.rank_place = RankPlace::take(words);
        return entry;
    }

    void add_entries(Rank child, WordReader &words)
    {
        while (words.left() != 0) {
            const Entry entry = take_entry(words);
            if (!entries_.emplace(entry.sender.rank, entry).second) {
                throw BadMessage("the same rank's out-neighbours twice");
            }
            through_[child].push_back(entry.sender.rank);
        }
        if (through_.count(child) == 0 || entries_.count(child) == 0) {
            throw BadMessage("other ranks' out-neighbours");
        }
    }

    // Returns whether all plans are made.
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
                entries_.at(one).rank_place.put(words);
            }
            turn.spend(10 * words.words().size());
            plans_[search_->senders()[next].rank] = words.take();
        }
        return found_ && plans_.size() == search_->senders().size();
    }

    void read_plans(WordReader &words)
    {
        while (words.left() != 0) {
            const Rank rank = words.take();
            plans_[rank] = words.take_group().copy();
            if (entries_.count(rank) == 0) {
                throw BadMessage("the plan of a rank that did not ask");
            }
        }
    }

    // Reads the plan of this rank, and the places of its friends.
    void read_plan(WordReader words)
    {
        plan_ = FriendPlan::take(words, sender_, input().ranks);
        if (!input().known_ranks->complete()) {
            with_friends_ = *input().known_ranks;
        }
        for (const Rank one : plan_.friends) {
            const RankPlace rank_place = RankPlace::take(words);
            if (with_friends_) {
                with_friends_->add(one, rank_place);
            }
            if (!known_ranks().knows(one) || !(known_ranks().of(one) == rank_place)
                || (!anywhere_ && !known_ranks().local(self(), one))) {
                throw BadMessage("a friend that runs elsewhere");
            }
        }
        words.expect_end();
    }

    const KnownRanks &known_ranks() const
    {
        return with_friends_ ? *with_friends_ : *input().known_ranks;
    }

    // Tells each out-neighbour how this rank's block comes, and the size of this rank's combined
    // message.
    Step tell()
    {
        Step step;
        for (const Rank destination : links_.destinations()) {
            WordWriter words;
            plan_.notification_for(destination).put(words);
            step.outbox.push_back(write_message(kNotification, destination, words.words()));
        }
        step.expect = links_.sources();
        stage_ = Stage::build;
        return step;
    }

    Step build(const std::vector<Message> &inbox)
    {
        attempt([&] {
            std::map<Rank, Notification> notifications;
            for (const Message &from : inbox) {
                WordReader words = open_message(kNotification, from);
                notifications[from.peer] = Notification::take(words, input().ranks);
                words.expect_end();
            }
            const FriendOperations operations(*input().neighbourhood, links_, plan_, notifications);
            for (Work &work : works()) {
                operations.append(work.pattern);
                work.totals =
                    traffic_of(work.pattern, *input().neighbourhood, known_ranks(), kFriendPhases);
            }
        });
        stage_ = Stage::conclude;
        return conclude({});
    }

    bool anywhere_;
    NeighbourLinks links_;
    Stage stage_ = Stage::find;
    Sender sender_; // this rank
    FriendPlan plan_;
    std::optional<KnownRanks> with_friends_; // if not all ranks were known
    std::optional<TreeExchange> exchange_;
    std::map<Rank, Entry> entries_;             // of this rank's subtree
    std::map<Rank, std::vector<Rank>> through_; // by child: the ranks whose entries it sent
    std::optional<FriendSearch> search_;        // on the rank that finds the groups
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
    constexpr std::int64_t kLeastCommon = 3; // more than the friends of a group of two
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
