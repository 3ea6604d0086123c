// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/grid_paths/grid_paths.h"

#include <algorithm>

#include "algorithms/toolkit/counted_protocol.h"
#include "algorithms/direct.h"
#include "algorithms/grid_paths/grid_candidates.h"
#include "algorithms/grid_paths/grid_pattern.h"
#include "algorithms/toolkit/pattern_traffic.h"

namespace nbrhood {
namespace {

constexpr int kGrids = 0; // the kind of the messages; CountedProtocol has others

class GridPathsBuilder : public CountedProtocol {
public:
    explicit GridPathsBuilder(const BuildInput &from) : CountedProtocol(from) {}

private:
    Step advance(const std::vector<Message> &inbox) override
    {
        if (!input().neighbourhood->has_edges()) {
            return Step{{}, {}, true};
        }
        if (counted_) {
            return conclude(inbox);
        }
        if (!agreement_) {
            attempt([&] {
                candidates_ =
                    GridCandidates(*input().neighbourhood, *input().known_ranks, input().ranks);
            });
            agreement_.emplace(input(), input().tree, kGrids, agree());
        }
        if (const auto step = deliver(*agreement_, inbox)) {
            return *step;
        }
        // A rank that failed does not know whether there is a grid. So all ranks call conclude() in
        // either case.
        attempt([&] { count(); });
        counted_ = true;
        return conclude(inbox);
    }

    // Grids that the edges of ranks allow go up the tree, and the grid that all allow comes down.
    TreeExchange::Terms agree()
    {
        TreeExchange::Terms terms;
        terms.put_up = [this](WordWriter &words) { candidates_.put(words); };
        terms.add_up = [this](Rank, WordReader &words) {
            candidates_.merge(GridCandidates(words, input().ranks));
        };
        terms.conclude = [this] {
            grid_ = candidates_.best();
            return true;
        };
        terms.put_down = [this](Rank, WordWriter &words) {
            words.put(grid_ ? 1 : 0);
            if (grid_) {
                grid_->put(words);
            }
        };
        terms.take_down = [this](WordReader &words) {
            if (words.take_flag()) {
                grid_ = Grid::take(words, input().ranks);
            }
        };
        return terms;
    }

    void count()
    {
        const Neighbourhood &own = *input().neighbourhood;
        if (grid_ && grid_->neighbourhood(self()) != symmetric_neighbourhood(own)) {
            throw BadMessage("a grid with other edges");
        }
        for (Work &work : works()) {
            const bool combines = grid_ && work.task.kind == BlockKind::one_per_rank;
            work.pattern = combines ? grid_pattern(own, *grid_) : build_direct(own, work.task.kind);
            work.totals =
                traffic_of(work.pattern, own, *input().known_ranks, combines ? grid_->stages() : 1);
        }
    }

    std::optional<TreeExchange> agreement_;
    GridCandidates candidates_;
    std::optional<Grid> grid_; // nothing if the graph is not a grid
    bool counted_ = false;
};

} // namespace

std::optional<Traffic> least_on_grid_paths(const Facts &facts)
{
    std::optional<Traffic> least;
    if (facts.edges_nonlocal == 0) {
        return least;
    }
    for (const Grid &grid : grids_with(facts.ranks_with_edges, facts.edges, facts.busiest_edges)) {
        Traffic traffic;
        traffic.phases = grid.stages();
        traffic.relayed.add(Link::die_pair, true, grid.messages(), facts.edges);
        traffic.busiest_relayed.add(Link::die_pair, true, grid.messages_in_the_middle(),
                                    facts.busiest_edges);
        const auto work = [](const Traffic &of) {
            return of.busiest_relayed.all_messages + of.phases;
        };
        if (traffic.relayed.all_messages < facts.edges
            && (!least || work(traffic) < work(*least))) {
            least = traffic;
        }
    }
    return least;
}

std::unique_ptr<Builder> make_grid_paths_builder(const BuildInput &input)
{
    return std::make_unique<GridPathsBuilder>(input);
}

} // namespace nbrhood
