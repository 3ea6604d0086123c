// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Exchanges on one communicator whose graph may change.
#pragma once

#include "exchange.h"

#include <memory>
#include <vector>

namespace nbrhood_tools::bench {

/// The data of each graph, in the order in which calls use them.
using GraphTraffic = std::vector<std::unique_ptr<Traffic>>;

/// An operation on one communicator, over one graph or over several ones in turn.
class ExchangeSequence : public Repeatable, public Checkable {
public:
    /// `calls_each`: calls before the next graph has its turn. `traffic` must outlive this object.
    ExchangeSequence(MPI_Comm comm, const GraphTraffic &traffic, int calls_each, Variant variant,
                     Way way, bool takes_part);
    /// See Exchange::include().
    void include(bool packing, const Computation *computation);

    void prepare() override;
    void release() override;
    void run() override;
    /// Fills the buffers of the graph of the next call.
    void fill(std::uint64_t round) override;
    /// Compares those of the last call.
    std::size_t check(std::uint64_t round, std::string &first) const override;

private:
    std::size_t graph_of(long call) const;

    const GraphTraffic &traffic_;
    std::vector<std::unique_ptr<Exchange>> exchanges_; ///< one for each graph
    int calls_each_;
    long calls_ = 0;
};

} // namespace nbrhood_tools::bench
