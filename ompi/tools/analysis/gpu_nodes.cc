// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "gpu_nodes.h"

#include <vector>

namespace nbrhood {
namespace {

const std::vector<int> kPairs{0, 0, 1, 1, 2, 2, 3, 3};

} // namespace

DieLinks mi250_links()
{
    return DieLinks({{0, 4, 0, 0, 2, 0, 1, 0},
                     {4, 0, 0, 1, 0, 0, 0, 1},
                     {0, 0, 0, 4, 1, 0, 2, 0},
                     {0, 1, 4, 0, 0, 1, 0, 0},
                     {2, 0, 1, 0, 0, 4, 0, 0},
                     {0, 0, 0, 1, 4, 0, 0, 1},
                     {1, 0, 2, 0, 0, 0, 0, 4},
                     {0, 1, 0, 0, 0, 1, 4, 0}},
                    kPairs);
}

DieLinks mi250x_links()
{
    return DieLinks({{0, 4, 1, 0, 0, 0, 2, 0},
                     {4, 0, 0, 1, 0, 1, 0, 0},
                     {1, 0, 0, 4, 2, 0, 0, 0},
                     {0, 1, 4, 0, 0, 0, 0, 1},
                     {0, 0, 2, 0, 0, 4, 1, 0},
                     {0, 1, 0, 0, 4, 0, 0, 1},
                     {2, 0, 0, 0, 1, 0, 0, 4},
                     {0, 0, 0, 1, 0, 1, 4, 0}},
                    kPairs);
}

Machine machine_of_dies(int nodes, const DieLinks &links)
{
    std::vector<Place> places;
    for (int node = 0; node < nodes; ++node) {
        for (int die = 0; die < links.dies(); ++die) {
            Place place;
            place.node = node * links.dies();
            place.domain(Level::gpu) = static_cast<std::int16_t>(links.package_of(die) + 1);
            place.domain(Level::die) = static_cast<std::int16_t>(die + 1);
            places.push_back(place);
        }
    }
    return Machine(std::move(places));
}

} // namespace nbrhood
