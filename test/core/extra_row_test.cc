// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A row that is added to the registry appears wherever users see algorithms and parameters.
#include <gtest/gtest.h>

#include <set>

#include "capi/nbrhood_names.h"
#include "capi/nbrhood_parameters.h"
#include "extra_row.h"
#include "creations.h"

namespace nbrhood::test {
namespace {

constexpr auto kAlltoallv = static_cast<std::size_t>(Collective::neighbor_alltoallv);

// As the glue goes through them to register MCA variables.
std::set<std::string> registered_parameters()
{
    std::set<std::string> names;
    nbrhood_parameter parameter;
    for (int number = 0; nbrhood_parameter_describe(number, &parameter); ++number) {
        names.insert(parameter.name);
    }
    return names;
}

std::set<std::string> registered_choices(int collective)
{
    std::set<std::string> names;
    for (int choice = 0; nbrhood_choice_name(choice) != nullptr; ++choice) {
        if (nbrhood_choice_serves(choice, collective)) {
            names.insert(nbrhood_choice_name(choice));
        }
    }
    return names;
}

TEST(ExtraRow, IsRegisteredWithItsParameterAsLongAsItIsThere)
{
    const std::size_t others = registered_parameters().size();
    {
        const ExtraRow row(echo_row());
        for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
            EXPECT_EQ(registered_choices(c).count("echo"), c == int{kAlltoallv} ? 1U : 0U);
        }
        EXPECT_STREQ(nbrhood_choice_summary(nbrhood_find_choice("echo")), "what tests add");
        EXPECT_EQ(registered_parameters().count("echo_times"), 1U);
        EXPECT_EQ(registered_parameters().size(), others + 1);
        nbrhood_parameter last;
        ASSERT_TRUE(nbrhood_parameter_describe(static_cast<int>(others), &last));
        EXPECT_STREQ(last.name, "echo_times");
        EXPECT_EQ(last.usual.number, 3);
        EXPECT_STREQ(last.range, "1 to 9");
        EXPECT_STREQ(last.help,
                     "What builders of echo are given. Range: 1 to 9. Must be equal on all "
                     "ranks");
    }
    EXPECT_EQ(nbrhood_find_choice("echo"), -1);
    EXPECT_EQ(registered_parameters().size(), others);
}

// The info key nbrhood_algorithm gives one choice to all collectives.
TEST(ExtraRow, NamedForAllCollectivesItServesItsOwnAndLeavesTheOthersToAuto)
{
    const ExtraRow row(echo_row());
    Random random(1);
    const Graph graph = match(dense_lists(random, 8, 0.6));
    Settings settings;
    settings.choice.fill(kAuto);
    const Created automatic = create_all(graph, make_machine({4, 4}), settings);
    settings.choice.fill(nbrhood_find_choice("echo"));
    settings.values.set(kEchoTimes, 7);
    const Created created = create_all(graph, make_machine({4, 4}), settings);
    EXPECT_EQ(echo_times_seen, 7) << "what the builder reads";
    for (const Topology &topology : created.topologies) {
        ASSERT_EQ(topology.diagnostic, Diagnostic::none);
        for (std::size_t c = 0; c < kCollectives; ++c) {
            const Served &served = topology.served[c].front();
            if (c == kAlltoallv) {
                EXPECT_EQ(served.choice, settings.choice[c]);
                EXPECT_EQ(served.reason, Reason::parameter);
            } else {
                EXPECT_EQ(served.choice, automatic.topologies[0].served[c].front().choice);
                EXPECT_EQ(served.reason, automatic.topologies[0].served[c].front().reason);
            }
            EXPECT_NE(served.program, nullptr);
        }
    }
}

TEST(ExtraRow, RanksWithUnlikeValuesOfItsParameterAreNoticed)
{
    const ExtraRow row(echo_row());
    Random random(2);
    const Graph graph = match(dense_lists(random, 6, 0.5));
    for (const bool differ : {false, true}) {
        std::vector<Settings> settings(6);
        for (Settings &own : settings) {
            own.choice.fill(nbrhood_find_choice("echo"));
        }
        settings[4].values.set(kEchoTimes, differ ? 4 : 3);
        const Created created = create_all(graph, make_machine({3, 3}), settings);
        for (const Topology &topology : created.topologies) {
            EXPECT_EQ(topology.diagnostic,
                      differ ? Diagnostic::parameters_differ : Diagnostic::none);
        }
    }
}

} // namespace
} // namespace nbrhood::test
