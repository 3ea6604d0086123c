// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/grid_paths/grid_dimension.h"

namespace nbrhood {

std::vector<int> reached_from(const GridDimension &dimension, int at)
{
    std::vector<int> reached;
    for (int offset = -dimension.below(at); offset <= dimension.above(at); ++offset) {
        reached.push_back(dimension.moved(at, offset));
    }
    std::sort(reached.begin(), reached.end());
    return reached;
}

std::vector<int> stage_radii(int radius)
{
    const std::int64_t width = 2 * std::int64_t{radius} + 1;
    int stages = 0;
    std::int64_t widest = 1; // the width after these stages, with m = 1
    for (; widest < width; widest *= 3) {
        ++stages;
    }
    const bool first_has_two = stages >= 2 && widest / 9 * 5 >= width;
    std::vector<int> radii;
    for (int reached = 0; reached < radius;) {
        const int messages = first_has_two && reached == 0 ? 2 : 1; // to either side
        reached = static_cast<int>(
            std::min<std::int64_t>(radius, (2 * messages + 1) * std::int64_t{reached} + messages));
        radii.push_back(reached);
    }
    return radii;
}

std::vector<GridMessage> received_in_stage(const GridDimension &dimension, int at, int from, int to)
{
    std::vector<GridMessage> messages;
    const auto add_side = [&](int limit, int sign) {
        const int end = std::min(to, limit);
        for (int nearest = from + 1; nearest <= end; nearest += 2 * from + 1) {
            const int farthest = std::min(nearest + 2 * from, end);
            const int peer = std::max(nearest, farthest - from);
            messages.push_back({sign * peer, std::min(sign * nearest, sign * farthest),
                                std::max(sign * nearest, sign * farthest)});
        }
    };
    add_side(dimension.below(at), -1);
    add_side(dimension.above(at), 1);
    return messages;
}

std::vector<GridMessage> sent_in_stage(const GridDimension &dimension, int at, int from, int to)
{
    std::vector<GridMessage> messages;
    for (int offset = -dimension.below(at); offset <= dimension.above(at); ++offset) {
        const int receiver = dimension.moved(at, offset);
        for (const GridMessage &received : received_in_stage(dimension, receiver, from, to)) {
            if (offset != 0 && dimension.moved(receiver, received.peer) == at) {
                messages.push_back(
                    {offset, received.first - received.peer, received.last - received.peer});
            }
        }
    }
    return messages;
}

namespace {

using Stage = std::vector<GridMessage> (*)(const GridDimension &, int, int, int);

int count_along(const GridDimension &dimension, int at, Stage messages)
{
    std::size_t count = 0;
    int from = 0;
    for (const int to : stage_radii(dimension.radius)) {
        count += messages(dimension, at, from, to).size();
        from = to;
    }
    return static_cast<int>(count);
}

} // namespace

int received_along(const GridDimension &dimension, int at)
{
    return count_along(dimension, at, received_in_stage);
}

int sent_along(const GridDimension &dimension, int at)
{
    return count_along(dimension, at, sent_in_stage);
}

// The messages that a coordinate receives depend only on the reach of its neighbourhood. So all
// coordinates that are not near a border receive the same number, and a long row takes no more time
// than a short one.
std::int64_t messages_along(const GridDimension &dimension)
{
    const int equal = dimension.periodic ? dimension.extent
                                         : std::max(0, dimension.extent - 2 * dimension.radius);
    const int first = dimension.periodic ? 0 : dimension.radius;
    std::int64_t messages = equal == 0 ? 0 : std::int64_t{equal} * received_along(dimension, first);
    for (int at = 0; at < dimension.extent - equal; ++at) {
        messages += received_along(dimension, at < first ? at : at + equal);
    }
    return messages;
}

} // namespace nbrhood
