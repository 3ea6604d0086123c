// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/provenance.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace nbrhood {

Places::Places(const Pattern &pattern, Space space)
{
    std::vector<Location> locations;
    for (const Operation &operation : pattern.operations) {
        if (operation.kind == OperationKind::send) {
            continue;
        }
        // A copy fills its second slice.
        const std::size_t first = operation.kind == OperationKind::copy ? 1 : 0;
        for (std::size_t s = first; s < operation.slices.size(); ++s) {
            if (operation.slices[s].space == space) {
                for_each_block(operation.slices[s],
                               [&](const Slice &one) { locations.push_back(location_of(one)); });
            }
        }
    }
    std::sort(locations.begin(), locations.end());
    places_.reserve(locations.size());
    for (const Location &location : locations) {
        if (places_.empty() || places_.back().location < location) {
            places_.push_back(Place{location, State::empty, Origin{}});
        }
    }
}

std::pair<Places::Iterator, Places::Iterator> Places::of_block(std::uint32_t block) const
{
    const auto first =
        std::partition_point(places_.begin(), places_.end(),
                             [&](const Place &place) { return place.location.block < block; });
    return {first, std::find_if(first, places_.end(),
                                [&](const Place &place) { return place.location.block != block; })};
}

std::optional<Origin> Places::find(const Slice &slice, State least) const
{
    const Location wanted = location_of(slice);
    Coverage coverage(wanted);
    std::optional<Origin> origin;
    for (auto [place, end] = of_block(slice.block); place != end; ++place) {
        if (place->state >= least && overlap(place->location, wanted)) {
            coverage.take(place->location);
            origin = place->origin;
        }
    }
    return coverage.complete() ? origin : std::nullopt;
}

Places::Fault Places::fill(const Slice &slice, const Origin &origin, State state)
{
    const Location wanted = location_of(slice);
    auto [place, end] = of_block(slice.block);
    auto own = end;
    for (; place != end; ++place) {
        if (place->state != State::empty && !(place->origin == origin)) {
            return Fault::of_two_blocks;
        }
        // An announced block comes by another route, perhaps earlier.
        if (place->state == state && overlap(place->location, wanted)) {
            return Fault::filled_twice;
        }
        if (!(place->location < wanted) && !(wanted < place->location)) {
            own = place;
        }
    }
    Place &filled = places_[static_cast<std::size_t>(own - places_.cbegin())];
    filled.state = std::max(filled.state, state);
    filled.origin = origin;
    return Fault::none;
}

bool Arrivals::Arrival::operator<(const Arrival &b) const
{
    return std::tie(source, phase) < std::tie(b.source, b.phase);
}

void Arrivals::post(Rank source, std::uint8_t phase, std::uint32_t number)
{
    arrivals_.push_back(Arrival{source, phase, false, number});
}

void Arrivals::settle()
{
    arrivals_ = left();
    std::stable_sort(arrivals_.begin(), arrivals_.end());
    ready_ = arrivals_.size();
}

std::optional<std::uint32_t> Arrivals::take(Rank source, std::uint8_t phase)
{
    const auto end = arrivals_.begin() + static_cast<std::ptrdiff_t>(ready_);
    const Arrival wanted{source, phase, false, 0};
    for (auto one = std::lower_bound(arrivals_.begin(), end, wanted);
         one != end && !(wanted < *one); ++one) {
        if (!one->taken) {
            one->taken = true;
            return one->number;
        }
    }
    return std::nullopt;
}

std::vector<Arrivals::Arrival> Arrivals::left() const
{
    std::vector<Arrival> left;
    std::copy_if(arrivals_.begin(), arrivals_.end(), std::back_inserter(left),
                 [](const Arrival &one) { return !one.taken; });
    return left;
}

} // namespace nbrhood
