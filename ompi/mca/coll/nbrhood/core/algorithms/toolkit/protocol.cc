// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/toolkit/protocol.h"

#include <algorithm>

namespace nbrhood {

Protocol::Protocol(const BuildInput &input) : input_(input), messages_(input.neighbourhood->rank)
{
    for (const Task &task : input.tasks) {
        Work work;
        work.task = task;
        work.pattern.rank = input.neighbourhood->rank;
        work.pattern.kind = task.kind;
        works_.push_back(work);
    }
}

Step Protocol::step(const std::vector<Message> &inbox)
{
    Step result = advance(inbox);
    ++superstep_;
    return result;
}

void Protocol::put_totals(WordWriter &words) const
{
    works_.front().totals.encode_direct(words);
    for (const Work &work : works_) {
        work.totals.encode_relayed(words);
    }
}

void Protocol::add_totals(WordReader &words)
{
    Traffic more;
    more.take_direct(words);
    for (Work &work : works_) {
        more.take_relayed(words);
        work.totals.merge(more);
    }
}

void Protocol::add_member_totals(WordReader &words)
{
    Traffic more;
    more.take_direct(words);
    for (Work &work : works_) {
        more.take_relayed(words);
        work.totals.merge_member(more);
    }
}

void Protocol::decide()
{
    std::vector<Traffic> totals;
    for (const Work &work : works_) {
        totals.push_back(work.totals);
    }
    const std::vector<char> decisions =
        input_.decide ? input_.decide(totals, one_size_) : std::vector<char>(works_.size(), 1);
    for (std::size_t task = 0; task < works_.size(); ++task) {
        works_[task].outcome = decisions.at(task) != 0 ? Outcome::built : Outcome::declined;
    }
}

void Protocol::put_decisions(WordWriter &words) const
{
    for (const Work &work : works_) {
        words.put(work.outcome == Outcome::built ? 1 : 0);
    }
    words.put(one_size_ ? 1 : 0);
    put_totals(words);
}

void Protocol::take_decisions(WordReader &words)
{
    for (Work &work : works_) {
        work.outcome = words.take_flag() ? Outcome::built : Outcome::declined;
    }
    one_size_ = words.take_flag();
    Traffic total;
    total.take_direct(words);
    for (Work &work : works_) {
        total.take_relayed(words);
        work.totals = total;
    }
}

TreePlace place_in_region(const KnownRanks &known, Rank self)
{
    TreePlace place;
    if (!known.knows(self)) {
        return place;
    }
    if (known.region_of(self) != self) {
        place.parent = known.region_of(self);
        return place;
    }
    place.children = known.members(self);
    place.children.erase(std::remove(place.children.begin(), place.children.end(), self),
                         place.children.end());
    return place;
}

TreePlace place_in_tree(const KnownRanks &all, Rank self)
{
    TreePlace place = place_in_region(all, self);
    if (all.knows(self) && place.parent == kNoRank) {
        TreePlace among_leaders(all.leaders(), self);
        place.parent = among_leaders.parent;
        place.children.insert(place.children.begin(), among_leaders.children.begin(),
                              among_leaders.children.end());
    }
    return place;
}

TreePlace::TreePlace(const std::vector<Rank> &participants, Rank self)
{
    const auto found = std::find(participants.begin(), participants.end(), self);
    const auto own = static_cast<std::size_t>(found - participants.begin());
    for (std::size_t bit = 1; bit < participants.size(); bit <<= 1) {
        if ((own & bit) != 0) {
            parent = participants[own ^ bit];
            return;
        }
        if ((own | bit) < participants.size()) {
            children.push_back(participants[own | bit]);
        }
    }
}

} // namespace nbrhood
