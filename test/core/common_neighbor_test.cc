// Proves patterns of friends on random graphs, machines and settings, in creations and beside the
// program.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "algorithms/common_neighbor.h"
#include "analysis/lockstep.h"
#include "component_builds.h"
#include "execute/program.h"

namespace nbrhood::test {
namespace {

constexpr int kSizes[] = {2, 3, 4, 8, 0}; // k

const Algorithm &row()
{
    return registry()[static_cast<std::size_t>(find_choice("common_neighbor") - kFirstRow)];
}

Tuning tuned(int k, bool anywhere, int candidates = 1024)
{
    Tuning tuning;
    tuning.values.set(kFriendsPerGroup, k);
    tuning.values.set(kFriendsAnywhere, anywhere);
    tuning.values.set(kFriendCandidates, candidates);
    return tuning;
}

Tuning random_friends(Random &random)
{
    return tuned(kSizes[draw(random, 0, 4)], chance(random, 0.5), 1 << draw(random, 0, 12));
}

// A graph with many groups: ranks that send to nearly the same ranks, some edges several times.
Graph friendly_graph(Random &random, int ranks)
{
    if (chance(random, 0.3)) {
        return random_graph(random, ranks);
    }
    Lists lists = dense_lists(random, ranks, draw(random, 3, 10) / 10.0);
    for (int more = chance(random, 0.5) ? draw(random, 1, 3 * ranks) : 0; more > 0; --more) {
        lists.add(draw(random, 0, ranks - 1), draw(random, 0, ranks - 1)); // self edges, too
    }
    Graph graph = match(lists);
    for (Neighbourhood &own : graph) {
        if (chance(random, 0.1)) {
            own.in.insert(own.in.begin(), EdgeEnd{});
            own.out.push_back(EdgeEnd{});
        }
    }
    return graph;
}

// What the builders of all ranks look at, as in a creation, or beside the program: there a rank
// knows its region and its neighbours, and all ranks of a component are in its tree.
class World {
public:
    World(Graph graph, const Machine &machine, bool beside)
        : graph_(std::move(graph)), beside_(beside), known_(graph_.size()), input_(graph_.size())
    {
        std::vector<char> has_edges;
        for (const Neighbourhood &own : graph_) {
            has_edges.push_back(own.has_edges() ? 1 : 0);
        }
        if (beside) {
            tell_neighbours(machine);
        } else {
            all_ = Surroundings(machine, has_edges);
        }
        for (std::size_t r = 0; r < graph_.size(); ++r) {
            input_[r].neighbourhood = &graph_[r];
            input_[r].surroundings = beside ? &known_[r] : &all_;
            input_[r].ranks = machine.ranks();
            input_[r].tasks = {Task{BlockKind::one_per_rank, 0}};
            input_[r].tree = beside ? TreePlace(component_of(r), graph_[r].rank)
                                    : place_among_leaders(all_, graph_[r].rank);
        }
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    std::vector<std::unique_ptr<Builder>> builders(const Tuning &tuning, Rank fail_rank = kNoRank,
                                                   int fail_step = -1)
    {
        std::vector<std::unique_ptr<Builder>> builders;
        for (BuildInput &input : input_) {
            input.tuning = tuning;
            input.fail_in_step = input.neighbourhood->rank == fail_rank ? fail_step : -1;
            builders.push_back(row().make_builder(input));
        }
        return builders;
    }

    const Graph &graph() const { return graph_; }
    bool has_edges(std::size_t rank) const { return graph_[rank].has_edges(); }

private:
    std::vector<Rank> component_of(std::size_t rank) const
    {
        const std::vector<Rank> labels = components_of(graph_);
        std::vector<Rank> members;
        for (std::size_t r = 0; r < graph_.size(); ++r) {
            if (labels[r] == labels[rank]) {
                members.push_back(static_cast<Rank>(r));
            }
        }
        return members;
    }

    void tell_neighbours(const Machine &machine)
    {
        for (std::size_t r = 0; r < graph_.size(); ++r) {
            const std::vector<Rank> component = component_of(r);
            const auto whereabouts_of = [&](Rank rank) {
                Rank leader = kNoRank;
                for (const Rank other : component) {
                    leader = leader == kNoRank && machine.local(other, rank) ? other : leader;
                }
                return Whereabouts{machine.place(rank), leader};
            };
            std::set<Rank> near;
            for (const Rank other : component) {
                if (machine.local(other, static_cast<Rank>(r))) {
                    near.insert(other);
                }
            }
            for (const auto *ends : {&graph_[r].in, &graph_[r].out}) {
                for (const EdgeEnd &end : *ends) {
                    near.insert(end.peer);
                }
            }
            near.erase(kNoRank);
            for (const Rank other : near) {
                known_[r].add(other, whereabouts_of(other));
            }
        }
    }

    Graph graph_;
    bool beside_;
    std::vector<Surroundings> known_; // by rank
    Surroundings all_;
    std::vector<BuildInput> input_;
};

std::vector<Pattern> take(const std::vector<std::unique_ptr<Builder>> &builders)
{
    std::vector<Pattern> patterns;
    for (const auto &builder : builders) {
        EXPECT_EQ(builder->outcome(0), Outcome::built);
        patterns.push_back(builder->take_pattern(0));
    }
    return patterns;
}

void expect_proved(const std::vector<Pattern> &patterns, const Graph &graph, Random &random)
{
    for (const IsLarge &large :
         {IsLarge([](const Edge &) { return false; }), IsLarge([](const Edge &) { return true; }),
          random_large(random)}) {
        const auto faults = prove(patterns, graph, large);
        EXPECT_TRUE(faults.empty()) << joined(faults);
    }
    for (const Pattern &pattern : patterns) {
        EXPECT_NO_THROW(Program{pattern});
    }
}

std::size_t messages_of(const Pattern &pattern, int phase)
{
    return static_cast<std::size_t>(std::count_if(
        pattern.operations.begin(), pattern.operations.end(), [&](const Operation &operation) {
            return operation.kind == OperationKind::send && operation.phase == phase;
        }));
}

std::size_t combined(const std::vector<Pattern> &patterns)
{
    std::size_t messages = 0;
    for (const Pattern &pattern : patterns) {
        messages += messages_of(pattern, kRedistribute);
    }
    return messages;
}

TEST(CommonNeighbor, IsProvedOnThousandsOfSmallGraphs)
{
    std::size_t messages = 0;
    for (int seed = 0; seed < scaled(2000) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed));
        const int ranks = draw(random, 1, 24);
        World world(friendly_graph(random, ranks), random_machine(random, ranks),
                    chance(random, 0.5));
        const auto builders = world.builders(random_friends(random));
        ASSERT_GE(run_in_random_order(builders, random), 0);
        const auto patterns = take(builders);
        expect_proved(patterns, world.graph(), random);
        messages += combined(patterns);
    }
    EXPECT_GT(messages, 1000U);
}

TEST(CommonNeighbor, IsProvedOnMediumGraphsWithAllParameters)
{
    for (int seed = 0; seed < scaled(10) && !HasFailure(); ++seed) {
        for (const int k : kSizes) {
            for (const bool anywhere : {false, true}) {
                SCOPED_TRACE("seed " + std::to_string(seed) + " k " + std::to_string(k));
                Random random(static_cast<std::uint64_t>(seed) + 10000);
                const int ranks = draw(random, 25, 80);
                World world(friendly_graph(random, ranks), random_machine(random, ranks),
                            chance(random, 0.5));
                const auto builders = world.builders(tuned(k, anywhere));
                ASSERT_NO_THROW(run_lockstep(builders));
                expect_proved(take(builders), world.graph(), random);
            }
        }
    }
}

// In a creation and beside the program the same friends are found, unless several components share
// a matching of all, which does not change what friends there are in each.
TEST(CommonNeighbor, IsTheSameBesideTheProgram)
{
    for (int seed = 0; seed < scaled(100) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 20000);
        const int ranks = draw(random, 2, 24);
        const Graph graph = match(dense_lists(random, ranks, 0.7));
        const Machine machine = random_machine(random, ranks);
        const Tuning tuning = random_friends(random);
        World created(graph, machine, false), beside(graph, machine, true);
        const auto first = created.builders(tuning), second = beside.builders(tuning);
        run_lockstep(first);
        run_lockstep(second);
        for (std::size_t r = 0; r < graph.size(); ++r) {
            ASSERT_EQ(words_of(first[r]->traffic(0)), words_of(second[r]->traffic(0)));
        }
        ASSERT_EQ(take(first), take(second));
    }
}

TEST(CommonNeighbor, WholeBuildsBesideTheProgramAreRight)
{
    for (int seed = 0; seed < scaled(150) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 30000);
        const int ranks = draw(random, 2, 30);
        Settings settings =
            settings_of(find_choice("common_neighbor"), Collective::neighbor_allgather);
        settings.values.set(kFriendsPerGroup, kSizes[draw(random, 0, 4)]);
        settings.values.set(kFriendsAnywhere, chance(random, 0.5));
        Builds builds(friendly_graph(random, ranks), random_machine(random, ranks),
                      std::vector<Settings>(static_cast<std::size_t>(ranks), settings), random,
                      Collective::neighbor_allgather, 8);
        builds.run(random);
        expect_right(builds);
    }
}

// Two nodes of k ranks, of which those of the first send to all of the second: equation 1.
TEST(CommonNeighbor, FriendsSendTheirShareOfTheCommonNeighbours)
{
    for (const int k : {2, 3, 4, 8}) {
        const int m = 3 * k + 1;
        Lists lists(k + m);
        for (Rank friend_ = 0; friend_ < k; ++friend_) {
            lists.add(k, friend_); // who relays must receive
            for (Rank common = k; common < k + m; ++common) {
                lists.add(friend_, common);
            }
        }
        const Graph graph = match(lists);
        const auto built =
            build_all(row(), BlockKind::one_per_rank, graph, make_machine({k, m}), tuned(k, false));
        for (Rank friend_ = 0; friend_ < k; ++friend_) {
            const Pattern &pattern = built.patterns[static_cast<std::size_t>(friend_)];
            EXPECT_EQ(messages_of(pattern, kGather), static_cast<std::size_t>(k - 1));
            EXPECT_EQ(messages_of(pattern, kRedistribute),
                      static_cast<std::size_t>(m / k + (friend_ < m % k ? 1 : 0)));
            EXPECT_EQ(messages_of(pattern, kLocal), 0U);
        }
        EXPECT_EQ(built.traffic.phases, 2);
        EXPECT_EQ(built.traffic.relayed.all_messages, k * (k - 1) + m + k);
    }
}

// Ranks without in-edges may skip calls, so they have no friends.
TEST(CommonNeighbor, RanksWithoutInEdgesRelayNothing)
{
    Lists lists(12);
    for (Rank sender = 0; sender < 4; ++sender) {
        for (Rank common = 4; common < 12; ++common) {
            lists.add(sender, common);
        }
    }
    const auto built =
        build_all(row(), BlockKind::one_per_rank, match(lists), make_machine({12}), tuned(2, true));
    EXPECT_EQ(built.patterns, direct_patterns(match(lists), BlockKind::one_per_rank));
}

TEST(CommonNeighbor, IsProvedOnAThousandRanks)
{
    struct Case {
        double density;
        int k;
        bool anywhere;
    };
    for (const Case &one :
         {Case{0.1, 0, false}, {0.3, 3, false}, {0.8, 8, false}, {0.1, 2, true}}) {
        SCOPED_TRACE("density " + std::to_string(one.density) + " k " + std::to_string(one.k));
        Random random(4);
        const Graph graph = match(dense_lists(random, 1024, one.density));
        const auto built =
            build_all(row(), BlockKind::one_per_rank, graph, make_machine(std::vector<int>(32, 32)),
                      tuned(one.k, one.anywhere, one.anywhere ? 128 : 1024));
        const auto faults = prove(built.patterns, graph, random_large(random));
        EXPECT_TRUE(faults.empty()) << joined(faults);
        EXPECT_LT(built.traffic.relayed.all_messages, built.traffic.direct.all_messages * 9 / 10);
    }
}

// All ranks up to `radius` away in both dimensions of a periodic square.
Graph moore(int side, int radius)
{
    Lists lists(side * side);
    for (Rank rank = 0; rank < side * side; ++rank) {
        for (int dx = -radius; dx <= radius; ++dx) {
            for (int dy = -radius; dy <= radius; ++dy) {
                const int x = (rank / side + dx + side) % side,
                          y = (rank % side + dy + side) % side;
                if (dx != 0 || dy != 0) {
                    lists.add(rank, x * side + y);
                }
            }
        }
    }
    return match(lists);
}

TEST(CommonNeighbor, IsProvedOnFourThousandRanks)
{
    const Graph graph = moore(64, 2);
    for (const bool anywhere : {false, true}) {
        Random random(5);
        const auto built = build_all(row(), BlockKind::one_per_rank, graph,
                                     make_machine(std::vector<int>(128, 32)), tuned(2, anywhere));
        const auto faults = prove(built.patterns, graph, random_large(random));
        EXPECT_TRUE(faults.empty()) << joined(faults);
        // 11 of 24 neighbours remain, or fewer; with one friend 20 common ones.
        EXPECT_LE(built.traffic.relayed.all_messages, 4096 * 15);
    }
}

void fail_everywhere(Random &random)
{
    const int ranks = draw(random, 2, 10);
    World world(friendly_graph(random, ranks), random_machine(random, ranks), chance(random, 0.5));
    const Tuning tuning = random_friends(random);
    for (Rank victim = 0; victim < ranks; ++victim) {
        for (int step = 0; step < 14; ++step) {
            SCOPED_TRACE("rank " + std::to_string(victim) + ", step " + std::to_string(step));
            const auto builders = world.builders(tuning, victim, step);
            if (chance(random, 0.5)) {
                ASSERT_GE(run_in_random_order(builders, random), 0);
            } else {
                ASSERT_NO_THROW(run_lockstep(builders));
            }
            const bool fails =
                builders[static_cast<std::size_t>(victim)]->outcome(0) == Outcome::failed;
            // The victim makes its pattern in the fourth superstep at the earliest.
            ASSERT_TRUE(step > 1 || fails == world.has_edges(static_cast<std::size_t>(victim)));
        }
    }
}

TEST(CommonNeighbor, FailuresInAnySuperstepEndTheProtocol)
{
    for (int seed = 0; seed < scaled(100) && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 40000);
        fail_everywhere(random);
    }
}

// Who fails before its pattern is made keeps all from using theirs.
TEST(CommonNeighbor, EarlyFailuresReachAllRanks)
{
    Random random(6);
    for (const bool beside : {false, true}) {
        World world(match(dense_lists(random, 12, 0.6)), make_machine({4, 4, 4}), beside);
        for (const bool anywhere : {false, true}) {
            for (Rank victim = 0; victim < 12; ++victim) {
                for (int step = 0; step < 2; ++step) {
                    const auto builders = world.builders(tuned(2, anywhere), victim, step);
                    run_lockstep(builders);
                    for (const auto &builder : builders) {
                        EXPECT_EQ(builder->outcome(0), Outcome::failed);
                    }
                }
            }
        }
    }
}

// A builder one of whose letters is changed on its way.
class Changing : public Builder {
public:
    // letter: its number; none where it is negative.
    Changing(Builder &inner, int letter) : inner_(inner), letter_(letter) {}

    Step step(const std::vector<Message> &inbox) override
    {
        Step step = inner_.step(inbox);
        for (Message &letter : step.outbox) {
            if (letter_-- == 0 && !letter.words.empty()) {
                letter.words.back() ^= 1;
                changed = true;
            }
        }
        return step;
    }
    Outcome outcome(std::size_t task) const override { return inner_.outcome(task); }
    Traffic traffic(std::size_t task) const override { return inner_.traffic(task); }
    bool one_size() const override { return inner_.one_size(); }
    Pattern take_pattern(std::size_t task) override { return inner_.take_pattern(task); }

    bool changed = false;

private:
    Builder &inner_;
    int letter_;
};

TEST(CommonNeighbor, ChangedLettersAreFailures)
{
    int changes = 0;
    for (int seed = 0; seed < scaled(600); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(static_cast<std::uint64_t>(seed) + 50000);
        const int ranks = draw(random, 4, 16);
        World world(match(dense_lists(random, ranks, 0.7)), random_machine(random, ranks),
                    chance(random, 0.5));
        const auto inner = world.builders(random_friends(random));
        const auto victim = static_cast<std::size_t>(draw(random, 0, ranks - 1));
        std::vector<std::unique_ptr<Builder>> builders;
        for (std::size_t r = 0; r < inner.size(); ++r) {
            builders.push_back(
                std::make_unique<Changing>(*inner[r], r == victim ? draw(random, 0, 25) : -1));
        }
        ASSERT_NO_THROW(run_lockstep(builders));
        const bool changed = static_cast<const Changing &>(*builders[victim]).changed;
        changes += changed ? 1 : 0;
        ASSERT_EQ(changed, std::any_of(inner.begin(), inner.end(), [](const auto &builder) {
                      return builder->outcome(0) == Outcome::failed;
                  }));
    }
    EXPECT_GT(changes, scaled(100));
}

} // namespace
} // namespace nbrhood::test
