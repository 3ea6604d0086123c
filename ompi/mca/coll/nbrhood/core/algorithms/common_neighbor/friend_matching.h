// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The matching of ranks into friend groups, in slices of work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/common_neighbor/friend_columns.h"
#include "algorithms/common_neighbor/friend_groups.h"
#include "algorithms/toolkit/work_slice.h"

namespace nbrhood {

// The work of match_friends(): fills the friendship matrix of all senders (Algorithm 2), and
// empties it in steps.
class FriendMatcher {
public:
    // Keeps a reference to the senders.
    FriendMatcher(const std::vector<Sender> &senders, int k, std::int64_t most);

    // Works until the slice is used up. Returns whether the work is complete.
    bool go_on(WorkSlice &slice);
    // The result, once it is complete.
    FriendMatching take() { return std::move(result_); }

private:
    // The current stage; each takes as many slices as it needs.
    enum class Stage { columns, rows, groups, pairs, weigh, sort, choose, ended };
    using Members = std::vector<std::size_t>; // places among the senders, ascending

    // The groups that begin with the same members: the members that may follow, and the next one to
    // try.
    struct Branch {
        Columns common; // of the members
        Members next;
        std::size_t at = 0;
    };

    void enter(Stage stage);
    void find_columns(WorkSlice &slice);
    void make_rows(WorkSlice &slice);
    void list_groups(WorkSlice &slice);
    bool branch(const Columns &common, const Members &others, WorkSlice &slice);
    void list_pairs(WorkSlice &slice);
    void weigh(WorkSlice &slice);
    void count_heavier();
    void sort(WorkSlice &slice);
    void choose(WorkSlice &slice);
    void choose(std::size_t number, WorkSlice &slice);
    bool grow(Members &group, WorkSlice &slice);
    void end_step();
    FriendGroup take_out(const Members &members);

    bool enough(int common) const { return common > static_cast<int>(k_); }
    void add_candidate(const Members &members)
    {
        candidates_.insert(candidates_.end(), members.begin(), members.end());
    }
    const std::uint32_t *candidate(std::size_t number) const
    {
        return candidates_.data() + number * width_;
    }
    Columns common_of(const Members &members) const;

    const std::vector<Sender> &senders_;
    std::size_t k_;
    std::size_t most_;
    std::size_t budget_;         // candidates to examine in a step
    std::size_t looks_left_ = 0; // in this step
    FriendMatching result_;
    Stage stage_ = Stage::columns;
    std::size_t next_ = 0; // sender or candidate of the stage

    std::vector<Rank> columns_;            // all destinations, ascending
    std::vector<std::uint32_t> column_of_; // by rank; kNone: no destination
    std::vector<Bitmap> rows_;             // by sender: its active destinations
    std::size_t width_ = 0;                // the members of a candidate
    // The members of all candidates, consecutively: groups of k, or pairs to grow groups from. In
    // lexicographic order.
    std::vector<std::uint32_t> candidates_;
    std::vector<char> dropped_;    // by candidate: it is not tried again
    std::vector<Branch> branches_; // while groups are listed, by the number of members
    Members group_;                // the members of the current branch
    // While candidates are weighed: the members of the candidates kept so far; and the common
    // neighbours of all members but the last of the candidate weighed last.
    std::vector<std::uint32_t> kept_;
    Columns common_;
    std::vector<int> weights_; // by candidate: its common neighbours
    std::vector<std::size_t>
        place_of_;                   // by weight: the place in `order_` of the next such candidate
    std::vector<std::size_t> order_; // candidates, the heaviest first
    // In this step: the senders that have a group, and the groups.
    std::vector<char> taken_;
    std::vector<Members> chosen_;
};

} // namespace nbrhood
