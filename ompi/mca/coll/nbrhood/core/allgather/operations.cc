// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "allgather/operations.h"

#include <algorithm>

namespace nbrhood {

AllgatherOperations::AllgatherOperations(const AllgatherShape &shape, Rank own, bool by_rank)
    : shape_(shape), own_(own)
{
    result_.by_rank = by_rank;
    Pattern &pattern = result_.pattern;
    pattern.rank = by_rank ? own : shape.rank_at[static_cast<std::size_t>(own)];
    pattern.kind = BlockKind::one_per_rank;
    Operation copy;
    copy.kind = OperationKind::copy;
    copy.peer = pattern.rank;
    copy.slices = {Slice{}, run(Space::receive, static_cast<std::uint32_t>(own), 1)};
    pattern.operations.push_back(std::move(copy));
}

void AllgatherOperations::send(Rank to, const Positions &blocks)
{
    add(OperationKind::send, to, blocks);
}

void AllgatherOperations::receive(Rank from, const Positions &blocks)
{
    add(OperationKind::receive, from, blocks);
}

void AllgatherOperations::add(OperationKind kind, Rank other, const Positions &blocks)
{
    if (blocks.empty()) {
        return;
    }
    Operation operation;
    operation.kind = kind;
    operation.carry = Carry::direct;
    operation.phase = kInter;
    operation.peer = result_.by_rank ? other : shape_.rank_at[static_cast<std::size_t>(other)];
    operation.key = keys_[{kind, other}]++;
    for (const PositionRange &range : blocks) {
        operation.slices.push_back(run(Space::receive, static_cast<std::uint32_t>(range.first),
                                       static_cast<std::uint32_t>(range.count)));
    }
    result_.pattern.operations.push_back(std::move(operation));
}

Positions on_circle(Rank first, Rank count, Rank places)
{
    Positions ranges;
    const Rank before_end = std::min(count, places - first);
    ranges.add(PositionRange{first, before_end});
    ranges.add(PositionRange{0, count - before_end});
    return ranges;
}

} // namespace nbrhood
