// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "picture_text.h"

#include "common/number_text.h"

namespace nbrhood_tools::explain {

std::string scenario_text(const ScenarioReport &report)
{
    return report.graph + ", blocks one "
           + (report.kind == nbrhood::BlockKind::one_per_rank ? "per rank" : "per edge");
}

std::string size_text(const ScenarioReport &report, std::int64_t bytes)
{
    return std::string(report.has_counts ? "entries" : "blocks") + " of "
           + bytes_text(static_cast<double>(bytes)) + (bytes == 1 ? " byte" : " bytes");
}

} // namespace nbrhood_tools::explain
