// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Places that messages share equally, of which each message passes several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <queue>
#include <vector>

namespace nbrhood {

// For the evaluation of messages between GPU dies. Messages that pass the same places make a group,
// whose members all have the same rate: that of the place which is the narrowest, its capacity
// divided by all messages there. A step takes a time proportional to the groups at the places of
// the messages that begin or end in it.
class SharedPlaces {
public:
    // A place of this many bytes per second.
    std::size_t add(double capacity);
    // A way over these places, on which no message is faster than `most` (0: no limit).
    std::size_t way(const std::vector<std::size_t> &places, double most);

    // A message begins on a way. Times never go back; changes of one time are made together, by
    // settle().
    void begin(std::size_t way, double now, std::uint32_t message, double bytes);
    // When the next message is through, if none begins before; infinity where there is none.
    double next_end();
    // Takes those that are through now off their ways, into `ended`.
    void end(double now, std::vector<std::uint32_t> &ended);
    // Gives all messages their rates, after some have begun or ended.
    void settle(double now);

private:
    struct Member {
        double through; // bytes that a member of the group gets until this one is through
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
        double served = 0; // bytes that a member has got that was there from the beginning
        double since = 0;  // the time for which that holds
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
    // Since the last settle(): with other numbers of messages, and with other members.
    std::vector<std::size_t> changed_places_;
    std::vector<std::size_t> changed_groups_;
    std::priority_queue<End> ends_;
};

} // namespace nbrhood
