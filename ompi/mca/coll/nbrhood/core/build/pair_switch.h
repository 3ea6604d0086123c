// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// What serves the alltoallvs of a communicator: Open MPI's own functions, messages between the
// pairs with bytes, or the neighbourhood collective of a graph of pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "build/pair_survey.h"

namespace nbrhood {

enum class PairServing { displaced, pairs, graph };

// The most graphs of pairs of one communicator and collective. Then pairs serve for good.
inline constexpr std::uint32_t kPairGraphs = 8;

// Parameters, equal on all ranks.
struct PairTerms {
    PairLimits limits;
    std::uint32_t window = 0; // calls in each survey; the first survey begins with the last of them
    std::uint32_t watch = 0;  // calls between the first surveys; 0: one survey only
};

// One rank's state. Calls are numbered from 0 on, equally on all ranks. A survey decides whether
// messages between pairs pay. If they do not, Open MPI's own functions serve. If they do, and most
// pairs exchange bytes in most calls, the pairs are a graph from the agreed call on: the
// neighbourhood collective of this graph serves them, by direct messages first and perhaps by a
// pattern later (class Switch), and other pairs exchange messages of their own. Otherwise each pair
// with bytes does. Later surveys look whether that still fits, because programs often begin with
// dense calls: twice as many calls after the last survey if nothing has changed, up to 16 times
// PairTerms::watch.
class PairSwitch {
public:
    // propose: see class PairSurvey. Keeps a reference to the post.
    PairSwitch(Rank rank, Rank ranks, const PairTerms &terms, Post &post,
               std::function<std::uint32_t()> propose);

    // ---- Calls. They throw std::bad_alloc. ----

    // Whether the survey needs the pairs of call `number`, and whether it begins with this call.
    bool notes(std::uint32_t number) const
    {
        return !runs() && number <= next_ && next_ - number < terms_.window;
    }
    bool begins(std::uint32_t number) const { return !runs() && number == next_; }
    void note(PairLists call, std::uint64_t bytes) { seen_.add(std::move(call), bytes, graph_); }
    // parameters: a checksum of their values.
    void begin(std::uint32_t parameters);
    // See PairSurvey::arrived.
    void arrived(Rank peer, std::vector<std::int32_t> words);
    bool runs() const { return survey_ && survey_->runs(); }

    // Whether the first survey has ended.
    bool decided() const { return surveys_ > 0; }
    // What serves a call; of the first one after a survey, once that has ended.
    PairServing serving(std::uint32_t number) const { return number < first_ ? before_ : serving_; }
    // Likewise of an init after so many calls, which all ranks make after the first survey.
    PairServing serving_init(std::uint32_t calls) const
    {
        return surveys_ == 1 ? serving_ : serving(calls);
    }
    // The first call that is served as the last decision says, and the first one after it for which
    // a survey may need something. Calls between them need not ask.
    std::uint32_t first() const { return first_; }
    std::uint32_t quiet_until() const;
    // The graph that serves, and its number, from 0 on.
    const PairLists &graph() const { return graph_; }
    std::uint32_t graph_number() const { return graphs_ - 1; }
    // The facts of all ranks in the last survey, and whether it changed what serves.
    const PairFacts &all() const { return all_; }
    bool changed() const { return changed_; }

private:
    void decide(const PairFacts &all);
    void conclude();

    static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

    Rank rank_;
    Rank ranks_;
    PairTerms terms_;
    Post *post_;
    std::function<std::uint32_t()> propose_;
    SeenPairs seen_;
    std::optional<PairSurvey> survey_;
    std::uint32_t next_;     // the call that begins the next survey
    std::uint32_t interval_; // from the agreed call of the last survey to this one

    std::uint32_t surveys_ = 0; // that have ended
    std::uint32_t first_ = 0;
    PairServing before_ = PairServing::displaced;  // below first_
    PairServing serving_ = PairServing::displaced; // from first_ on
    PairServing chosen_ = PairServing::displaced;  // by the survey in progress
    bool new_graph_ = false;                       // likewise
    PairLists graph_;
    std::uint64_t graph_pairs_ = 0; // of all ranks
    std::uint32_t graphs_ = 0;      // so far
    PairFacts all_;
    bool changed_ = false;
};

} // namespace nbrhood
