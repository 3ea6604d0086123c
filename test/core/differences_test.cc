// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "select/differences.h"

#include <gtest/gtest.h>

using namespace nbrhood;

namespace {

using Found = std::vector<std::string>;

TEST(Differences, NothingIsSaidOfWhatIsEqual)
{
    EXPECT_EQ(differences({}), Found{});
    EXPECT_EQ(differences({{0, "c=1\na=2\n"}, {1, "c=1\na=2\n"}}), Found{});
}

TEST(Differences, NamesValuesAndRanks)
{
    EXPECT_EQ(differences({{0, "c=1\na=2\n"}, {3, "c=1\na=3\nb=x=y\n"}, {4, "c=1\na=2\n"}}),
              (Found{"a is 2 on ranks 0, 4 (2 of 3), 3 on rank 3 (1 of 3)",
                     "b is the default on ranks 0, 4 (2 of 3), x=y on rank 3 (1 of 3)"}));
}

// A rank without the component has no parameters, not even default ones.
TEST(Differences, RanksWithoutTheComponentSayNothingOfParameters)
{
    EXPECT_EQ(differences({{0, "component=missing\n"}, {1, "component=version 1\na=2\n"}}),
              Found{"component is missing on rank 0 (1 of 2), version 1 on rank 1 (1 of 2)"});
    EXPECT_EQ(differences({{0, "component=missing\n"},
                           {1, "component=version 1\na=2\n"},
                           {2, "component=version 1\nz=0\n"}}),
              (Found{"component is missing on rank 0 (1 of 3), version 1 on ranks 1, 2 (2 of 3)",
                     "a is 2 on rank 1 (1 of 3), the default on rank 2 (1 of 3)",
                     "z is the default on rank 1 (1 of 3), 0 on rank 2 (1 of 3)"}));
}

TEST(Differences, LongListsAreCut)
{
    std::vector<RankFacts> ranks;
    for (int rank = 0; rank < 20; ++rank) {
        ranks.push_back({rank, "c=1\na=" + std::to_string(rank < 12 ? 0 : rank) + "\n"});
    }
    EXPECT_EQ(differences(ranks),
              Found{"a is 0 on ranks 0, 1, 2, 3, 4, 5, 6, 7 and others (12 of 20), 12 on rank 12 "
                    "(1 of 20), 13 on rank 13 (1 of 20), 14 on rank 14 (1 of 20), and other "
                    "values"});
}

} // namespace
