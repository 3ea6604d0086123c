// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "pattern/staging.h"

namespace nbrhood {

bool is_staging_run(const std::vector<Slice> &slices)
{
    std::uint64_t next = slices.empty() ? 0 : slices.front().block;
    for (const Slice &slice : slices) {
        if (slice.space != Space::staging || !slice.whole() || slice.block != next) {
            return false;
        }
        next += slice.count;
    }
    return !slices.empty();
}

std::vector<char> adjacent_staging(const Pattern &pattern)
{
    std::vector<char> adjacent(pattern.staging_blocks, 0);
    std::vector<char> sent(pattern.staging_blocks, 0);
    const auto mark = [](const Slice &slice, std::vector<char> &marks) {
        for (std::uint32_t i = 0; slice.space == Space::staging && i < slice.count; ++i) {
            marks.at(std::size_t{slice.block} + i) = 1;
        }
    };
    for (const Operation &operation : pattern.operations) {
        const bool receives = operation.kind == OperationKind::receive;
        const bool together = is_staging_run(operation.slices);
        for (const Slice &slice : operation.slices) {
            if (receives && (together || !slice.whole())) {
                mark(slice, adjacent);
            } else if (operation.kind == OperationKind::send) {
                mark(slice, sent);
            }
        }
    }
    for (const Operation &operation : pattern.operations) {
        if (operation.kind == OperationKind::copy && operation.slices.at(1).space == Space::staging
            && sent.at(operation.slices[1].block) != 0) {
            mark(operation.slices[1], adjacent);
        }
    }
    return adjacent;
}

} // namespace nbrhood
