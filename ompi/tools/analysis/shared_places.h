// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Places that messages share equally; each message occupies several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <queue>
#include <vector>

namespace nbrhood {

// Used by the evaluation of messages between GPU dies. Messages that occupy the same places form a
// group, whose members all have the same rate: the rate of the narrowest place, its capacity
// divided by all messages there. The time of a step is proportional to the number of groups at the
// places of the messages that begin or end in it.
class SharedPlaces {
public:
    // A place of this many bytes per second.
    std::size_t add(double capacity);
    // A route over these places, on which no message is faster than `most` (0: no limit).
    std::size_t way(const std::vector<std::size_t> &places, double most);

    // A message begins on a route. Times never decrease; settle() makes all changes of one time
    // together.
    void begin(std::size_t way, double now, std::uint32_t message, double bytes);
    // The time at which the next message is through, if no other begins before; infinity if there
    // is no message.
    double next_end();
    // Removes the messages that are through now from their routes and puts them into `ended`.
    void end(double now, std::vector<std::uint32_t> &ended);
    // Gives all messages their rates, after some have begun or ended.
    void settle(double now);

private:
    struct Member {
        double through; // bytes that a member of the group moves until this message is through
        std::uint32_t message;
        bool operator<(const Member &b) const // the first on top of the queue
        {
            return through != b.through ? through > b.through : message > b.message;
        }
    };
    struct Group {
        std::vector<std::size_t> places;
        double most = 0;
        double rate = 0;
        double served = 0; // bytes moved by a member that was there from the beginning
        double since = 0;  // the time for which these bytes hold
        std::uint64_t version = 0;
        std::priority_queue<Member> members;
        bool changed = false;
    };
    struct Place {
        double capacity = 0;
        double messages = 0;
        std::vector<std::size_t> groups;
        bool changed = false;
    };
    struct End {
        double time;
        std::size_t group;
        std::uint64_t version;
        bool operator<(const End &b) const
        {
            return time != b.time ? time > b.time : group > b.group;
        }
    };

    void change(Group &group, double messages);
    void serve(Group &group, double now);
    double rate_of(const Group &group) const;

    std::vector<Place> places_;
    std::vector<Group> groups_;
    std::map<std::vector<std::size_t>, std::size_t> known_;
    // Since the last settle(): places whose number of messages changed, and groups whose members
    // changed.
    std::vector<std::size_t> changed_places_;
    std::vector<std::size_t> changed_groups_;
    std::priority_queue<End> ends_;
};

} // namespace nbrhood
