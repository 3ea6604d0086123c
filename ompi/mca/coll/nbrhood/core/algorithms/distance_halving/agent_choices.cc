// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/distance_halving/agent_choices.h"

#include <algorithm>

namespace nbrhood {
namespace {

// The messages, counted from the kind that the builder gives.
enum : int {
    kNeighbours, // of a member, to its leader
    kRows,       // of leaders, to coordinators
    kPairs,      // of coordinators, to leaders
    kChosen      // of a leader, to its members
};

} // namespace

AgentChoices::AgentChoices(const BuildInput &input, const HalvingTree &tree, int most_origins,
                           int samples, int kind)
    : input_(&input), halving_tree_(&tree), most_origins_(most_origins), samples_(samples),
      kind_(kind), self_(input.neighbourhood->rank), position_(tree.position(self_)),
      messages_(self_)
{
    for (const Halving &halving : tree.halvings()) {
        for (const int half : {0, 1}) {
            searches_.push_back({&halving, half, tree.coordinator(halving, half)});
        }
    }
    if (leads()) {
        for (const Rank member : input.known_ranks->members(self_)) {
            own_.push_back(tree.position(member));
        }
        std::sort(own_.begin(), own_.end());
    }
}

AgentChoices::Neighbours AgentChoices::own_neighbours() const
{
    const auto counts = [&](const EdgeEnd &end) {
        return end.peer != kNoRank && end.peer != self_;
    };
    const Neighbourhood &own = *input_->neighbourhood;
    std::set<int> positions;
    for (const EdgeEnd &end : own.out) {
        if (counts(end)) {
            positions.insert(halving_tree_->position(end.peer));
        }
    }
    return {std::any_of(own.in.begin(), own.in.end(), counts),
            {positions.begin(), positions.end()}};
}

// On a leader: the positions of its region's ranks in a part.
std::vector<int> AgentChoices::members_in(const Halving &halving) const
{
    const auto first = std::lower_bound(own_.begin(), own_.end(), halving.first);
    return {first, std::lower_bound(first, own_.end(), halving.end)};
}

// By leader of a region: the positions of its ranks in a part, ascending.
std::map<Rank, std::vector<int>> AgentChoices::regions_in(const Halving &halving) const
{
    std::map<Rank, std::vector<int>> regions;
    for (int position = halving.first; position < halving.end; ++position) {
        regions[leader_of(position)].push_back(position);
    }
    return regions;
}

Samples AgentChoices::samples_of(const Search &search) const
{
    return {search.halving->begin_of(search.other()), search.halving->end_of(search.other()),
            samples_};
}

// Calls read_one(source, words) for the messages that the last step expected.
template <typename Read>
void AgentChoices::read(int kind, const std::vector<Message> &inbox, const Read &read_one) const
{
    auto next = inbox.begin();
    for (const Rank source : sources_) {
        const bool own = source == self_;
        read_one(source, own ? WordReader(kept_) : messages_.open(kind_ + kind, *next));
        next += own ? 0 : 1;
    }
}

void AgentChoices::read_neighbours(const std::vector<Message> &inbox)
{
    const auto most = static_cast<int>(halving_tree_->order().size()) - 1;
    read(kNeighbours, inbox, [&](Rank member, WordReader words) {
        Neighbours &theirs = neighbours_[halving_tree_->position(member)];
        theirs.receives = words.take_flag();
        while (words.left() != 0) {
            const int least = theirs.positions.empty() ? 0 : theirs.positions.back() + 1;
            theirs.positions.push_back(words.take(least, most));
        }
    });
}

// Messages of leaders to coordinators about their members: for each search, the neighbours of each
// member in the half that is searched, and whether candidates have in-edges.
std::map<Rank, WordWriter> AgentChoices::write_rows() const
{
    const Neighbours unknown; // for members that failed
    std::map<Rank, WordWriter> messages;
    for (const Search &search : searches_) {
        for (const int member : members_in(*search.halving)) {
            const auto found = neighbours_.find(member);
            const Neighbours &theirs = found != neighbours_.end() ? found->second : unknown;
            WordWriter &words = messages[search.coordinator];
            if (search.halving->half_of(member) != search.half) {
                words.put(theirs.receives ? 1 : 0);
            }
            words.put_all(samples_of(search).bits_of(theirs.positions));
        }
    }
    return messages;
}

AgentSearch AgentChoices::take_rows(const Search &search, std::map<Rank, WordReader> &told) const
{
    const Samples samples = samples_of(search);
    const Halving &halving = *search.halving;
    AgentSearch rows;
    rows.origins.resize(static_cast<std::size_t>(halving.size_of(search.half)));
    rows.candidates.resize(static_cast<std::size_t>(halving.size_of(search.other())));
    for (const auto &[leader, members] : regions_in(halving)) {
        WordReader &words = told.at(leader);
        for (const int member : members) {
            const int half = halving.half_of(member);
            const auto place = static_cast<std::size_t>(member - halving.begin_of(half));
            const bool may = half == search.half || words.take_flag();
            AgentSearch::Row row = samples.take_row(words);
            (half == search.half ? rows.origins : rows.candidates)[place] =
                may ? std::move(row) : AgentSearch::Row();
        }
    }
    return rows;
}

// On a coordinator: reads the messages of leaders.
void AgentChoices::read_rows(const std::vector<Message> &inbox, WorkSlice &turn)
{
    for (const Message &message : inbox) {
        turn.spend(message.words.size());
    }
    std::map<Rank, WordReader> told;
    read(kRows, inbox, [&](Rank leader, WordReader words) { told.emplace(leader, words); });
    for (const Search &search : searches_) {
        if (search.coordinator == self_) {
            selections_.emplace_back(&search,
                                     AgentSelector(take_rows(search, told), most_origins_));
        }
    }
    for (const auto &entry : told) {
        entry.second.expect_end();
    }
}

// Continues the selections until the turn is over.
void AgentChoices::select(WorkSlice &turn)
{
    while (!selections_.empty() && selections_.front().second.go_on(turn)) {
        write_pairs(*selections_.front().first, selections_.front().second.agents());
        selections_.pop_front();
    }
}

// Writes for each leader the pairs of origin and agent with a member of its region.
void AgentChoices::write_pairs(const Search &search, const std::vector<int> &agents)
{
    std::map<Rank, Words> pairs;
    for (const auto &region : regions_in(*search.halving)) {
        pairs[region.first];
    }
    for (std::size_t i = 0; i < agents.size(); ++i) {
        if (agents[i] < 0) {
            continue;
        }
        const int origin = search.halving->begin_of(search.half) + static_cast<int>(i);
        const int agent = search.halving->begin_of(search.other()) + agents[i];
        for (const Rank leader : std::set<Rank>{leader_of(origin), leader_of(agent)}) {
            pairs[leader].push_back(origin);
            pairs[leader].push_back(agent);
        }
    }
    for (const auto &[leader, words] : pairs) {
        pairs_[leader].put_group(words);
    }
}

void AgentChoices::read_pairs(const std::vector<Message> &inbox)
{
    std::map<Rank, WordReader> told;
    read(kPairs, inbox,
         [&](Rank coordinator, WordReader words) { told.emplace(coordinator, words); });
    for (const Search &search : searches_) {
        if (!members_in(*search.halving).empty()) {
            take_pairs(search, told.at(search.coordinator).take_group());
        }
    }
    for (const auto &entry : told) {
        entry.second.expect_end();
    }
}

void AgentChoices::take_pairs(const Search &search, WordReader pairs)
{
    const auto step = static_cast<std::size_t>(search.halving->depth);
    const auto take = [&](int half) {
        return pairs.take(search.halving->begin_of(half), search.halving->end_of(half) - 1);
    };
    while (pairs.left() != 0) {
        const int origin = take(search.half);
        const int agent = take(search.other());
        const auto served = members_.find(origin);
        if (served != members_.end()) {
            served->second.at(step).agent = halving_tree_->at(agent);
        }
        const auto serving = members_.find(agent);
        if (serving != members_.end()) {
            serving->second.at(step).origins.push_back(halving_tree_->at(origin));
        }
    }
}

void AgentChoices::read_own(const std::vector<Message> &inbox)
{
    read(kChosen, inbox, [&](Rank, WordReader words) {
        for (const Halving &halving : halving_tree_->of(position_)) {
            const auto check = [&](Rank rank) {
                const int position = halving_tree_->position(rank);
                if (!halving.contains(position)
                    || halving.half_of(position) == halving.half_of(position_)) {
                    throw BadMessage("an agent or origin that is not in the other half");
                }
                return rank;
            };
            Choice choice;
            choice.agent = words.take(kNoRank, input_->ranks - 1);
            if (choice.agent != kNoRank) {
                check(choice.agent);
            }
            WordReader origins = words.take_group();
            while (origins.left() != 0) {
                choice.origins.push_back(check(origins.take(0, input_->ranks - 1)));
            }
            choices_.push_back(std::move(choice));
        }
        words.expect_end();
    });
}

void AgentChoices::receive(const std::vector<Message> &inbox)
{
    WorkSlice turn(kWorkOfATurn);
    switch (stage_) {
    case Stage::begin:
        own_neighbours_ = own_neighbours();
        break;
    case Stage::neighbours:
        return read_neighbours(inbox);
    case Stage::rows:
        read_rows(inbox, turn);
        return select(turn);
    case Stage::selection:
        return select(turn);
    case Stage::pairs:
        return read_pairs(inbox);
    case Stage::own:
        return read_own(inbox);
    }
}

// Sends messages of a kind and expects messages of the same kind; keeps the one for this rank
// itself.
Step AgentChoices::exchange(int kind, const std::map<Rank, WordWriter> &messages,
                            const std::set<Rank> &sources, bool failed)
{
    Step step;
    for (const auto &[peer, words] : messages) {
        if (peer == self_) {
            kept_ = words.words();
        } else {
            step.outbox.push_back(messages_.write(kind_ + kind, peer, failed, words.words()));
        }
    }
    sources_ = sources;
    std::copy_if(sources.begin(), sources.end(), std::back_inserter(step.expect),
                 [&](Rank source) { return source != self_; });
    return step;
}

std::optional<Step> AgentChoices::next(bool failed)
{
    std::map<Rank, WordWriter> messages;
    std::set<Rank> sources;
    switch (stage_) {
    case Stage::begin: {
        WordWriter &words = messages[leader_of(position_)];
        words.put(own_neighbours_.receives ? 1 : 0);
        words.put_all(own_neighbours_.positions);
        for (const int member : own_) {
            sources.insert(halving_tree_->at(member));
        }
        stage_ = Stage::neighbours;
        return exchange(kNeighbours, messages, sources, failed);
    }
    case Stage::neighbours:
        for (const Search &search : searches_) {
            if (search.coordinator == self_) {
                for (const auto &region : regions_in(*search.halving)) {
                    sources.insert(region.first);
                    pairs_[region.first]; // each is answered
                }
            }
        }
        stage_ = Stage::rows;
        return exchange(kRows, write_rows(), sources, failed);
    case Stage::rows:
    case Stage::selection:
        if (!failed && !selections_.empty()) {
            Step step;
            step.pauses = true;
            stage_ = Stage::selection;
            return step;
        }
        for (const Search &search : searches_) {
            if (!members_in(*search.halving).empty()) {
                sources.insert(search.coordinator);
            }
        }
        for (const int member : own_) {
            members_[member].resize(halving_tree_->of(member).size());
        }
        stage_ = Stage::pairs;
        return exchange(kPairs, pairs_, sources, failed);
    case Stage::pairs:
        for (const auto &[member, choices] : members_) {
            WordWriter &words = messages[halving_tree_->at(member)];
            for (const Choice &choice : choices) {
                words.put(choice.agent);
                words.put_group(choice.origins);
            }
        }
        stage_ = Stage::own;
        return exchange(kChosen, messages, {leader_of(position_)}, failed);
    case Stage::own:
        break;
    }
    return std::nullopt;
}

} // namespace nbrhood
