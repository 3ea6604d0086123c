#include "algorithms/counted_protocol.h"

#include <algorithm>
#include <set>

#include "graph/roles.h"

namespace nbrhood {
namespace {

// The letters; far from those of the algorithms.
enum Kind : int {
    kMemberCounts = 1000, // of a member, to its leader
    kSums,                // up the tree
    kDecision             // down the tree, and to members
};

} // namespace

Step CountedProtocol::conclude(const std::vector<Message> &inbox)
{
    switch (stage_) {
    case Stage::begin:
        return begin();
    case Stage::collect:
        return collect(inbox);
    case Stage::spread:
        return spread(inbox);
    case Stage::wait:
        return wait(inbox);
    }
    return Step{{}, {}, true};
}

// The next superstep at once, since this one would wait for nobody.
Step CountedProtocol::go_on(Step &step, Step (CountedProtocol::*next)(const std::vector<Message> &))
{
    begin_next_superstep();
    Step more = (this->*next)({});
    more.outbox.insert(more.outbox.begin(), step.outbox.begin(), step.outbox.end());
    return more;
}

// The receivers of this rank's edges, where nobody knows yet which blocks have one size.
void CountedProtocol::put_edges(WordWriter &words) const
{
    std::set<Rank> receivers;
    for (const EdgeEnd &end : input().neighbourhood->out) {
        if (end.peer != kNoRank && !input().one_size) {
            receivers.insert(end.peer);
        }
    }
    words.put_group({receivers.begin(), receivers.end()});
}

Step CountedProtocol::begin()
{
    Step step;
    const Rank leader = input().surroundings->region_of(self());
    if (leads()) {
        for (const Rank member : input().surroundings->members(leader)) {
            if (member != self()) {
                members_.push_back(member);
            }
        }
        step.expect = members_;
    } else {
        WordWriter words;
        attempt([&] {
            put_totals(words);
            put_edges(words);
        });
        step.outbox.push_back(letter(kMemberCounts, leader, words.words()));
    }
    if (!input().tree) {
        stage_ = Stage::wait;
        step.expect = {leader};
        return step;
    }
    const std::vector<Rank> &children = input().tree->children;
    step.expect.insert(step.expect.end(), children.begin(), children.end());
    stage_ = Stage::collect;
    return step.expect.empty() ? go_on(step, &CountedProtocol::collect) : step;
}

// Members' counts are here, and children's sums; send the sums up.
Step CountedProtocol::collect(const std::vector<Message> &inbox)
{
    Roles roles(input().ranks);
    const auto add_edges = [&](Rank sender, WordReader receivers) {
        while (receivers.left() != 0) {
            roles.add_edge(sender, receivers.take(0, input().ranks - 1));
        }
    };
    attempt([&] {
        if (leads()) {
            WordWriter own;
            put_edges(own);
            WordReader words(own.words());
            add_edges(self(), words.take_group());
        } else {
            for (Work &work : works()) {
                work.totals = {}; // its leader has it
            }
        }
        for (std::size_t i = 0; i < members_.size(); ++i) {
            WordReader words = open_letter(kMemberCounts, inbox.at(i));
            add_member_totals(words);
            add_edges(members_[i], words.take_group());
            words.expect_end();
        }
        for (std::size_t i = members_.size(); i < inbox.size(); ++i) {
            WordReader words = open_letter(kSums, inbox.at(i));
            add_totals(words);
            const std::vector<std::int32_t> sets = words.copy();
            if (!roles.is_encoded(sets)) {
                throw BadWords("sets of roles that cannot be");
            }
            roles.merge(sets);
        }
    });
    stage_ = Stage::spread;
    if (input().tree->parent != kNoRank) {
        WordWriter words;
        attempt([&] {
            put_totals(words);
            words.put_all(roles.encode());
        });
        return Step{
            {letter(kSums, input().tree->parent, words.words())}, {input().tree->parent}, false};
    }
    attempt([&] {
        set_one_size(input().one_size ? *input().one_size : roles.one_size());
        decide();
    });
    begin_next_superstep();
    return spread({});
}

Message CountedProtocol::decision_for(Rank peer)
{
    WordWriter words;
    put_decisions(words);
    return letter(kDecision, peer, words.words());
}

void CountedProtocol::take_decision(const Message &from)
{
    attempt([&] {
        WordReader words = open_letter(kDecision, from);
        take_decisions(words);
        words.expect_end();
    });
}

// The decision is here, or this is the root, which made it.
Step CountedProtocol::spread(const std::vector<Message> &inbox)
{
    if (!inbox.empty()) {
        take_decision(inbox.front());
    }
    Step step;
    for (const Rank child : input().tree->children) {
        step.outbox.push_back(decision_for(child));
    }
    if (leads()) {
        for (const Rank member : members_) {
            step.outbox.push_back(decision_for(member));
        }
        step.done = true;
        return step;
    }
    stage_ = Stage::wait;
    step.expect = {input().surroundings->region_of(self())};
    return step;
}

Step CountedProtocol::wait(const std::vector<Message> &inbox)
{
    take_decision(inbox.front());
    return Step{{}, {}, true};
}

} // namespace nbrhood
