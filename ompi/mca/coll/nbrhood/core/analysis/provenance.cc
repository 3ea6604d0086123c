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
                locations.push_back(location_of(operation.slices[s]));
            }
        }
    }
    std::sort(locations.begin(), locations.end());
    locations.erase(std::unique(locations.begin(), locations.end()), locations.end());
    places_.reserve(locations.size());
    for (const Location location : locations) {
        places_.push_back(Place{location, Origin{}});
    }
}

Places::Iterator Places::lower_bound(Location location) const
{
    return std::lower_bound(
        places_.begin(), places_.end(), location,
        [](const Place &place, Location value) { return place.location < value; });
}

const Origin *Places::find(const Slice &slice) const
{
    const Location location = location_of(slice);
    const auto found = lower_bound(location);
    const bool here = found != places_.end() && found->location == location;
    return here && found->filled() ? &found->origin : nullptr;
}

bool Places::fill(const Slice &slice, const Origin &origin)
{
    const auto at = lower_bound(location_of(slice)) - places_.cbegin();
    Place &place = places_[static_cast<std::size_t>(at)];
    if (place.filled()) {
        return false;
    }
    place.origin = origin;
    return true;
}

std::pair<Places::Iterator, Places::Iterator> Places::of_block(std::uint32_t block) const
{
    const auto first = lower_bound(location_of(Slice{Space::receive, block, 0, 0}));
    return {first, std::find_if(first, places_.end(), [&](const Place &place) {
                return block_of(place.location) != block;
            })};
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
