// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The selection of agents has the same result as the negotiation of the paper.
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "algorithms/distance_halving/agent_selection.h"
#include "support.h"

namespace nbrhood::test {
namespace {

int shared(const AgentSearch &search, int origin, int candidate)
{
    const auto &row = search.origins[static_cast<std::size_t>(origin)];
    const auto &other = search.candidates[static_cast<std::size_t>(candidate)];
    int count = 0;
    for (std::size_t i = 0; i < other.size(); ++i) {
        count += __builtin_popcountll(row[i] & other[i]);
    }
    return count;
}

AgentSearch random_search(Random &random, int origins, int candidates, int destinations)
{
    const double density = draw(random, 1, 100) / 100.0;
    AgentSearch search;
    const auto row = [&] {
        AgentSearch::Row bits((static_cast<std::size_t>(destinations) + 63) / 64, 0);
        for (int i = 0; i < destinations; ++i) {
            if (chance(random, density)) {
                bits[static_cast<std::size_t>(i / 64)] |= std::uint64_t{1} << i % 64;
            }
        }
        return bits;
    };
    for (int i = 0; i < origins; ++i) {
        search.origins.push_back(row());
    }
    for (int i = 0; i < candidates; ++i) {
        search.candidates.push_back(chance(random, 0.9) ? row() : AgentSearch::Row());
    }
    return search;
}

// A plain implementation of algorithms 2 and 3 of Sharifian, Sojoodi, Afsahi (2024): ranks of one
// half ask for an agent, ranks of the other half accept an origin, by signals with random delays.
// Lines 29, 36 and 42 compare with -1 where they must do the opposite (a rank accepts while it has
// no origin). Both sides break ties in the same way.
class Negotiation {
public:
    explicit Negotiation(const AgentSearch &search)
        : search_(search), origins_(search.origins.size()), candidates_(search.candidates.size())
    {}

    std::vector<int> run(Random &random)
    {
        for (int o = 0; o < static_cast<int>(origins_.size()); ++o) {
            for (int c = 0; c < static_cast<int>(candidates_.size()); ++c) {
                if (shared(search_, o, c) > 0) {
                    origins_[static_cast<std::size_t>(o)].active.insert(c);
                    candidates_[static_cast<std::size_t>(c)].active.insert(o);
                }
            }
        }
        for (int o = 0; o < static_cast<int>(origins_.size()); ++o) {
            request(o);
        }
        while (!signals_.empty()) {
            const auto at =
                static_cast<std::ptrdiff_t>(draw(random, 0, static_cast<int>(signals_.size()) - 1));
            const Signal signal = signals_[static_cast<std::size_t>(at)];
            signals_.erase(signals_.begin() + at);
            deliver(signal);
        }
        std::vector<int> agents;
        for (const Origin &origin : origins_) {
            agents.push_back(origin.agent);
        }
        return agents;
    }

private:
    enum class Kind { request, exit, accept, drop };
    struct Signal {
        Kind kind;
        int origin;
        int candidate;
    };
    struct Origin {
        std::set<int> active;
        int asked = -1;
        int agent = -1;
    };
    struct Candidate {
        std::set<int> active;
        std::set<int> waiting;
        int origin = -1;
    };

    bool better(int o1, int c1, int o2, int c2) const
    {
        const int s1 = shared(search_, o1, c1), s2 = shared(search_, o2, c2);
        return s1 != s2 ? s1 > s2 : std::make_pair(o1, c1) < std::make_pair(o2, c2);
    }

    void request(int o)
    {
        Origin &origin = origins_[static_cast<std::size_t>(o)];
        origin.asked = -1;
        for (const int c : origin.active) {
            if (origin.asked < 0 || better(o, c, o, origin.asked)) {
                origin.asked = c;
            }
        }
        if (origin.asked >= 0) {
            signals_.push_back({Kind::request, o, origin.asked});
        }
    }

    void consider(int c)
    {
        Candidate &candidate = candidates_[static_cast<std::size_t>(c)];
        int best = -1;
        for (const int o : candidate.active) {
            best = best < 0 || better(o, c, best, c) ? o : best;
        }
        if (best >= 0 && candidate.origin < 0 && candidate.waiting.count(best) != 0) {
            candidate.origin = best;
            signals_.push_back({Kind::accept, best, c});
            for (const int o : candidate.active) {
                if (o != best) {
                    signals_.push_back({Kind::drop, o, c});
                }
            }
            candidate.active.clear();
        }
    }

    void deliver(const Signal &signal)
    {
        Origin &origin = origins_[static_cast<std::size_t>(signal.origin)];
        Candidate &candidate = candidates_[static_cast<std::size_t>(signal.candidate)];
        switch (signal.kind) {
        case Kind::request:
            candidate.waiting.insert(signal.origin);
            consider(signal.candidate);
            break;
        case Kind::exit:
            candidate.active.erase(signal.origin);
            consider(signal.candidate);
            break;
        case Kind::accept:
            origin.agent = signal.candidate;
            for (const int c : origin.active) {
                if (c != signal.candidate) {
                    signals_.push_back({Kind::exit, signal.origin, c});
                }
            }
            break;
        case Kind::drop:
            origin.active.erase(signal.candidate);
            if (origin.asked == signal.candidate && origin.agent < 0) {
                request(signal.origin);
            }
            break;
        }
    }

    const AgentSearch &search_;
    std::vector<Origin> origins_;
    std::vector<Candidate> candidates_;
    std::deque<Signal> signals_;
};

TEST(AgentSelection, IsWhatThePapersNegotiationComesTo)
{
    for (int seed = 0; seed < scaled(500) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const AgentSearch search =
            random_search(random, draw(random, 1, 20), draw(random, 1, 20), draw(random, 1, 20));
        ASSERT_EQ(select_agents(search, 1), Negotiation(search).run(random));
    }
}

// Lists of candidates are short and refilled; the result is the same as with complete lists.
TEST(AgentSelection, IsGreedyWithManyCandidates)
{
    for (int seed = 0; seed < scaled(20) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 1000);
        const AgentSearch search = random_search(random, 60, 60, 70);
        ASSERT_EQ(select_agents(search, 1), Negotiation(search).run(random));
    }
}

TEST(AgentSelection, DoesNotDependOnWhereItIsCut)
{
    for (int seed = 0; seed < scaled(100) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 3000);
        const AgentSearch search =
            random_search(random, draw(random, 1, 60), draw(random, 1, 60), draw(random, 1, 130));
        const int most_origins = draw(random, 1, 3);
        AgentSelector selector(search, most_origins);
        const int longest = draw(random, 1, 1000);
        for (bool ended = false; !ended;) {
            WorkSlice slice(draw(random, 1, longest));
            ended = selector.go_on(slice);
            // A slice of work covers the search of one origin at most.
            WorkSlice none(0);
            ASSERT_EQ(selector.go_on(none), ended);
        }
        ASSERT_EQ(selector.agents(), select_agents(search, most_origins));
    }
}

TEST(AgentSelection, SecondOriginsOnlyWhereNoAgentIsLeft)
{
    for (int seed = 0; seed < scaled(300) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 2000);
        const int candidates = draw(random, 1, 10);
        const AgentSearch search = random_search(random, draw(random, 1, 30), candidates, 40);
        const std::vector<int> once = select_agents(search, 1);
        const int most = draw(random, 2, 4);
        const std::vector<int> more = select_agents(search, most);
        std::vector<int> load(static_cast<std::size_t>(candidates), 0);
        for (std::size_t o = 0; o < more.size(); ++o) {
            if (once[o] >= 0) {
                ASSERT_EQ(more[o], once[o]);
            }
            if (more[o] >= 0) {
                ++load[static_cast<std::size_t>(more[o])];
                ASSERT_GT(shared(search, static_cast<int>(o), more[o]), 0);
            }
        }
        ASSERT_LE(*std::max_element(load.begin(), load.end()), most);
        for (std::size_t o = 0; o < more.size(); ++o) {
            for (int c = 0; c < candidates && more[o] < 0; ++c) {
                ASSERT_TRUE(shared(search, static_cast<int>(o), c) == 0
                            || load[static_cast<std::size_t>(c)] == most)
                    << "an origin without agent though there is one";
            }
        }
    }
}

TEST(Samples, AreSpreadOverTheHalf)
{
    const std::vector<int> positions{3, 10, 11, 12, 13, 14, 19, 20, 40};
    const std::vector<std::int32_t> all = Samples(10, 20, 0).bits_of(positions);
    EXPECT_EQ(all, (std::vector<std::int32_t>{0b1000011111}));
    const std::vector<std::int32_t> half = Samples(10, 20, 5).bits_of(positions);
    EXPECT_EQ(half, (std::vector<std::int32_t>{0b00111})); // 10, 12, 14, 16, 18
    const std::vector<std::int32_t> words{1, 2, 3};
    WordReader reader(words);
    EXPECT_EQ(Samples(0, 96, 0).take_row(reader),
              (AgentSearch::Row{std::uint64_t{2} << 32 | 1, 3}));
}

} // namespace
} // namespace nbrhood::test
