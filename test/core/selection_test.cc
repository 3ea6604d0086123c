#include <gtest/gtest.h>

#include <set>

#include "select/selection.h"
#include "support.h"

namespace nbrhood::test {
namespace {

TEST(Selection, NamesAndNumbersOfChoicesBelongTogether)
{
    std::set<std::string> names;
    for (int choice = 0; choice < choices(); ++choice) {
        ASSERT_NE(choice_name(choice), nullptr);
        EXPECT_EQ(find_choice(choice_name(choice)), choice);
        EXPECT_TRUE(names.insert(choice_name(choice)).second);
    }
    EXPECT_EQ(find_choice("auto"), kAuto);
    EXPECT_EQ(find_choice("default"), kDefault);
    EXPECT_EQ(find_choice("direct"), kFirstRow + kDirect);
    EXPECT_GE(find_choice("aggregated"), kFirstRow);
    for (const char *name : {"", "Direct", "direct ", "none", "0"}) {
        EXPECT_EQ(find_choice(name), -1);
    }
    EXPECT_EQ(choice_name(-1), nullptr);
    EXPECT_EQ(choice_name(choices()), nullptr);
}

TEST(Registry, EveryCollectiveHasANameAndIsServedByDirect)
{
    std::set<std::string> names;
    for (int c = 0; c < kCollectives; ++c) {
        const auto collective = static_cast<Collective>(c);
        EXPECT_TRUE(names.insert(name_of(collective)).second);
        EXPECT_NE(registry()[kDirect].serves & bit(collective), 0U);
    }
    EXPECT_EQ(kind_of(Collective::neighbor_allgatherv), BlockKind::one_per_rank);
    EXPECT_EQ(kind_of(Collective::neighbor_alltoallw), BlockKind::one_per_edge);
    EXPECT_EQ(registry()[kDirect].make_builder, nullptr);
    for (const Algorithm &row : registry()) {
        EXPECT_NE(std::string(row.name), "");
        EXPECT_NE(std::string(row.summary), "");
        EXPECT_NE(std::string(row.source), "");
        EXPECT_NE(row.serves, 0U);
    }
}

// More edges between regions never speak against building; more ranks never for it.
TEST(Selection, MayPayIsMonotone)
{
    for (int seed = 0; seed < scaled(2000); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        Facts facts;
        facts.ranks_with_edges = draw(random, 0, 100);
        facts.edges_nonlocal = draw(random, 0, 1000);
        facts.edges = facts.edges_nonlocal + draw(random, 0, 100);
        facts.regions = draw(random, 1, 4);
        Facts more = facts;
        const std::int64_t added = draw(random, 0, 500);
        more.edges_nonlocal += added;
        more.edges += added;
        EXPECT_LE(may_pay(facts, CostModel{}), may_pay(more, CostModel{}));
        more = facts;
        more.ranks_with_edges += draw(random, 0, 50);
        EXPECT_GE(may_pay(facts, CostModel{}), may_pay(more, CostModel{}));
    }
    EXPECT_FALSE(may_pay(Facts{10, 1000, 1000, 1}, CostModel{}))
        << "nothing is relayed in a single region";
    EXPECT_TRUE(may_pay(Facts{10, 1000, 1000, 2}, CostModel{}));
    EXPECT_FALSE(may_pay(Facts{10, 1000, 0, 2}, CostModel{})) << "nothing crosses a border";
}

TEST(Selection, PaysIsMonotone)
{
    for (int seed = 0; seed < scaled(2000); ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        Traffic traffic;
        traffic.edges_local = draw(random, 0, 100);
        traffic.edges_nonlocal = draw(random, 0, 1000);
        traffic.relayed_local = draw(random, 0, 500);
        traffic.relayed_nonlocal = draw(random, 0, 500);
        const int ranks = draw(random, 0, 100);
        const bool before = pays(traffic, ranks, CostModel{});
        Traffic more = traffic;
        more.edges_nonlocal += draw(random, 0, 100);
        EXPECT_LE(before, pays(more, ranks, CostModel{}));
        more = traffic;
        more.relayed_local += draw(random, 0, 100);
        more.relayed_nonlocal += draw(random, 0, 100);
        EXPECT_GE(before, pays(more, ranks + draw(random, 0, 20), CostModel{}));
        CostModel dear;
        dear.phase += draw(random, 0, 10);
        EXPECT_GE(before, pays(traffic, ranks, dear));
    }
    EXPECT_FALSE(pays(Traffic{}, 0, CostModel{})) << "no gain is not a reason";
    EXPECT_TRUE(pays(Traffic{0, 1000, 10, 10}, 4, CostModel{}));
}

} // namespace
} // namespace nbrhood::test
