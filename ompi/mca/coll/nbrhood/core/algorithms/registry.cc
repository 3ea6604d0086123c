// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/registry.h"

#include <array>
#include <utility>

#include "algorithms/aggregated/aggregated.h"
#include "algorithms/distance_halving/distance_halving.h"
#include "algorithms/grid_paths/grid_paths.h"
#include "algorithms/common_neighbor/common_neighbor.h"
#include "algorithms/leader_scatter/leader_scatter.h"

namespace nbrhood {

const char *name_of(Collective collective)
{
    static constexpr std::array<const char *, kCollectives> kNames{
        "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv",
        "neighbor_alltoallw"};
    return kNames[static_cast<std::size_t>(collective)];
}

BlockKind kind_of(Collective collective)
{
    return collective == Collective::neighbor_allgather
                   || collective == Collective::neighbor_allgatherv
               ? BlockKind::one_per_rank
               : BlockKind::one_per_edge;
}

namespace {

std::vector<Algorithm> &rows()
{
    constexpr unsigned kAll = (1U << kCollectives) - 1;
    static std::vector<Algorithm> all{
        {"direct", "one message per edge, sent by the component", "MPI 4.0, section 8.6", kAll,
         nullptr, 0, true},
        {"aggregated",
         "one message for each pair of regions, gathered and redistributed inside them",
         "Collom, Li, Bienz 2023, sections 3.1 and 3.2", kAll, make_aggregated_builder, kThreeStep,
         true, kAggregatedParameters, least_in_three_steps},
        {"two_step",
         "one message from each rank to each region with edges from it, redistributed there",
         "Bienz, Gropp, Olson 2020; Collom, Li, Bienz 2023, section 2.1", kAll,
         make_aggregated_builder, kTwoStep,
         // Each rank waits for several others of its node, one after the other. With shared cores
         // that was slower than three steps on all graphs measured (docs/results/algorithms.md).
         false, kTwoStepParameters, least_in_two_steps},
        {"distance_halving",
         "the ranks, in order of nodes, are halved again and again; at each step a rank hands its "
         "block, and the blocks it has received so far, to an agent in the opposite half; for "
         "dense graphs",
         "Sharifian, Sojoodi, Afsahi 2024, section VI",
         bit(Collective::neighbor_allgather) | bit(Collective::neighbor_allgatherv),
         make_distance_halving_builder, 0,
         // As for two_step: aggregated was faster on all graphs measured.
         false, kHalvingParameters, least_by_halving},
        {"grid_paths",
         "on graphs that are grids, combined messages carry the blocks along one dimension after "
         "the other",
         "Traeff, Luebbe, Rougier, Hunold 2015; Traeff, Hunold 2019; without coordinates",
         bit(Collective::neighbor_allgather) | bit(Collective::neighbor_allgatherv),
         make_grid_paths_builder,
         0,
         // As for two_step: aggregated was faster on all grids measured.
         false,
         {},
         least_on_grid_paths},
        {"common_neighbor",
         "groups of k ranks of a node exchange their blocks, and each rank sends all k blocks to "
         "its share of the common neighbours; other blocks go direct",
         "Ghazimirsaeed, Mirsadeghi, Afsahi 2019",
         bit(Collective::neighbor_allgather) | bit(Collective::neighbor_allgatherv),
         make_common_neighbor_builder, 0,
         // As in two_step, each rank waits for several others of its node.
         false, kFriendParameters, least_with_friends},
        {"leader_scatter",
         "large blocks (256 KiB or more) cross into a node once, in equal parts, one for a leader "
         "in each GPU of the node (or socket, or L3 cache), and the leaders pass the parts on; "
         "smaller blocks go direct",
         "Temucin, Gazimirsaeed, Grant, Afsahi 2024, section V",
         bit(Collective::neighbor_allgather) | bit(Collective::neighbor_allgatherv),
         make_leader_scatter_builder,
         0,
         true,
         kScatterParameters,
         least_by_scatter,
         {},
         &kScatterAbove},
    };
    return all;
}

} // namespace

const std::vector<Algorithm> &registry()
{
    return rows();
}

bool serves(const Algorithm &row, BlockKind kind)
{
    for (int c = 0; c < kCollectives; ++c) {
        const auto collective = static_cast<Collective>(c);
        if (kind_of(collective) == kind && (row.serves & bit(collective)) != 0) {
            return true;
        }
    }
    return false;
}

ExtraRow::ExtraRow(Algorithm row)
{
    rows().push_back(std::move(row));
}

ExtraRow::~ExtraRow()
{
    rows().pop_back();
}

} // namespace nbrhood
