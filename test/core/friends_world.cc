// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "friends_world.h"

#include <set>

#include "select/selection.h"

namespace nbrhood::test {

const Algorithm &friends_row()
{
    return registry()[static_cast<std::size_t>(find_choice("common_neighbor") - kFirstRow)];
}

Tuning tuned(int k, bool anywhere, int candidates)
{
    Tuning tuning;
    tuning.values.set(kFriendsPerGroup, k);
    tuning.values.set(kFriendsAnywhere, anywhere);
    tuning.values.set(kFriendCandidates, candidates);
    return tuning;
}

Tuning random_friends(Random &random)
{
    return tuned(kFriendSizes[draw(random, 0, 4)], chance(random, 0.5), 1 << draw(random, 0, 12));
}

Graph friendly_graph(Random &random, int ranks)
{
    if (chance(random, 0.3)) {
        return random_graph(random, ranks);
    }
    Lists lists = dense_lists(random, ranks, draw(random, 3, 10) / 10.0);
    for (int more = chance(random, 0.5) ? draw(random, 1, 3 * ranks) : 0; more > 0; --more) {
        lists.add(draw(random, 0, ranks - 1), draw(random, 0, ranks - 1)); // self edges, too
    }
    Graph graph = match(lists);
    for (Neighbourhood &own : graph) {
        if (chance(random, 0.1)) {
            own.in.insert(own.in.begin(), EdgeEnd{});
            own.out.push_back(EdgeEnd{});
        }
    }
    return graph;
}

FriendsWorld::FriendsWorld(Graph graph, const Machine &machine, bool beside)
    : graph_(std::move(graph)), known_(graph_.size()), input_(graph_.size())
{
    std::vector<char> has_edges;
    for (const Neighbourhood &own : graph_) {
        has_edges.push_back(own.has_edges() ? 1 : 0);
    }
    if (beside) {
        tell_neighbours(machine);
    } else {
        all_ = KnownRanks(machine, has_edges);
    }
    for (std::size_t r = 0; r < graph_.size(); ++r) {
        input_[r].neighbourhood = &graph_[r];
        input_[r].known_ranks = beside ? &known_[r] : &all_;
        input_[r].ranks = machine.ranks();
        input_[r].tasks = {Task{BlockKind::one_per_rank, 0}};
        input_[r].tree = beside ? TreePlace(component_of(r), graph_[r].rank)
                                : place_in_tree(all_, graph_[r].rank);
    }
}
std::vector<std::unique_ptr<Builder>> FriendsWorld::builders(const Tuning &tuning, Rank fail_rank,
                                                             int fail_step)
{
    std::vector<std::unique_ptr<Builder>> builders;
    for (BuildInput &input : input_) {
        input.tuning = tuning;
        input.fail_in_step = input.neighbourhood->rank == fail_rank ? fail_step : -1;
        builders.push_back(friends_row().make_builder(input));
    }
    return builders;
}

std::vector<Rank> FriendsWorld::component_of(std::size_t rank) const
{
    const std::vector<Rank> labels = components_of(graph_);
    std::vector<Rank> members;
    for (std::size_t r = 0; r < graph_.size(); ++r) {
        if (labels[r] == labels[rank]) {
            members.push_back(static_cast<Rank>(r));
        }
    }
    return members;
}

void FriendsWorld::tell_neighbours(const Machine &machine)
{
    for (std::size_t r = 0; r < graph_.size(); ++r) {
        const std::vector<Rank> component = component_of(r);
        const auto rank_place_of = [&](Rank rank) {
            Rank leader = kNoRank;
            for (const Rank other : component) {
                leader = leader == kNoRank && machine.local(other, rank) ? other : leader;
            }
            return RankPlace{machine.place(rank), leader};
        };
        std::set<Rank> near;
        for (const Rank other : component) {
            if (machine.local(other, static_cast<Rank>(r))) {
                near.insert(other);
            }
        }
        for (const auto *ends : {&graph_[r].in, &graph_[r].out}) {
            for (const EdgeEnd &end : *ends) {
                near.insert(end.peer);
            }
        }
        near.erase(kNoRank);
        for (const Rank other : near) {
            known_[r].add(other, rank_place_of(other));
        }
    }
}

} // namespace nbrhood::test
