// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Builds patterns among the ranks of a tree: all ranks of a communicator at the creation of its
// topology, or the ranks of a component that found each other while the program runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "build/tree.h"
#include "engine/creator.h"

namespace nbrhood {

// One rank's part. It never waits.
//
// 1. Each rank's Survey goes up the tree, and the sum comes down. The root adds its rank and its
//    timestamp, which name the recording on all ranks.
//
// 2. Builders' supersteps follow (class Creator).
//
// 3. If builders ran, one more sum goes up and comes down: it says whether all ranks built the same
//    patterns. A rank that could not read a builder's message may have ended before the last
//    messages for it came; these are ignored while it waits for the sum.
class Construction {
public:
    // Makes the participants from the survey of all ranks, which it may correct; nothing if the
    // component serves no collective. behind: the data of ranks after the survey, see begin().
    using TakeSurvey = std::function<std::optional<Participants>(Survey &all, WordReader &behind)>;

    // ranks: of the communicator. Keeps references to all arguments but `take_survey`.
    Construction(const Neighbourhood &neighbourhood, Rank ranks, const Settings &settings,
                 Tree &tree, Topology &topology, TakeSurvey take_survey)
        : neighbourhood_(neighbourhood), ranks_(ranks), settings_(settings), tree_(tree),
          topology_(topology), take_survey_(std::move(take_survey)),
          creator_(neighbourhood, settings, topology)
    {}

    // Call it when the tree is complete. own: this rank's survey. behind: words of this rank that
    // all ranks get, followed by those of its children. This and the functions below throw
    // std::bad_alloc, and BadMessage for a message that no rank can have sent.
    void begin(const Survey &own, std::vector<std::int32_t> behind = {});
    // Does the work that the messages of the tree make possible.
    void advance();
    bool ended() const { return stage_ == Stage::ended; }

    // Whether a builder has paused long work, which goes on with take_turn().
    bool wants_turn() const { return pauses_; }
    void take_turn()
    {
        pauses_ = false;
        advance();
    }

    // Whether builders ran, the same on all ranks; known at the end.
    bool builders_ran() const { return creator_.wants_sum(); }

private:
    // The kind of messages that are expected.
    enum class Stage { rests, surveys, survey, superstep, sums, total, ended };

    void await(Stage stage, const std::vector<Rank> &peers)
    {
        stage_ = stage;
        tree_.await(peers);
    }
    void send_up(Stage answer, std::vector<std::int32_t> words)
    {
        stage_ = answer;
        tree_.send_up(std::move(words));
    }
    bool has_sums();
    void pass_survey();
    void begin_building();
    void do_superstep();
    void pass_sums();
    void pass_total();
    void conclude();

    const Neighbourhood &neighbourhood_;
    Rank ranks_;
    const Settings &settings_;
    Tree &tree_;
    Topology &topology_;
    TakeSurvey take_survey_;
    Creator creator_;
    Stage stage_ = Stage::rests;
    bool pauses_ = false;
    Survey survey_; // of this rank, then also of the ranks below it
    std::vector<std::int32_t> behind_;
};

} // namespace nbrhood
