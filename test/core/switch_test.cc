// The switch of one rank: what serves a call, a start or a duplicate must follow from what the
// ranks agreed on, whatever the rank had done when it heard of that.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "build/switch.h"
#include "support.h"

namespace nbrhood::test {
namespace {

constexpr std::size_t kEvents = 6;
constexpr int kRequests = 2;

// Remembers what was begun; the test ends it.
struct Begun : Background {
    enum class What { nothing, build, verdict, question };
    void build(const SentBlocks &sent, Earlier earlier_builds, bool declares) override
    {
        what = What::build;
        blocks = sent;
        earlier = earlier_builds;
        declared = declares;
    }
    void judge(const Measured &own) override
    {
        what = What::verdict;
        measured = own;
    }
    void ask(const SentBlocks &sent) override
    {
        what = What::question;
        blocks = sent;
    }
    What what = What::nothing;
    SentBlocks blocks;
    Measured measured;
    Earlier earlier = Earlier::none;
    bool declared = false;
};

using What = Begun::What;

// How what is settled ends.
enum class End {
    gains,
    gains_in_doubt,
    gains_nothing,
    direct_again,
    keeps,
    gives_up,
    another_round
};

struct Rank1 {
    explicit Rank1(const SwitchTerms &terms) : sw(terms, background) {}

    CallFacts facts() const { return {{4, 4 * bytes}, calls, true, true, now}; }
    std::uint32_t call()
    {
        sw.begin_call(facts());
        now += 1;
        return calls++;
    }
    std::uint32_t start(std::uint32_t request)
    {
        sw.begin_start(request, starts[request], facts());
        return starts[request]++;
    }
    void end(End how, const CallCounts &agreed)
    {
        background.what = What::nothing;
        const BuildOutcome nothing{std::nullopt, std::nullopt, false, true};
        switch (how) {
        case End::gains:
            sw.built({agreed, std::nullopt, false, false});
            break;
        case End::gains_in_doubt:
            sw.built({agreed, std::nullopt, true, false});
            break;
        case End::gains_nothing:
            sw.built(nothing);
            break;
        case End::direct_again:
            sw.built({std::nullopt, agreed, false, true});
            break;
        case End::keeps:
            sw.judged({true, true, true, 1, 1}, agreed);
            break;
        case End::gives_up:
            sw.judged({true, true, false, 1, 1}, agreed);
            break;
        case End::another_round:
            sw.judged({true, false, true, 1, 1}, agreed);
            break;
        }
    }
    // Calls until something begins.
    void call_until(What wanted)
    {
        for (int i = 0; background.what != wanted; ++i) {
            ASSERT_LT(i, 1000);
            call();
        }
    }

    Begun background;
    Switch sw;
    std::uint32_t calls = 0;
    std::uint32_t inits = 1; // request 0 is there from the beginning
    std::array<std::uint32_t, kRequests> starts{};
    std::uint64_t bytes = 8;
    double now = 0;
};

// A point at which something else may begin to serve: what has happened on all ranks alike before,
// and how what is settled next ends.
struct Point {
    std::string name;
    SwitchTerms terms;
    void (*before)(Rank1 &rank);
    End end;
};

void nothing_before(Rank1 &) {}

// A pattern is on trial, and the next call begins the verdict.
void before_verdict(Rank1 &rank)
{
    rank.start(0);
    rank.call_until(What::build);
    rank.end(End::gains, rank.sw.freeze(rank.inits));
    while (rank.sw.state() == Switch::State::on_trial
           && rank.calls < rank.sw.first_served().calls + 3) {
        rank.call();
    }
    ASSERT_EQ(rank.background.what, What::nothing);
}

void before_verdict_in_doubt(Rank1 &rank)
{
    rank.call_until(What::build);
    rank.end(End::gains_in_doubt, rank.sw.freeze(rank.inits));
    while (rank.calls < rank.sw.first_served().calls + 3) {
        rank.call();
    }
    ASSERT_EQ(rank.background.what, What::nothing);
}

// A pattern serves, blocks have another size, and the next call begins the question of which a
// build comes. Here it is asked and answered, so that the build has begun.
void before_later_pattern(Rank1 &rank)
{
    rank.call_until(What::build);
    rank.end(End::gains, rank.sw.freeze(rank.inits));
    rank.bytes = 4096;
    rank.call_until(What::question);
    rank.background.what = What::nothing;
    rank.sw.answered(true);
    ASSERT_EQ(rank.background.what, What::build);
    ASSERT_EQ(rank.background.earlier, Earlier::decided);
}

// A pattern was given up, and ten times as many calls are over: the answer to a question about the
// size of blocks begins the verdict of a round without calls.
void before_second_trial(Rank1 &rank)
{
    before_verdict(rank);
    rank.call_until(What::verdict);
    rank.end(End::gives_up, rank.sw.freeze(rank.inits));
    for (int question = 0; rank.background.what != What::verdict; ++question) {
        ASSERT_LT(question, 100);
        rank.background.what = What::nothing;
        rank.call_until(What::question);
        rank.background.what = What::nothing;
        rank.sw.answered(false);
    }
}

void before_second_verdict(Rank1 &rank)
{
    before_second_trial(rank);
    const CallCounts again = rank.sw.freeze(rank.inits);
    rank.end(End::another_round, again);
    while (rank.calls < again.calls + 4) {
        rank.call();
    }
    ASSERT_EQ(rank.background.what, What::nothing);
}

const std::vector<Point> &points()
{
    static const std::vector<Point> all{
        {"pattern", {0, 0, 0}, nothing_before, End::gains},
        {"pattern after two calls", {2, 0, 0}, nothing_before, End::gains},
        {"pattern on trial", {0, 1, 0}, nothing_before, End::gains},
        {"pattern in doubt", {0, 1, 0}, nothing_before, End::gains_in_doubt},
        {"kept", {0, 1, 0}, before_verdict, End::keeps},
        {"given up", {0, 1, 0}, before_verdict, End::gives_up},
        {"another round", {0, 1, 0}, before_verdict, End::another_round},
        {"kept in doubt", {0, 1, 0}, before_verdict_in_doubt, End::keeps},
        {"given up in doubt", {0, 1, 0}, before_verdict_in_doubt, End::gives_up},
        {"tried again", {0, 1, 4}, before_second_trial, End::another_round},
        {"kept after all", {0, 1, 4}, before_second_verdict, End::keeps},
        {"given up for good", {0, 1, 4}, before_second_verdict, End::gives_up},
        {"later pattern", {0, 0, 4}, before_later_pattern, End::gains},
        {"later pattern given up", {0, 0, 4}, before_later_pattern, End::direct_again},
    };
    return all;
}

// What a program does next; the same collective calls on all ranks.
enum class Event { call, start_0, start_1, init, duplicate };
using Program = std::array<Event, kEvents>;

// What is asked of the switch: a call, a start of a request, a duplicate after so many calls.
using Question = std::tuple<Event, std::uint32_t, std::uint32_t>;
using Agreed = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
constexpr int kBeginsAnew = 100; // of a duplicate; else the pattern it inherits

// One rank's history: the program's events, before some of which it names its part of the numbers,
// and hears of what was agreed on.
class History {
public:
    // blocking: a call that has to wait ends the program's events until the rank hears.
    History(const Point &point, const Program &program, std::size_t freezes, std::size_t hears,
            std::uint32_t above, bool blocking)
        : rank_(point.terms), point_(point), program_(program), freezes_(freezes), hears_(hears),
          above_(above), blocking_(blocking)
    {}

    // Nothing where no rank can do that in this order.
    std::optional<std::map<Question, int>> run()
    {
        point_.before(rank_);
        for (std::size_t i = 0; i <= kEvents; ++i) {
            if (i == freezes_ && !freeze()) {
                return std::nullopt;
            }
            if (i == hears_) {
                rank_.end(point_.end, agreed);
                heard_ = true;
            }
            if (i < kEvents && !take(program_[i])) {
                return std::nullopt;
            }
        }
        if (!heard_) {
            return std::nullopt;
        }
        for (const Question &question : waiting_) {
            answers_[question] = answer(question);
        }
        return answers_;
    }

    CallCounts agreed; // once it has run

private:
    bool freeze()
    {
        if (rank_.background.what != What::build && rank_.background.what != What::verdict) {
            return false; // nothing is settled yet
        }
        const CallCounts own = rank_.sw.freeze(rank_.inits);
        EXPECT_GE(own.calls, rank_.calls);
        const auto add = [this](std::uint32_t number) {
            return number == kNoNumber ? number : number + above_;
        };
        agreed = {add(own.calls), add(own.requests), add(own.starts)};
        return true;
    }
    bool take(Event event)
    {
        switch (event) {
        case Event::call: {
            const std::uint32_t number = rank_.call();
            const bool waits = number >= rank_.sw.limit().calls;
            ask({Event::call, 0, number}, waits);
            return !blocking_ || !waits;
        }
        case Event::start_0:
        case Event::start_1: {
            const std::uint32_t request = event == Event::start_0 ? 0 : 1;
            if (request >= rank_.inits) {
                return false;
            }
            const std::uint32_t start = rank_.start(request);
            ask({Event::start_0, request, start}, rank_.sw.holds_start(request, start));
            return true;
        }
        case Event::init:
            return rank_.inits++ < kRequests;
        case Event::duplicate: {
            const Heir heir = rank_.sw.heir(rank_.calls);
            answers_[{Event::duplicate, 0, rank_.calls}] =
                heir == Heir::inherits ? rank_.sw.bequest() : kBeginsAnew;
            return heir != Heir::not_known; // else it waits
        }
        }
        return false;
    }

    // What waits is served by what the rank knows when it goes on; the rest is served at once.
    void ask(const Question &question, bool waits)
    {
        if (waits) {
            waiting_.push_back(question);
        } else {
            answers_[question] = answer(question);
        }
    }
    int answer(const Question &question) const
    {
        const auto [event, request, number] = question;
        return event == Event::call ? rank_.sw.serving_call(number)
                                    : rank_.sw.serving_start(request, number);
    }

    Rank1 rank_;
    const Point &point_;
    const Program &program_;
    std::size_t freezes_;
    std::size_t hears_;
    std::uint32_t above_;
    bool blocking_;
    bool heard_ = false;
    std::map<Question, int> answers_;
    std::vector<Question> waiting_;
};

template <typename Check>
void for_all_programs(const Check &check)
{
    std::size_t programs = 1;
    for (std::size_t i = 0; i < kEvents; ++i) {
        programs *= 5;
    }
    // All of them, unless the tests are to take less time.
    const std::size_t step =
        programs / static_cast<std::size_t>(scaled(static_cast<int>(programs)));
    for (std::size_t number = 0; number < programs; number += step) {
        Program program{};
        std::size_t rest = number;
        for (Event &event : program) {
            event = static_cast<Event>(rest % 5);
            rest /= 5;
        }
        check(program);
    }
}

// Each rank's answers follow from the numbers alone: so all ranks, whatever each has done when it
// names its part and when it hears, say the same of the same call. Three ranks, or any number of
// them, differ only in what they add to the greatest numbers (`above`).
TEST(Switch, AnswersFollowFromWhatWasAgreed)
{
    for (const Point &point : points()) {
        SCOPED_TRACE(point.name);
        std::map<Agreed, std::map<Question, int>> known;
        std::size_t histories = 0, wrong = 0;
        std::map<int, std::size_t> kinds;
        for_all_programs([&](const Program &program) {
            for (std::size_t freezes = 0; freezes <= kEvents; ++freezes) {
                for (std::size_t hears = freezes; hears <= kEvents; ++hears) {
                    for (int kind = 0; kind < 4; ++kind) {
                        History history(point, program, freezes, hears, kind % 2, kind < 2);
                        const auto answers = history.run();
                        if (!answers) {
                            continue;
                        }
                        ++histories;
                        const CallCounts &agreed = history.agreed;
                        auto &same = known[{agreed.calls, agreed.requests, agreed.starts}];
                        for (const auto &[question, answer] : *answers) {
                            ++kinds[answer];
                            wrong += same.emplace(question, answer).first->second != answer ? 1 : 0;
                        }
                    }
                }
            }
        });
        EXPECT_EQ(wrong, 0U);
        EXPECT_GT(histories, 1000U);
        EXPECT_GT(kinds.size(), 1U) << "all questions have the same answer";
    }
}

// ---- From state to state ----

using State = Switch::State;

TEST(Switch, BuildsInVainComeEightTimesAsLate)
{
    Rank1 rank({10, 0, 0});
    rank.call_until(What::build);
    EXPECT_EQ(rank.calls, 11U);
    rank.end(End::gains_nothing, {});
    EXPECT_EQ(rank.sw.state(), State::direct);
    EXPECT_EQ(rank.background.earlier, Earlier::none);
    EXPECT_FALSE(rank.background.declared);
    rank.call_until(What::build);
    EXPECT_EQ(rank.calls, 81U);
    EXPECT_EQ(rank.background.earlier, Earlier::no_gain);
}

// A rank may come to the number of the next build before it hears that this one was in vain.
TEST(Switch, TheNextBuildBeginsWithTheAnswerOfTheLast)
{
    Rank1 rank({1, 0, 0});
    rank.call_until(What::build);
    for (int i = 0; i < 10; ++i) {
        rank.call();
    }
    rank.background.blocks = {};
    rank.end(End::gains_nothing, {});
    EXPECT_EQ(rank.background.what, What::build);
    EXPECT_EQ(rank.background.blocks.bytes, 32U) << "of the call that came to the number";
}

TEST(Switch, WithoutWhatABuildNeedsItWaits)
{
    Begun background;
    Switch sw({3, 0, 0}, background);
    for (std::uint32_t call = 0; call < 20; ++call) {
        sw.begin_call({{}, call, true, false, 0});
    }
    EXPECT_EQ(sw.state(), State::direct);
    EXPECT_TRUE(sw.call_wants_build(20));
    sw.begin_call({{}, 20, true, true, 0});
    EXPECT_EQ(sw.state(), State::building);
}

// The first block of the first trial is of the last direct calls before the build.
TEST(Switch, TrialsMeasureTheLastDirectCallsFirst)
{
    Rank1 rank({10, 3, 0});
    rank.call_until(What::build);
    const CallCounts first = rank.sw.freeze(0);
    rank.end(End::gains, first);
    EXPECT_EQ(rank.sw.state(), State::on_trial);
    while (rank.background.what != What::verdict) {
        rank.now += rank.calls >= first.calls ? 1 : 0; // the pattern takes two seconds
        rank.call();
        ASSERT_LT(rank.calls, 100U);
    }
    EXPECT_EQ(rank.calls, first.calls + 10) << "three blocks, and the call behind them";
    EXPECT_EQ(rank.sw.state(), State::judging);
    ASSERT_TRUE(rank.background.measured.calls.has_value());
    EXPECT_EQ((*rank.background.measured.calls)[0], 1000000000U);
    EXPECT_EQ((*rank.background.measured.calls)[1], 2000000000U);
    EXPECT_FALSE(rank.background.measured.starts.has_value());
}

TEST(Switch, SizesAreWatchedMoreAndMoreSeldom)
{
    Rank1 rank({0, 0, 4});
    rank.call_until(What::build);
    rank.end(End::gains, rank.sw.freeze(0));
    std::vector<std::uint32_t> asked;
    for (int question = 0; question < 8; ++question) {
        rank.call_until(What::question);
        asked.push_back(rank.calls);
        rank.background.what = What::nothing;
        rank.sw.answered(false);
    }
    std::vector<std::uint32_t> intervals;
    for (std::size_t i = 1; i < asked.size(); ++i) {
        intervals.push_back(asked[i] - asked[i - 1]);
    }
    EXPECT_EQ(intervals, (std::vector<std::uint32_t>{8, 16, 32, 64, 64, 64, 64}));
}

TEST(Switch, PatternsAreBuiltAFewTimesOnly)
{
    Rank1 rank({0, 0, 1});
    rank.call_until(What::build);
    for (int builds = 1; builds < kPatterns; ++builds) {
        rank.end(End::gains, rank.sw.freeze(0));
        rank.call_until(What::question);
        rank.background.what = What::nothing;
        rank.sw.answered(true);
        ASSERT_EQ(rank.background.what, What::build);
    }
    rank.end(End::gains, rank.sw.freeze(0));
    for (int i = 0; i < 100; ++i) {
        rank.call();
    }
    EXPECT_EQ(rank.background.what, What::nothing) << "no question follows the last one";
    EXPECT_EQ(rank.sw.serving_call(rank.sw.first_served().calls), kPatterns - 1);
}

// Once, and only for calls: requests and duplicates stay with what was decided first.
TEST(Switch, WhatWasGivenUpIsTriedAgainOnce)
{
    for (const std::uint32_t watch_calls : {0U, 4U}) { // also where sizes are of no interest
        Rank1 rank({0, 1, watch_calls});
        before_verdict(rank);
        rank.call_until(What::verdict);
        const CallCounts back = rank.sw.freeze(rank.inits);
        rank.end(End::gives_up, back);
        while (rank.background.what != What::verdict) {
            const std::uint32_t call = rank.call();
            ASSERT_LT(call, 1000U);
            EXPECT_TRUE(call < back.calls || rank.sw.serving_call(call) == kDirectMessages);
            if (rank.background.what == What::question) {
                rank.background.what = What::nothing;
                rank.sw.answered(false);
            }
        }
        EXPECT_GE(rank.calls, 10 * back.calls);
        EXPECT_FALSE(rank.background.measured.calls.has_value());
        const CallCounts again = rank.sw.freeze(rank.inits);
        rank.end(End::another_round, again);
        std::vector<int> served;
        while (rank.background.what != What::verdict) {
            const std::uint32_t call = rank.call();
            if (call >= again.calls) {
                served.push_back(rank.sw.serving_call(call));
            }
        }
        EXPECT_EQ(served, (std::vector<int>{-1, 0, -1, 0, 0}));
        EXPECT_EQ(rank.sw.serving_start(0, 1000), kDirectMessages);
        EXPECT_EQ(rank.sw.serving_start(1000, 0), kDirectMessages);
        EXPECT_EQ(rank.sw.bequest(), kDirectMessages);
        const CallCounts last = rank.sw.freeze(rank.inits);
        rank.end(End::gives_up, last);
        EXPECT_EQ(rank.sw.serving_call(last.calls), kDirectMessages);
        for (int i = 0; i < 3000; ++i) {
            rank.call();
            EXPECT_NE(rank.background.what, What::verdict);
            if (rank.background.what == What::question) {
                rank.background.what = What::nothing;
                rank.sw.answered(false);
            }
        }
    }
}

TEST(Switch, ALaterPatternServesWhereAnEarlierOneWasGivenUp)
{
    Rank1 rank({0, 1, 4});
    rank.call_until(What::build);
    rank.end(End::gains, rank.sw.freeze(0));
    rank.call_until(What::verdict);
    const CallCounts back = rank.sw.freeze(0);
    rank.end(End::gives_up, back);
    EXPECT_EQ(rank.sw.serving_call(back.calls - 1), 0);
    EXPECT_EQ(rank.sw.serving_call(back.calls), kDirectMessages);
    EXPECT_EQ(rank.sw.bequest(), kDirectMessages);
    rank.call_until(What::question);
    rank.background.what = What::nothing;
    rank.sw.answered(true);
    const CallCounts first = rank.sw.freeze(0);
    rank.end(End::gains, first);
    EXPECT_EQ(rank.sw.serving_call(first.calls - 1), kDirectMessages);
    rank.call_until(What::verdict);
    EXPECT_EQ(rank.sw.serving_call(rank.calls), 1);
    EXPECT_EQ(rank.sw.serving_start(0, 1000), kDirectMessages) << "requests stay with the first";
}

// ---- Reuse declared ----

TEST(Switch, TheFirstInitBeginsABuild)
{
    Rank1 rank({100, 2, 0});
    rank.sw.begin_init(rank.facts());
    ASSERT_EQ(rank.background.what, What::build);
    EXPECT_TRUE(rank.background.declared);
    const CallCounts first = rank.sw.freeze(1);
    rank.end(End::gains, first);
    std::vector<int> served;
    while (rank.background.what != What::verdict) {
        const std::uint32_t start = rank.start(0);
        served.push_back(rank.sw.serving_start(0, start));
        rank.now += 1;
        ASSERT_LT(start, 100U);
    }
    EXPECT_EQ(rank.starts[0], first.starts + 9) << "four blocks, and the start behind them";
    served.erase(served.begin(), served.begin() + first.starts);
    EXPECT_EQ(served, (std::vector<int>{-1, -1, 0, 0, -1, -1, 0, 0, 0}));
    EXPECT_TRUE(rank.background.measured.starts.has_value());
}

TEST(Switch, AnInitBeginsTheFirstBuildOnly)
{
    Rank1 rank({10, 0, 0});
    rank.sw.begin_init(rank.facts());
    rank.end(End::gains_nothing, {});
    EXPECT_FALSE(rank.sw.init_wants_build(0));
    rank.call_until(What::build);
    EXPECT_EQ(rank.calls, 81U);

    // Nor does one after the call that begins it, even where this rank could not build yet.
    Rank1 late({10, 0, 0});
    for (std::uint32_t call = 0; call <= 10; ++call) {
        late.sw.begin_call({{}, late.calls++, true, false, 0});
        EXPECT_EQ(late.sw.init_wants_build(late.calls), call < 10);
    }

    // One whose rank may not build yet leaves that to the next call.
    Rank1 waits({10, 0, 0});
    waits.sw.begin_init({{}, 0, true, false, 0});
    EXPECT_EQ(waits.background.what, What::nothing);
    EXPECT_TRUE(waits.sw.call_wants_build(0));
    waits.call();
    EXPECT_EQ(waits.background.what, What::build);
}

TEST(Switch, DeclaredReuseBuildsWithTheFirstCall)
{
    Rank1 rank({100, 2, 0, true});
    rank.call();
    ASSERT_EQ(rank.background.what, What::build);
    rank.end(End::gains_nothing, {});
    rank.call_until(What::build);
    EXPECT_EQ(rank.calls, 801U);

    // The trial measures its first block, too, however many calls went by before.
    Rank1 tried({100, 2, 0, true});
    for (int i = 0; i < 6; ++i) {
        tried.call();
    }
    const CallCounts first = tried.sw.freeze(0);
    tried.end(End::gains, first);
    tried.call_until(What::verdict);
    EXPECT_EQ(tried.calls, first.calls + 9);
    EXPECT_TRUE(tried.background.measured.calls.has_value());
}

// A request that is seldom started comes to the starts of an earlier round later than the others.
TEST(Switch, DirectBlocksOfEarlierRoundsRemain)
{
    Rank1 rank({0, 2, 0});
    rank.start(0);
    const CallCounts first = rank.sw.freeze(rank.inits);
    rank.end(End::gains, first);
    std::vector<int> served;
    const auto serve = [&](std::uint32_t start) { return rank.sw.serving_start(0, start); };
    for (std::uint32_t start = 0; start < first.starts + 6; ++start) {
        served.push_back(serve(start));
    }
    EXPECT_EQ(served.back(), kDirectMessages) << "the fourth block";
    while (rank.background.what != What::verdict) {
        rank.start(0);
        ASSERT_LT(rank.starts[0], 100U);
    }
    rank.end(End::another_round, rank.sw.freeze(rank.inits));
    for (std::uint32_t start = 0; start < served.size(); ++start) {
        EXPECT_EQ(serve(start), served[start]) << start;
    }
}

TEST(Switch, RequestsThatAreMadeInDoubtGoDirectUntilTheVerdict)
{
    for (const bool in_doubt : {false, true}) {
        Rank1 rank({0, 1, 0});
        rank.call_until(What::build);
        const CallCounts first = rank.sw.freeze(rank.inits);
        rank.end(in_doubt ? End::gains_in_doubt : End::gains, first);
        EXPECT_EQ(rank.sw.serving_start(first.requests, 0), in_doubt ? kDirectMessages : 0);
        rank.call_until(What::verdict);
        const CallCounts kept = rank.sw.freeze(first.requests + 1);
        rank.end(End::keeps, kept);
        EXPECT_EQ(rank.sw.serving_start(first.requests, 0), in_doubt ? kDirectMessages : 0);
        EXPECT_EQ(rank.sw.serving_start(kept.requests, 0), 0);
    }
}

TEST(Switch, WhatWasInheritedServesFromTheFirstCall)
{
    Rank1 rank({5, 2, 4});
    rank.sw.inherit(true);
    EXPECT_EQ(rank.sw.serving_call(0), 0);
    EXPECT_EQ(rank.sw.serving_start(0, 0), 0);
    EXPECT_EQ(rank.sw.heir(0), Heir::inherits);
    EXPECT_EQ(rank.sw.bequest(), 0);
    for (int i = 0; i < 100; ++i) {
        rank.call();
    }
    EXPECT_EQ(rank.background.what, What::nothing);

    Rank1 direct({5, 2, 4});
    direct.sw.inherit(false);
    EXPECT_EQ(direct.sw.serving_call(0), kDirectMessages);
    EXPECT_EQ(direct.sw.bequest(), kDirectMessages);
}

// ---- Calls that need not be told ----

// A switch to which calls below quiet_until() are not told goes the same way as one that is told
// of all.
void expect_that_quiet_calls_change_nothing(End verdict_ends)
{
    for (const SwitchTerms &terms : {SwitchTerms{30, 2, 8}, SwitchTerms{30, 0, 8},
                                     SwitchTerms{1, 5, 0}, SwitchTerms{30, 2, 40}}) {
        Rank1 all(terms), some(terms);
        std::uint32_t quiet = 0, untold = 0;
        int serves = kDirectMessages;
        for (std::uint32_t call = 0; call < 400; ++call) {
            const bool told = call >= quiet;
            if (told) {
                some.now = all.now;
                some.sw.begin_call(some.facts());
                quiet = some.sw.quiet_until();
                serves = some.sw.serving_call(call + 1);
                EXPECT_EQ(some.sw.serving_call(call), all.sw.serving_call(call));
            } else {
                ++untold;
                EXPECT_EQ(serves, all.sw.serving_call(call)) << call;
            }
            ++some.calls;
            all.call();
            ASSERT_EQ(some.background.what, all.background.what) << call;
            ASSERT_EQ(some.background.blocks.bytes, all.background.blocks.bytes) << call;
            ASSERT_EQ(some.background.measured.calls, all.background.measured.calls) << call;
            if (call % 7 == 0 && all.background.what != What::nothing) {
                const bool verdict = all.background.what == What::verdict;
                const bool question = all.background.what == What::question;
                for (Rank1 *rank : {&all, &some}) {
                    if (question) {
                        rank->background.what = What::nothing;
                        rank->sw.answered(false);
                    } else {
                        rank->end(verdict ? verdict_ends : End::gains, rank->sw.freeze(0));
                    }
                }
            }
        }
        EXPECT_GT(untold, 30U);
    }
}

TEST(Switch, QuietCallsChangeNothing)
{
    expect_that_quiet_calls_change_nothing(End::keeps);
    expect_that_quiet_calls_change_nothing(End::gives_up);
}

} // namespace
} // namespace nbrhood::test
