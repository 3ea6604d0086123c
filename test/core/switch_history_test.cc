// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The switch of one rank: whether a pattern serves a call, a start or a duplicate must follow from
// the agreed numbers, whatever the rank had done when it learnt them. Tries all programs of a few
// events.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "support.h"
#include "switch_fixture.h"

namespace nbrhood::test {
namespace {

constexpr std::size_t kEvents = 6;

// A point at which the serving algorithm may change: the events on all ranks before it, and the
// result of the next agreement.
struct Point {
    std::string name;
    SwitchTerms terms;
    void (*before)(Rank1 &rank);
    End end;
};

void nothing_before(Rank1 &) {}

// A pattern serves, blocks have another size, and the next call begins the size question that leads
// to a build. This function asks and answers it, so that the build has begun.
void before_later_pattern(Rank1 &rank)
{
    rank.call_until(What::build);
    rank.end(End::gains, rank.sw.propose_switch_point(rank.inits));
    rank.bytes = 4096;
    rank.call_until(What::question);
    rank.background.what = What::nothing;
    rank.sw.answered(true);
    ASSERT_EQ(rank.background.what, What::build);
    ASSERT_EQ(rank.background.earlier, Earlier::decided);
}

// A pattern was given up, and ten times as many calls have passed: the answer to a size question
// begins the comparison of a round without calls.
void before_second_trial(Rank1 &rank)
{
    before_comparison(rank);
    rank.call_until(What::comparison);
    rank.end(End::gives_up, rank.sw.propose_switch_point(rank.inits));
    for (int question = 0; rank.background.what != What::comparison; ++question) {
        ASSERT_LT(question, 100);
        rank.background.what = What::nothing;
        rank.call_until(What::question);
        rank.background.what = What::nothing;
        rank.sw.answered(false);
    }
}

void before_second_comparison(Rank1 &rank)
{
    before_second_trial(rank);
    const CallCounts again = rank.sw.propose_switch_point(rank.inits);
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
        {"pattern_after_two_calls", {2, 0, 0}, nothing_before, End::gains},
        {"pattern_on_trial", {0, 1, 0}, nothing_before, End::gains},
        {"kept", {0, 1, 0}, before_comparison, End::keeps},
        {"given_up", {0, 1, 0}, before_comparison, End::gives_up},
        {"another_round", {0, 1, 0}, before_comparison, End::another_round},
        {"tried_again", {0, 1, 4}, before_second_trial, End::another_round},
        {"kept_after_all", {0, 1, 4}, before_second_comparison, End::keeps},
        {"given_up_for_good", {0, 1, 4}, before_second_comparison, End::gives_up},
        {"later_pattern", {0, 0, 4}, before_later_pattern, End::gains},
        {"later_pattern_given_up", {0, 0, 4}, before_later_pattern, End::direct_again},
    };
    return all;
}

// The next event of a program; collective calls are the same on all ranks.
enum class Event { call, start_0, start_1, init, duplicate };
using Program = std::array<Event, kEvents>;

// A question to the switch: about a call, a start of a request, or a duplicate after this many
// calls.
using Question = std::tuple<Event, std::uint32_t, std::uint32_t>;
using Agreed = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
constexpr int kBeginsAnew = 100; // for a duplicate; else the pattern it inherits

// One rank's history: the program's events, and the events before which it names its contributions
// and learns the agreed numbers.
class History {
public:
    // blocking: a call that has to wait ends the program's events until the rank learns it.
    History(const Point &point, const Program &program, std::size_t proposes, std::size_t learns,
            std::uint32_t above, bool blocking)
        : rank_(point.terms), point_(point), program_(program), proposes_(proposes),
          learns_(learns), above_(above), blocking_(blocking)
    {}

    // Nothing if no rank can have this order of events.
    std::optional<std::map<Question, int>> run()
    {
        point_.before(rank_);
        for (std::size_t i = 0; i <= kEvents; ++i) {
            if (i == proposes_ && !propose()) {
                return std::nullopt;
            }
            if (i == learns_) {
                rank_.end(point_.end, agreed);
                learnt_ = true;
            }
            if (i < kEvents && !take(program_[i])) {
                return std::nullopt;
            }
        }
        if (!learnt_) {
            return std::nullopt;
        }
        for (const Question &question : waiting_) {
            answers_[question] = answer(question);
        }
        return answers_;
    }

    CallCounts agreed; // once it has run

private:
    bool propose()
    {
        if (rank_.background.what != What::build && rank_.background.what != What::comparison) {
            return false; // nothing is decided yet
        }
        const CallCounts own = rank_.sw.propose_switch_point(rank_.inits);
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
            const std::uint32_t start = rank_.start(request);
            ask({Event::start_0, request, start}, rank_.sw.holds_start(request, start));
            return true;
        }
        case Event::init:
            ++rank_.inits;
            return true;
        case Event::duplicate: {
            const Inheritance inheritance = rank_.sw.inheritance(rank_.calls);
            answers_[{Event::duplicate, 0, rank_.calls}] =
                inheritance == Inheritance::decision ? rank_.sw.inherited_pattern() : kBeginsAnew;
            return inheritance != Inheritance::not_known; // otherwise the call waits
        }
        }
        return false;
    }

    // A call that waits is served by the knowledge of the rank when it goes on; other calls are
    // served at once.
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
    std::size_t proposes_;
    std::size_t learns_;
    std::uint32_t above_;
    bool blocking_;
    bool learnt_ = false;
    std::map<Question, int> answers_;
    std::vector<Question> waiting_;
};

// Whether a request is started after its init only; request 0 is there from the beginning.
bool is_possible(const Program &program)
{
    int requests = 1;
    for (const Event event : program) {
        requests += event == Event::init ? 1 : 0;
        if (requests > kRequests || (event == Event::start_1 && requests < 2)) {
            return false;
        }
    }
    return true;
}

template <typename Check>
void for_all_programs(const Check &check)
{
    std::size_t programs = 1;
    for (std::size_t i = 0; i < kEvents; ++i) {
        programs *= 5;
    }
    // Tries all histories, unless the tests are scaled down.
    const std::size_t step =
        programs / static_cast<std::size_t>(scaled(static_cast<int>(programs)));
    for (std::size_t number = 0; number < programs; number += step) {
        Program program{};
        std::size_t rest = number;
        for (Event &event : program) {
            event = static_cast<Event>(rest % 5);
            rest /= 5;
        }
        if (is_possible(program)) {
            check(program);
        }
    }
}

class SwitchHistories : public testing::TestWithParam<Point> {};

// Each rank's answers follow from the agreed numbers alone. So all ranks give the same answer for
// the same call, whatever each had done when it named its contribution and when it learnt the
// numbers. The number of ranks matters only for the greatest contribution of the others (`above`).
TEST_P(SwitchHistories, AnswersFollowFromWhatWasAgreed)
{
    const Point &point = GetParam();
    std::map<Agreed, std::map<Question, int>> known;
    std::size_t histories = 0, wrong = 0;
    std::map<int, std::size_t> kinds;
    for_all_programs([&](const Program &program) {
        for (std::size_t proposes = 0; proposes <= kEvents; ++proposes) {
            for (std::size_t learns = proposes; learns <= kEvents; ++learns) {
                for (int kind = 0; kind < 4; ++kind) {
                    History history(point, program, proposes, learns, kind % 2, kind < 2);
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

INSTANTIATE_TEST_SUITE_P(, SwitchHistories, testing::ValuesIn(points()),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace nbrhood::test
