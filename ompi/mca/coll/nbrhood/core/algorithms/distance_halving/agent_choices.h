// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The choices of agents: in every step of halving, ranks learn their agent and the ranks that they
// serve as agent.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/distance_halving/agent_selection.h"
#include "algorithms/toolkit/builder.h"
#include "algorithms/distance_halving/halving_tree.h"
#include "algorithms/toolkit/checked_messages.h"

namespace nbrhood {

// The agent and origins of a rank in a step.
struct Choice {
    Rank agent = kNoRank;
    std::vector<Rank> origins;
};

// The choices of all steps at once. Ranks send their neighbours to the leader of their region. For
// each part that is cut, and each of its halves, a coordinator gets from the leaders those
// neighbours that are in the opposite half. It selects agents and tells the leaders, which tell
// their members. A builder embeds it, see Protocol::deliver.
class AgentChoices {
public:
    // The messages have kKinds kinds from `kind` on. input: with the places of all ranks;
    // most_origins: see select_agents; samples: see Samples. Input and tree must outlive this.
    AgentChoices(const BuildInput &input, const HalvingTree &tree, int most_origins, int samples,
                 int kind);
    static constexpr int kKinds = 4;

    // The two halves of a superstep, for Protocol::deliver; see Delivery. receive() throws as
    // CheckedMessages::open, and BadMessage for impossible contents.
    void receive(const std::vector<Message> &inbox);
    std::optional<Step> next(bool failed);

    // After the end, on a rank that did not fail: by step.
    const std::vector<Choice> &choices() const { return choices_; }

private:
    // Messages that the last step expects; `selection`: none, since it paused in the selection of
    // agents.
    enum class Stage { begin, neighbours, rows, selection, pairs, own };

    // The search of one half's ranks for agents in the other half.
    struct Search {
        const Halving *halving;
        int half; // the half of the searching ranks
        Rank coordinator;

        int other() const { return 1 - half; }
    };
    // Edges between a rank and its neighbours.
    struct Neighbours {
        bool receives = false;      // whether the rank has in-edges
        std::vector<int> positions; // destinations of its block, ascending
    };
    using Words = std::vector<std::int32_t>;

    bool leads() const { return leader_of(position_) == self_; }
    Rank leader_of(int position) const
    {
        return input_->known_ranks->region_of(halving_tree_->at(position));
    }
    Neighbours own_neighbours() const;
    std::vector<int> members_in(const Halving &halving) const;
    std::map<Rank, std::vector<int>> regions_in(const Halving &halving) const;
    Samples samples_of(const Search &search) const;
    template <typename Read>
    void read(int kind, const std::vector<Message> &inbox, const Read &read_one) const;
    void read_neighbours(const std::vector<Message> &inbox);
    void read_rows(const std::vector<Message> &inbox, WorkSlice &turn);
    AgentSearch take_rows(const Search &search, std::map<Rank, WordReader> &told) const;
    void select(WorkSlice &turn);
    void write_pairs(const Search &search, const std::vector<int> &agents);
    void read_pairs(const std::vector<Message> &inbox);
    void take_pairs(const Search &search, WordReader pairs);
    void read_own(const std::vector<Message> &inbox);
    std::map<Rank, WordWriter> write_rows() const;
    Step exchange(int kind, const std::map<Rank, WordWriter> &messages,
                  const std::set<Rank> &sources, bool failed);

    const BuildInput *input_;
    const HalvingTree *halving_tree_;
    int most_origins_;
    int samples_;
    int kind_;
    Rank self_;
    int position_;
    CheckedMessages messages_;
    std::vector<Search> searches_; // all searches, in the same order on all ranks
    std::vector<int> own_;         // on a leader: the positions of its region's ranks, ascending
    Stage stage_ = Stage::begin;
    std::set<Rank> sources_; // ranks whose messages the last step expects
    Words kept_;             // this rank's message to itself
    Neighbours own_neighbours_;
    std::map<int, Neighbours> neighbours_; // on a leader: by position of a member
    // On a coordinator: the unfinished selections.
    std::deque<std::pair<const Search *, AgentSelector>> selections_;
    std::map<Rank, WordWriter> pairs_;           // on a coordinator: by leader
    std::map<int, std::vector<Choice>> members_; // on a leader: by position, then step
    std::vector<Choice> choices_;
};

} // namespace nbrhood
