// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "select/selection.h"
#include "algorithms/registry.h"

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
    EXPECT_EQ(find_choice("direct"), kDirectChoice);
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

TEST(Selection, EveryReasonHasWordsOfItsOwn)
{
    std::set<std::string> words;
    for (int reason = 0; reason <= static_cast<int>(Reason::cannot_build); ++reason) {
        EXPECT_TRUE(words.insert(describe(static_cast<Reason>(reason))).second) << reason;
    }
    EXPECT_STREQ(describe(Reason::none), "");
}

} // namespace
} // namespace nbrhood::test
