// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The switch of a collective between direct messages and patterns.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "build/trial_times.h"
#include "engine/building.h"
#include "build/inherited_state.h"
#include "build/size_watch.h"
#include "build/tree.h"
#include "build/trial.h"

namespace nbrhood {

inline constexpr std::uint32_t kNoNumber = std::numeric_limits<std::uint32_t>::max();
// In place of the number of a pattern: direct messages.
inline constexpr int kDirectMessages = -1;
// The most patterns that are built for one collective of a communicator.
inline constexpr int kPatterns = 8;

// The number of calls up to which a rank may go until it knows the switch point. number: the calls
// that it has begun; since: those that it had begun when the activity began.
std::uint32_t calls_ahead(std::uint32_t number, std::uint32_t since);

// Parameters, equal on all ranks.
struct SwitchTerms {
    std::uint32_t build_after =
        0; // the number, from 0 on, of the call or start that begins a build
    std::uint32_t trial_calls = 0; // in each block of a trial; 0: no trials
    std::uint32_t watch_calls = 0; // before the first question about sizes; 0: no questions
    bool reuse = false;            // the program declares many calls: the first one begins a build
};

// Facts of a call or start, for the switch.
struct CallFacts {
    SentBlocks sent;         // by this rank
    std::uint32_t calls = 0; // calls that this rank has begun before
    bool alone = true;       // no nonblocking call is in flight
    bool may_build = false;  // the process can begin a build
    double now = 0;          // seconds
};

// Result of a build.
struct BuildOutcome {
    std::optional<CallCounts> first_served; // see ComponentBuild
    std::optional<CallCounts> first_direct;
    bool may_gain_later = false;
};

// Runs the common activities of the ranks of a component, one at a time, while the program goes on.
// It reports the end of each to the switch: built(), compared(), answered().
class Background {
public:
    virtual ~Background() = default;
    // sent: in the call that begins the build; declared: the program declares many calls.
    virtual void build(const SentBlocks &sent, Earlier earlier, bool declared) = 0;
    virtual void compare(const Measured &own) = 0;
    // Asks whether blocks have another size now. sent: in the last calls.
    virtual void ask(const SentBlocks &sent) = 0;
};

// One rank's switch for one collective of a communicator. All ranks of a connected component of the
// graph make the same calls, so a call's number means the same on all of them. Persistent requests
// are numbered by their inits, and each request numbers its starts. The ranks agree on the switch
// point, the numbers from which on another algorithm serves (class ComponentBuild, class Trial):
// each rank proposes numbers (propose_switch_point) and holds calls beyond them back, and the
// greatest proposal is taken. So all ranks know the algorithm of a call in time, and no call waits
// for a build (docs/wire.md, section 8).
//
//     direct --build_after--> building --a pattern gains--> on trial --> comparing --> decided
//       ^                        |  ^                          ^            |        |    ^
//       +----nothing gains-------+  +--- blocks have another size ---+  another round  | question
//                                                                    +--- asking <-----+
//
// A pattern that was given up is tried once more after ten times as many calls. Then the answer to
// a question begins a comparison without measurements, whose result is another round.
//
// The switch has no clock and sends nothing.
class Switch {
public:
    enum class State { direct, building, on_trial, comparing, decided, asking };

    Switch(const SwitchTerms &terms, Background &background)
        : terms_(terms), background_(background), next_{terms.reuse ? 0 : terms.build_after, 0,
                                                        terms.reuse ? 0 : terms.build_after},
          window_(terms.watch_calls)
    {
        rounds_.fill(kNone);
    }

    // ---- Calls and starts. They throw std::bad_alloc. ----

    // Whether call `number`, or start `start` of a persistent request, begins the first build, or
    // the next one after unsuccessful builds. The caller then needs the value of
    // CallFacts::may_build.
    bool call_wants_build(std::uint32_t number) const
    {
        return state_ == State::direct && number >= next_.calls;
    }
    bool start_wants_build(std::uint32_t start) const
    {
        return state_ == State::direct && start >= next_.starts;
    }

    // Whether the init of a persistent request after `calls` calls begins the first build.
    bool init_wants_build(std::uint32_t calls) const
    {
        return state_ == State::direct && !has_built_ && calls <= next_.calls;
    }
    // Notes the init of a persistent request, which declares reuse. If this rank may not build now,
    // the next call begins the build.
    void begin_init(const CallFacts &facts);
    // Notes the beginning of a blocking or nonblocking call, number facts.calls.
    void begin_call(const CallFacts &facts);
    // Notes the (start + 1)th start of persistent request number `request`.
    void begin_start(std::uint32_t request, std::uint32_t start, const CallFacts &facts);

    // Calls below this number that come after the last noted call need not be noted: the same
    // algorithm serves all of them. 0 during a build, the end of a trial or a question.
    std::uint32_t quiet_until() const;
    // Whether the algorithm of this request never changes from this start on.
    bool is_final(std::uint32_t start) const { return !is_first() && start >= last_start_; }

    // From these numbers on calls, starts and requests wait until their algorithm is known; no
    // number if none waits.
    const CallCounts &limit() const { return limit_; }
    bool holds_start(std::uint32_t request, std::uint32_t start) const
    {
        return request >= limit_.requests || start >= limit_.starts;
    }

    // The number of the pattern that serves a call or start, or kDirectMessages.
    int serving_call(std::uint32_t number) const;
    int serving_start(std::uint32_t request, std::uint32_t start) const;

    // ---- Results from the background ----

    // This rank's proposal for the switch point, up to which it may go on. inits: of persistent
    // requests, so far.
    CallCounts propose_switch_point(std::uint32_t inits);
    // The end of an activity. built() returns the number of the pattern, if one serves.
    std::optional<int> built(const BuildOutcome &outcome);
    void compared(const TrialResult &result, const CallCounts &point);
    void answered(bool changed);

    State state() const { return state_; }
    // The first calls that the current pattern serves.
    const CallCounts &first_served() const { return first_; }

    // ---- Duplicates ----

    // Whether a duplicate of the communicator inherits the decision if it is made after `calls`
    // calls.
    Inheritance inheritance(std::uint32_t calls) const
    {
        return inheritance_after(calls, limit_.calls, final_after_);
    }
    // The inherited decision: a pattern, or kDirectMessages.
    int inherited_pattern() const { return inherited_pattern_; }
    // Gives this communicator an inherited decision, before its first call. pattern: pattern number
    // 0, else direct messages.
    void inherit(bool pattern);

private:
    static constexpr CallCounts kNone{kNoNumber, kNoNumber, kNoNumber};

    // Whether no decision was made yet. The first one also holds for persistent requests and
    // duplicates.
    bool is_first() const { return final_after_ == kNoNumber; }
    std::uint32_t trial_periods() const;
    void measure();
    bool is_before_build(std::uint32_t number, std::uint32_t next, std::uint32_t *since);
    void time_call(const CallFacts &facts);
    void time_start(std::uint32_t request, std::uint32_t start, const CallFacts &facts);
    void come_to_build(const CallFacts &facts);
    void build(const SentBlocks &sent);
    void compare(std::uint32_t since);
    void ask();
    void serve(const CallCounts &first, int pattern);
    void give_up_first(const BuildOutcome &outcome);
    void give_up(const CallCounts &point);
    void begin_trial();
    void begin_round(const CallCounts &from);
    void decide(std::uint32_t number);
    void try_again();
    void end_activity();
    bool in_direct_block(std::uint32_t number, std::uint32_t first) const;
    bool is_direct_call(std::uint32_t number) const;
    bool is_direct_start(std::uint32_t start) const;
    int decided_pattern() const
    {
        return first_.calls != kNoNumber && back_.calls == kNoNumber ? pattern_ : kDirectMessages;
    }

    SwitchTerms terms_;
    Background &background_;
    State state_ = State::direct;

    std::uint32_t calls_ = 0;  // the highest number noted
    std::uint32_t starts_ = 0; // starts of the persistent request that was started most often
    CallCounts next_;          // the call, or the start, that begins the next build
    CallCounts began_{};       // and those that began the last one
    bool has_built_ = false;
    bool has_init_ = false; // a persistent request begins the first build
    SentBlocks sent_;       // in the call that began the build, or in the calls before a question
    CallCounts before_{};   // calls and starts when the build, or the comparison, began
    CallCounts limit_ = kNone;

    CallCounts first_ = kNone;      // served by the pattern, except in direct blocks
    CallCounts back_ = kNone;       // the first that it no longer serves
    int pattern_ = kDirectMessages; // of the last decision
    int earlier_ = kDirectMessages; // serves calls below first_
    int patterns_ = 0;              // patterns built
    std::uint32_t last_start_ = 0;  // the last start with which the algorithm changes

    std::optional<TrialTimes> times_;
    // The first calls and starts of the rounds of the trial.
    std::array<CallCounts, kTrialRounds> rounds_;
    std::size_t round_ = 0; // the last round

    bool was_tried_again_ = false;        // the last pattern was tried again after it was given up
    std::uint32_t try_again_ = kNoNumber; // not before this call

    bool watching_ = false;
    std::uint32_t ask_at_ = 0;   // the call that asks the next question
    std::uint32_t interval_ = 0; // calls between the last question and the next
    std::uint32_t window_;       // its first value

    std::uint32_t final_after_ = kNoNumber; // duplicates made after so many calls inherit
    int inherited_pattern_ = kDirectMessages;
};

} // namespace nbrhood
