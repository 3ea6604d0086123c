// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/shared_places.h"

#include <algorithm>

namespace nbrhood {
namespace {

// A message that is this near to its end, in time or in bytes, has ended. Otherwise rounding would
// leave messages on their routes, and equal ones would end one by one.
constexpr double kNear = 1e-10;

} // namespace

std::size_t SharedPlaces::add(double capacity)
{
    Place place;
    place.capacity = capacity;
    places_.push_back(place);
    return places_.size() - 1;
}

std::size_t SharedPlaces::way(const std::vector<std::size_t> &places, double most)
{
    const auto [found, is_new] = known_.try_emplace(places, groups_.size());
    if (is_new) {
        Group group;
        group.places = places;
        group.most = most > 0 ? most : std::numeric_limits<double>::infinity();
        groups_.push_back(group);
        for (const std::size_t place : places) {
            places_[place].groups.push_back(found->second);
        }
    }
    return found->second;
}

void SharedPlaces::serve(Group &group, double now)
{
    group.served += group.rate * (now - group.since);
    group.since = now;
}

void SharedPlaces::change(Group &group, double messages)
{
    for (const std::size_t number : group.places) {
        Place &place = places_[number];
        place.messages += messages;
        if (!place.changed) {
            place.changed = true;
            changed_places_.push_back(number);
        }
    }
}

void SharedPlaces::begin(std::size_t way, double now, std::uint32_t message, double bytes)
{
    Group &group = groups_[way];
    serve(group, now);
    group.members.push(Member{group.served + bytes, message});
    change(group, 1);
    if (!group.changed) {
        group.changed = true;
        changed_groups_.push_back(way);
    }
}

double SharedPlaces::next_end()
{
    while (!ends_.empty() && groups_[ends_.top().group].version != ends_.top().version) {
        ends_.pop();
    }
    return ends_.empty() ? std::numeric_limits<double>::infinity() : ends_.top().time;
}

void SharedPlaces::end(double now, std::vector<std::uint32_t> &ended)
{
    while (next_end() <= now * (1 + kNear)) {
        const std::size_t number = ends_.top().group;
        ends_.pop();
        Group &group = groups_[number];
        serve(group, now);
        bool first = true; // its time was computed, so rounding must not delay it
        while (!group.members.empty()
               && (first || group.members.top().through <= group.served * (1 + kNear))) {
            first = false;
            ended.push_back(group.members.top().message);
            group.members.pop();
            change(group, -1);
        }
        ++group.version;
        if (!group.changed) {
            group.changed = true;
            changed_groups_.push_back(number);
        }
    }
}

double SharedPlaces::rate_of(const Group &group) const
{
    double rate = group.most;
    for (const std::size_t place : group.places) {
        rate = std::min(rate, places_[place].capacity / places_[place].messages);
    }
    return rate;
}

void SharedPlaces::settle(double now)
{
    const auto give = [&](std::size_t number, bool always) {
        Group &group = groups_[number];
        if (group.members.empty()) {
            group.rate = 0;
            return;
        }
        const double rate = rate_of(group);
        if (rate != group.rate || always) {
            serve(group, now);
            group.rate = rate;
            ++group.version;
            const double left = std::max(0.0, group.members.top().through - group.served);
            ends_.push(End{now + left / rate, number, group.version});
        }
    };
    for (const std::size_t number : changed_places_) {
        places_[number].changed = false;
        for (const std::size_t group : places_[number].groups) {
            if (!groups_[group].changed) {
                give(group, false);
            }
        }
    }
    changed_places_.clear();
    for (const std::size_t number : changed_groups_) {
        groups_[number].changed = false;
        give(number, true);
    }
    changed_groups_.clear();
}

} // namespace nbrhood
