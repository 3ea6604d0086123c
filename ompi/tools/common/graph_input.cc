// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "graph_input.h"

#include "bounds.h"
#include "error.h"

namespace nbrhood_tools {

namespace {

class Collector {
public:
    /// has_entries: whether blocks have numbered entries.
    Collector(std::int64_t bytes, nbrhood::BlockKind kind, bool has_entries, int ranks)
        : bytes_(bytes), kind_(kind), has_entries_(has_entries)
    {
        input_.neighbourhoods.reserve(static_cast<std::size_t>(ranks));
        input_.block_bytes.reserve(static_cast<std::size_t>(ranks));
    }

    /// The part of the rank that follows the last one.
    void add(const Neighbourhood &part)
    {
        const auto rank = static_cast<nbrhood::Rank>(input_.neighbourhoods.size());
        input_.neighbourhoods.push_back(
            nbrhood::match_by_order(rank, part.sources, part.destinations));
        std::vector<std::int64_t> blocks;
        if (kind_ == nbrhood::BlockKind::one_per_rank) {
            blocks.push_back(part.own_entries * bytes_);
        } else {
            blocks.reserve(part.destination_counts.size());
            for (int count : part.destination_counts)
                blocks.push_back(count * bytes_);
        }
        input_.block_bytes.push_back(std::move(blocks));
        if (has_entries_)
            input_.block_entries.push_back(part.destination_entries);
    }

    GraphInput take() { return std::move(input_); }

private:
    std::int64_t bytes_; ///< bytes of an entry; in graphs without counts a block has one entry
    nbrhood::BlockKind kind_;
    bool has_entries_;
    GraphInput input_;
};

} // namespace

GraphInput make_graph_input(const GraphSpec &spec, int ranks, const BlockSizes &sizes)
{
    Collector collector(spec.has_counts() ? sizes.entry_bytes : sizes.block_bytes, sizes.kind,
                        spec.has_counts() && sizes.kind == nbrhood::BlockKind::one_per_edge, ranks);
    if (spec.has_counts()) {
        for (Neighbourhood &part : make_all_neighbourhoods(spec, ranks)) {
            collector.add(part);
            part = {}; // memory now
        }
    } else {
        check_graph_size(spec, ranks);
        for (int rank = 0; rank < ranks; ++rank)
            collector.add(compute_neighbourhood(spec, rank, ranks));
    }
    GraphInput input = collector.take();
    std::int64_t edges = 0;
    for (const nbrhood::Neighbourhood &part : input.neighbourhoods)
        edges += static_cast<std::int64_t>(part.out.size());
    if (edges > most_edges)
        throw InputError(spec.text + ": has " + std::to_string(edges)
                         + " edges between the ranks, more than the " + std::to_string(most_edges)
                         + " that can be taken in");
    if (edges == 0)
        throw InputError(spec.text + ": has no edges between the ranks");
    return input;
}

} // namespace nbrhood_tools
