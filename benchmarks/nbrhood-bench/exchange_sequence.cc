// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "exchange_sequence.h"

namespace nbrhood_tools::bench {

ExchangeSequence::ExchangeSequence(MPI_Comm comm, const GraphTraffic &traffic, int calls_each,
                                   Variant variant, Way way, bool takes_part)
    : traffic_(traffic), calls_each_(calls_each)
{
    for (const std::unique_ptr<Traffic> &data : traffic)
        exchanges_.push_back(std::make_unique<Exchange>(comm, *data, variant, way, takes_part));
}

std::size_t ExchangeSequence::graph_of(long call) const
{
    return exchanges_.size() == 1
               ? 0
               : static_cast<std::size_t>(call / calls_each_) % exchanges_.size();
}

void ExchangeSequence::include(bool packing, const Computation *computation)
{
    for (const std::unique_ptr<Exchange> &exchange : exchanges_)
        exchange->include(packing, computation);
}

void ExchangeSequence::prepare()
{
    for (const std::unique_ptr<Exchange> &exchange : exchanges_)
        exchange->prepare();
}

void ExchangeSequence::release()
{
    for (const std::unique_ptr<Exchange> &exchange : exchanges_)
        exchange->release();
}

void ExchangeSequence::run()
{
    exchanges_[graph_of(calls_++)]->run();
}

void ExchangeSequence::fill(std::uint64_t round)
{
    traffic_[graph_of(calls_)]->fill(round);
}

std::size_t ExchangeSequence::check(std::uint64_t round, std::string &first) const
{
    return traffic_[graph_of(calls_ - 1)]->check(round, first);
}

} // namespace nbrhood_tools::bench
