// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// From which call of a collective on a pattern serves, or direct messages do again.
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
// In place of the number of a pattern: one message for each edge.
inline constexpr int kDirectMessages = -1;
// Patterns that are built for one collective of a communicator, at most.
inline constexpr int kPatterns = 8;

// How far a rank may go that has begun so many calls, and had begun `since` when what is to be
// agreed on began.
std::uint32_t calls_ahead(std::uint32_t number, std::uint32_t since);

// Parameters, equal on all ranks.
struct SwitchTerms {
    std::uint32_t build_after =
        0; // the number, from 0 on, of the call or start that begins a build
    std::uint32_t trial_calls = 0; // of each block of a trial; 0: there are no trials
    std::uint32_t watch_calls = 0; // before the first question about sizes; 0: there is none
    bool reuse = false;            // the program declares many calls: the first one begins a build
};

// Facts that a call or start tells the switch.
struct CallFacts {
    SentBlocks sent;         // by this rank
    std::uint32_t calls = 0; // that this rank has begun, without this one
    bool alone = true;       // no nonblocking call is in flight
    bool may_build = false;  // what a build needs of the process is there
    double now = 0;          // seconds
};

// Result of a build.
struct BuildOutcome {
    std::optional<CallCounts> first_served; // see ComponentBuild
    std::optional<CallCounts> first_direct;
    bool may_gain_later = false;
};

// Runs the activities that the ranks of a component do together, one at a time, while the program
// goes on. It tells their end to the switch: built(), compared(), answered().
class Background {
public:
    virtual ~Background() = default;
    // sent: in the call that begins it; declared: the program declares many calls.
    virtual void build(const SentBlocks &sent, Earlier earlier, bool declared) = 0;
    virtual void compare(const Measured &own) = 0;
    // Whether blocks have another size now. sent: in the last calls.
    virtual void ask(const SentBlocks &sent) = 0;
};

// One rank's switch for one collective of a communicator. All ranks of a connected component of the
// graph make the same calls, so a call's number means the same on all of them. Persistent requests
// are numbered by their inits, and each has starts of its own. The ranks agree on the switch point,
// the numbers from which on something else serves (class ComponentBuild, class Trial): each rank
// proposes how far it may have gone (propose_switch_point), holds back what lies beyond, and the
// greatest of these numbers is taken. So no rank learns too late what serves a call, and no call
// waits for a build (docs/wire.md, section 8).
//
//     direct --build_after--> building --a pattern gains--> on trial --> comparing --> decided
//       ^                        |  ^                          ^            |        |    ^
//       +----nothing gains-------+  +--- blocks have another size ---+  another round  | question
//                                                                    +--- asking <-----+
//
// A pattern that was given up is tried once more, ten times as many calls later: the answer to a
// question begins a comparison then, of a round that nobody has measured, which leaves all open.
//
// It has no clock, and sends nothing.
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

    // Whether call `number`, or start `start` of a persistent request, begins the first build or
    // the next one after unsuccessful builds: CallFacts::may_build has to be found out.
    bool call_wants_build(std::uint32_t number) const
    {
        return state_ == State::direct && number >= next_.calls;
    }
    bool start_wants_build(std::uint32_t start) const
    {
        return state_ == State::direct && start >= next_.starts;
    }

    // Whether the init of a persistent request begins the first build, after so many calls.
    bool init_wants_build(std::uint32_t calls) const
    {
        return state_ == State::direct && !has_built_ && calls <= next_.calls;
    }
    // A persistent request is made, which declares reuse. The next call begins the build if this
    // rank may not.
    void begin_init(const CallFacts &facts);
    // A blocking or nonblocking call begins, whose number is facts.calls.
    void begin_call(const CallFacts &facts);
    // Persistent request number `request` is started for the (start + 1)th time.
    void begin_start(std::uint32_t request, std::uint32_t start, const CallFacts &facts);

    // Calls below this number, and above all that were told, need not be told: the same serves
    // them as the next one. 0 while a build, a trial's end or a question is under way.
    std::uint32_t quiet_until() const;
    // Whether what serves this request never changes from this start on.
    bool is_final(std::uint32_t start) const { return !is_first() && start >= last_start_; }

    // From these numbers on calls, starts and requests wait, until what serves them is known; else
    // no number.
    const CallCounts &limit() const { return limit_; }
    bool holds_start(std::uint32_t request, std::uint32_t start) const
    {
        return request >= limit_.requests || start >= limit_.starts;
    }

    // The pattern that serves them, by its number, or kDirectMessages.
    int serving_call(std::uint32_t number) const;
    int serving_start(std::uint32_t request, std::uint32_t start) const;

    // ---- What the background finds ----

    // How far this rank may go until the switch point is known: what this rank proposes. inits: of
    // persistent requests, so far.
    CallCounts propose_switch_point(std::uint32_t inits);
    // The background's work has ended. built() returns the number of the pattern, if one serves.
    std::optional<int> built(const BuildOutcome &outcome);
    void compared(const TrialResult &result, const CallCounts &point);
    void answered(bool changed);

    State state() const { return state_; }
    // From which calls on the first pattern serves, or the last one.
    const CallCounts &first_served() const { return first_; }

    // ---- Duplicates ----

    // Whether a duplicate of the communicator that is made after so many calls inherits the
    // decision.
    Inheritance inheritance(std::uint32_t calls) const
    {
        return inheritance_after(calls, limit_.calls, final_after_);
    }
    // The inherited decision: a pattern, or kDirectMessages.
    int inherited_pattern() const { return inherited_pattern_; }
    // Before the first call of this communicator, which inherits a decision. pattern: it is pattern
    // number 0, else direct messages.
    void inherit(bool pattern);

private:
    static constexpr CallCounts kNone{kNoNumber, kNoNumber, kNoNumber};

    // Whether nothing was decided yet: what comes next is for persistent requests and duplicates,
    // too.
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

    std::uint32_t calls_ = 0;  // that were begun, as far as they were told
    std::uint32_t starts_ = 0; // of the persistent request that was started most often
    CallCounts next_;          // the call, or the start, that begins the next build
    CallCounts began_{};       // and that began the last one
    bool has_built_ = false;
    bool has_init_ = false; // a persistent request begins the first build
    SentBlocks sent_;       // in the call that came to that number, or in those before a question
    CallCounts before_{};   // calls and starts when the build, or the comparison, began
    CallCounts limit_ = kNone;

    CallCounts first_ = kNone; // from there on the pattern serves, but for what the trial wants
    CallCounts back_ = kNone;  // and from there on no longer
    int pattern_ = kDirectMessages; // the last one that was decided on
    int earlier_ = kDirectMessages; // serves calls below first_
    int patterns_ = 0;              // that were built
    std::uint32_t last_start_ = 0;  // the greatest that something changes with

    std::optional<TrialTimes> times_;
    // From which calls, and starts, on the rounds of the trial are.
    std::array<CallCounts, kTrialRounds> rounds_;
    std::size_t round_ = 0; // the last of them

    bool was_tried_again_ = false;        // the last pattern, after it was given up
    std::uint32_t try_again_ = kNoNumber; // not before this call

    bool watching_ = false;
    std::uint32_t ask_at_ = 0;   // the number of the call that asks next,
    std::uint32_t interval_ = 0; // how many calls that is after the last one,
    std::uint32_t window_;       // and how many it is at first

    std::uint32_t final_after_ = kNoNumber; // from this number of calls on duplicates inherit
    int inherited_pattern_ = kDirectMessages;
};

} // namespace nbrhood
