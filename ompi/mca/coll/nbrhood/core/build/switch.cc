// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/switch.h"

#include <algorithm>
#include <new>

namespace nbrhood {
namespace {

// The number of calls that a rank may begin until it knows the switch point: a quarter of its calls
// since the activity began, at most kMostAhead, plus kSpareCalls. Proposals go up and down the tree
// once, which takes only a part of the time of a build. A rank that receives nothing, and so never
// waits, may have begun hundreds of calls by then.
constexpr std::uint32_t kPartAhead = 4;
constexpr std::uint32_t kMostAhead = 16;
constexpr std::uint32_t kSpareCalls = 4;

// If no pattern gains, the ranks build again after this many times as many calls. A build and its
// trial take as long as some 20 calls, a fortieth of the calls up to then. All ranks know the
// number without communication.
constexpr std::uint32_t kBuildAgain = 8;

// A pattern that was given up is tried once more after this many times as many calls, when other
// load may have ended. That costs no more than the last trial.
constexpr std::uint32_t kTryAgain = 10;

// A question is about the blocks of this many calls before it.
constexpr std::uint32_t kLastCalls = 8;

// The longest interval between questions, in windows. The interval doubles as long as blocks keep
// their size. A question takes as long as a message or two.
constexpr std::uint32_t kLongestInterval = 16;

std::uint32_t sum(std::uint32_t a, std::uint32_t b)
{
    return a <= kNoNumber - b ? a + b : kNoNumber;
}

std::uint32_t times(std::uint32_t number, std::uint32_t factor)
{
    return number <= kNoNumber / factor ? factor * number : kNoNumber;
}

} // namespace

std::uint32_t calls_ahead(std::uint32_t number, std::uint32_t since)
{
    return number + std::min((number - since) / kPartAhead, kMostAhead) + kSpareCalls;
}

// ---- Measurements of trials ----

std::uint32_t Switch::trial_periods() const
{
    return static_cast<std::uint32_t>(kTrialBlocks) * terms_.trial_calls;
}

void Switch::measure()
{
    if (!times_) {
        times_.emplace(trial_periods());
    }
}

// Whether this direct call or start is in the first block of the trial, that is, among the last
// calls before `next`, which begins the build. since: its number in that block.
bool Switch::is_before_build(std::uint32_t number, std::uint32_t next, std::uint32_t *since)
{
    const std::uint32_t block = terms_.trial_calls;
    *since = number + block - next;
    if (state_ != State::direct || number > next || *since > block || next < block || block == 0) {
        return false;
    }
    measure();
    return true;
}

void Switch::time_call(const CallFacts &facts)
{
    const std::uint32_t number = facts.calls;
    std::uint32_t since = 0;
    if (is_before_build(number, next_.calls, &since)) {
        times_->note_call(since, facts.alone, facts.now);
    }
    const std::uint32_t first = rounds_[round_].calls;
    if (state_ == State::on_trial && number >= first_.calls && number >= first) {
        times_->note_call(number - first, facts.alone, facts.now);
        compare(number - first);
    }
}

void Switch::time_start(std::uint32_t request, std::uint32_t start, const CallFacts &facts)
{
    std::uint32_t since = 0;
    if (is_before_build(start, next_.starts, &since)) {
        times_->note_start(request, since, facts.now);
    }
    const std::uint32_t first = rounds_[round_].starts;
    if (state_ == State::on_trial && is_first() && request < first_.requests
        && start >= first_.starts && start >= first) {
        times_->note_start(request, start - first, facts.now);
        compare(start - first);
    }
}

// Begins the comparison, with the first call or start after those measured.
void Switch::compare(std::uint32_t since)
{
    if (since < trial_periods()) {
        return;
    }
    state_ = State::comparing;
    before_ = {calls_, 0, starts_};
    const Measured own = times_->measured();
    times_.reset();
    background_.compare(own);
}

// ---- Calls and starts ----

void Switch::begin_init(const CallFacts &facts)
{
    if (init_wants_build(facts.calls)) {
        calls_ = facts.calls;
        next_ = {0, 0, 0};
        has_init_ = true;
        come_to_build(facts);
    }
}

void Switch::begin_call(const CallFacts &facts)
{
    const std::uint32_t number = facts.calls;
    calls_ = number + 1;
    time_call(facts);
    if (number >= next_.calls) {
        come_to_build(facts);
    }
    if (watching_ && sum(number, kLastCalls) >= ask_at_) {
        if (number < ask_at_) {
            sent_.blocks += facts.sent.blocks;
            sent_.bytes += facts.sent.bytes;
        }
        ask();
    }
}

void Switch::begin_start(std::uint32_t request, std::uint32_t start, const CallFacts &facts)
{
    calls_ = facts.calls;
    starts_ = std::max(starts_, start + 1);
    time_start(request, start, facts);
    if (start >= next_.starts) {
        come_to_build(facts);
    }
}

// Begins a build when this rank makes the call or start whose number begins one or, if another
// activity is then still in progress, when that activity ends. All ranks of the component reach
// that number.
void Switch::come_to_build(const CallFacts &facts)
{
    if (state_ != State::direct) {
        sent_ = facts.sent;
    } else if (facts.may_build) {
        build(facts.sent);
    }
}

void Switch::build(const SentBlocks &sent)
{
    const Earlier earlier = !is_first()  ? Earlier::decided
                            : has_built_ ? Earlier::no_gain
                                         : Earlier::none;
    state_ = State::building;
    has_built_ = true;
    began_ = next_;
    next_.calls = times(std::max(next_.calls, terms_.build_after), kBuildAgain);
    next_.starts = times(std::max(next_.starts, terms_.build_after), kBuildAgain);
    before_ = {calls_, 0, starts_};
    background_.build(sent, earlier, terms_.reuse || has_init_);
}

// Asks a question about sizes. This rank asks with the call whose number is due or, if it made that
// call before it had the last answer, when it gets that answer. All ranks make that call.
void Switch::ask()
{
    if (watching_ && state_ == State::decided && calls_ > ask_at_) {
        state_ = State::asking;
        background_.ask(sent_);
    }
}

std::uint32_t Switch::quiet_until() const
{
    if (state_ == State::direct) {
        const std::uint32_t block = terms_.trial_calls;
        return next_.calls >= block ? next_.calls - block : next_.calls;
    }
    const bool is_reached = (first_.calls == kNoNumber || calls_ >= first_.calls)
                            && (back_.calls == kNoNumber || calls_ >= back_.calls);
    if (state_ != State::decided || !is_reached) {
        return 0;
    }
    return watching_ ? ask_at_ - std::min(ask_at_, kLastCalls) : kNoNumber;
}

// ---- The algorithm of a call ----

// Whether a call or start is in a direct block of the trial. This depends on its number alone, so
// all ranks agree.
bool Switch::in_direct_block(std::uint32_t number, std::uint32_t first) const
{
    return number >= first && is_direct_block((number - first) / terms_.trial_calls);
}

bool Switch::is_direct_call(std::uint32_t number) const
{
    bool direct = number >= back_.calls;
    for (std::size_t round = 0; !direct && round <= round_; ++round) {
        direct = in_direct_block(number, rounds_[round].calls);
    }
    return direct;
}

bool Switch::is_direct_start(std::uint32_t start) const
{
    return start < first_.starts
           || std::any_of(rounds_.begin(), rounds_.end(), [&](const CallCounts &round) {
                  return in_direct_block(start, round.starts);
              });
}

int Switch::serving_call(std::uint32_t number) const
{
    if (number < first_.calls) {
        return earlier_;
    }
    return is_direct_call(number) ? kDirectMessages : pattern_;
}

// Requests that were made after those of the trial take no part in it. Later patterns serve no
// request, because the blocks of a request keep their size.
int Switch::serving_start(std::uint32_t request, std::uint32_t start) const
{
    const bool given_up = request >= back_.requests || start >= back_.starts;
    const bool tried = request < first_.requests;
    return given_up || (tried && is_direct_start(start)) ? kDirectMessages : 0;
}

// ---- What the background finds ----

CallCounts Switch::propose_switch_point(std::uint32_t inits)
{
    limit_.calls = calls_ahead(calls_, before_.calls);
    if (is_first()) { // otherwise persistent requests keep their algorithm
        limit_.starts = calls_ahead(starts_, before_.starts);
        // No spare requests are added: an init does not wait, and requests made from here on have
        // the pattern from their first start.
        limit_.requests = inits;
    }
    return limit_;
}

// Makes a pattern or direct messages serve from `first` on. For persistent requests only the first
// decision counts.
void Switch::serve(const CallCounts &first, int pattern)
{
    earlier_ = decided_pattern();
    if (is_first()) {
        first_ = first;
    }
    first_.calls = first.calls;
    back_.calls = kNoNumber;
    pattern_ = pattern;
}

std::optional<int> Switch::built(const BuildOutcome &outcome)
{
    std::optional<int> pattern;
    if (outcome.first_served) {
        pattern = patterns_++;
        was_tried_again_ = false;
        serve(*outcome.first_served, *pattern);
        next_ = kNone;
        if (terms_.trial_calls == 0) {
            decide(first_.calls);
        } else {
            begin_trial();
        }
    } else if (is_first()) {
        give_up_first(outcome);
    } else {
        if (outcome.first_direct) {
            serve(*outcome.first_direct, kDirectMessages);
        }
        state_ = State::decided;
        if (outcome.first_direct) {
            decide(outcome.first_direct->calls);
        }
    }
    end_activity();
    return pattern;
}

// No pattern gains with the first blocks: the ranks build again later. If this rank has reached
// that call already, because it learns late that this build has ended, it begins the next build
// now.
void Switch::give_up_first(const BuildOutcome &outcome)
{
    times_.reset();
    state_ = State::direct;
    if (!outcome.may_gain_later) {
        next_ = kNone;
        return;
    }
    if (calls_ > next_.calls || starts_ > next_.starts) {
        build(sent_);
    }
}

// The first round of a first pattern has the last direct calls before the build as its first block,
// so the pattern serves as soon as it exists. If the build began too early for that, the round has
// four new blocks. Calls are numbered as if the first block came just before the first call of the
// pattern.
void Switch::begin_trial()
{
    for (CallCounts &round : rounds_) {
        round.calls = kNoNumber;
    }
    round_ = 0;
    CallCounts from = first_;
    if (is_first()) {
        const auto take_in = [&](std::uint32_t *number, std::uint32_t began) {
            const std::uint32_t block = terms_.trial_calls;
            const std::uint32_t before = *number >= block && began >= block ? block : 0;
            *number -= before;
            return before;
        };
        const std::uint32_t calls = take_in(&from.calls, began_.calls);
        const std::uint32_t starts = take_in(&from.starts, began_.starts);
        measure();
        times_->go_on(calls, starts);
    }
    begin_round(from);
}

// Begins a round with the calls and starts from these numbers on. Persistent requests try only the
// first pattern. The numbers of earlier rounds are kept, because other requests may reach these
// starts later.
void Switch::begin_round(const CallCounts &from)
{
    if (is_first()) {
        rounds_[round_] = from;
    }
    rounds_[round_].calls = from.calls;
    state_ = State::on_trial;
    measure();
}

void Switch::compared(const TrialResult &result, const CallCounts &point)
{
    if (!result.decided && back_.calls != kNoNumber) { // given up before, now tried again
        serve(point, pattern_);
        begin_trial();
    } else if (!result.decided) {
        ++round_;
        begin_round(point);
    } else {
        if (!result.keep) {
            give_up(point);
        }
        decide(point.calls);
    }
    end_activity();
}

void Switch::give_up(const CallCounts &point)
{
    if (is_first()) {
        back_ = point;
    } else {
        back_.calls = point.calls;
    }
    try_again_ = was_tried_again_ ? kNoNumber : times(point.calls, kTryAgain);
}

// The decision holds from call `number` on, which no rank had begun when they agreed on it.
// Duplicates made after that call inherit the first decision. Later calls ask whether blocks keep
// their size; without a size watch there is only one question, whose answer lets the ranks try a
// pattern again.
void Switch::decide(std::uint32_t number)
{
    state_ = State::decided;
    if (is_first()) {
        final_after_ = number + 1;
        inherited_pattern_ = decided_pattern();
        last_start_ = first_.starts;
        for (const CallCounts &round : rounds_) {
            if (round.starts != kNoNumber) {
                last_start_ = std::max(last_start_, sum(round.starts, trial_periods()));
            }
        }
        if (back_.starts != kNoNumber) {
            last_start_ = std::max(last_start_, back_.starts);
        }
    }
    interval_ = window_;
    ask_at_ = window_ != 0 ? sum(number, interval_) : try_again_;
    watching_ = ask_at_ != kNoNumber && patterns_ < kPatterns;
    sent_ = {};
}

// The comparison of a round without measurements leaves the result open, so the ranks agree on the
// calls of the next round, which try the pattern again.
void Switch::try_again()
{
    try_again_ = kNoNumber;
    was_tried_again_ = true;
    state_ = State::comparing;
    before_ = {calls_, 0, starts_};
    background_.compare({});
}

// If blocks have another size now, the ranks build again, and then ask half as often.
void Switch::answered(bool changed)
{
    const SentBlocks sent = sent_;
    state_ = State::decided;
    sent_ = {};
    if (changed && window_ != 0) {
        watching_ = false;
        window_ = sum(window_, window_);
        try_again_ = kNoNumber;
        build(sent);
    } else if (ask_at_ >= try_again_) {
        try_again();
    } else {
        if (interval_ / kLongestInterval < window_) {
            interval_ = sum(interval_, interval_);
        }
        ask_at_ = sum(ask_at_, interval_);
    }
    end_activity();
}

// Held calls go on. They may complete a block of the trial, or ask the next question.
void Switch::end_activity()
{
    limit_ = kNone;
    if (state_ == State::on_trial && calls_ > sum(rounds_[round_].calls, trial_periods())) {
        compare(trial_periods());
    }
    ask();
}

// ---- Duplicates ----

void Switch::inherit(bool pattern)
{
    state_ = State::decided;
    final_after_ = 0;
    next_ = kNone;
    if (pattern) {
        patterns_ = 1;
        pattern_ = inherited_pattern_ = 0;
        first_ = {0, 0, 0};
    }
}

} // namespace nbrhood
