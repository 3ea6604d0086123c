// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Delivers messages of builders to ranks that do not know the senders.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/toolkit/builder.h"
#include "algorithms/toolkit/checked_messages.h"

namespace nbrhood {

// A message that a delivery brought.
struct Delivered {
    Rank source = kNoRank;
    std::vector<std::int32_t> words;
};

// One delivery: each participant may send words to any participants, including itself, and gets the
// words that others sent to it. A builder embeds it, see Protocol::deliver.
//
// Protocols that find out the senders (Hoefler, Siebert, Lumsdaine, "Scalable Communication
// Protocols for Dynamic Sparse Data Exchange", 2010) receive from any rank, which builders cannot.
// Here messages travel in bundles between fixed partners, as in a crystal router (Fox et al.,
// "Solving Problems on Concurrent Processors", 1988): up to the leader of a group, in rounds from
// leader to leader, and down to the members. In round k a leader sends to the leader 2^k places
// further on those messages whose distance, in places, has bit k: the index algorithm (Bruck, Ho,
// Kipnis, Upfal, Weathersby, "Efficient Algorithms for All-to-All Communications in Multiport
// Message-Passing Systems", 1997), for any number of places. A bundle may be empty.
//
// A group is four ranks of one node or, if ranks share cores and each bundle may mean a context
// switch, all participants of the node. Groups are in the order of nodes, so that the first rounds
// seldom leave them. For 32 ranks a node, each of which sends 1 KiB in total, the postal model with
// default_costs() gives:
//
//     participants   groups of    bundles   rounds, with up and down   microseconds
//               64   one rank         384                          6             19
//                        four         160                          6             23
//                      a node         126                          3             90
//            4,096   one rank      49,152                         12             38
//                        four      16,384                         12             44
//                      a node       8,832                          9            142
//
// So groups of four save two thirds of the bundles and cost little time, while a leader with 31
// members handles their bundles one after the other.
class Delivery {
public:
    // The most ranks of a group if each has a core of its own.
    static constexpr std::size_t kGroup = 4;

    // participants: in the same order on all of them, including this rank; all must be known. They
    // may belong to several connected parts of the graph. kind: of the bundles, see
    // CheckedMessages; one for each delivery of a builder.
    Delivery(const BuildInput &input, const std::vector<Rank> &participants, int kind);

    // Adds a message, before the first superstep. Throws std::invalid_argument if the destination
    // does not participate.
    void send(Rank destination, std::vector<std::int32_t> words);

    // The two halves of a superstep, for Protocol::deliver. receive() reads the bundles that the
    // last step expected, none at first; throws as CheckedMessages::open, and BadMessage for a
    // message that cannot be in a bundle. next() writes this rank's bundles, as failed if it
    // failed, and names the bundles that it expects; nothing when the delivery has ended.
    void receive(const std::vector<Message> &inbox);
    std::optional<Step> next(bool failed);

    // After the end, the messages that arrived: by source, and for one source in the order of
    // sending. A rank that did not learn of a failure has all messages that were sent to it.
    std::vector<Delivered> take();

private:
    struct Parcel {
        Rank source;
        Rank destination;
        std::vector<std::int32_t> words;
    };
    // Kinds of bundles: to leaders, between leaders, to members.
    enum class Stage { start, up, round, down, end };

    bool participates(Rank rank) const
    {
        return rank >= 0 && static_cast<std::size_t>(rank) < place_of_.size()
               && place_of_[static_cast<std::size_t>(rank)] >= 0;
    }
    std::size_t place(Rank rank) const
    {
        return static_cast<std::size_t>(place_of_[static_cast<std::size_t>(rank)]);
    }
    Rank leader() const { return leaders_[place(self_)]; }
    // The distance in places from the group of a rank to that of another.
    std::size_t way(Rank from, Rank to) const
    {
        return (place(to) + leaders_.size() - place(from)) % leaders_.size();
    }
    std::optional<Step> next_of_member(bool failed);
    std::optional<Step> next_of_leader(bool failed);
    // Whether a bundle of this stage may bring a message.
    bool may_come(Rank peer, Rank source, Rank destination) const;
    static void put(const Parcel &parcel, WordWriter &words);
    // A bundle of the messages for which travels() is true; removes them from this rank.
    template <typename Travels>
    Message pack(Rank peer, bool failed, const Travels &travels);

    Rank self_;
    int kind_;
    CheckedMessages messages_;
    std::vector<std::int32_t> place_of_; // by rank: the place of its group, -1 for others
    std::vector<Rank> leaders_;          // of the groups, by place
    std::vector<Rank> members_;          // on a leader: the other ranks of its group
    Stage stage_ = Stage::start;         // bundles that the last step expects
    std::size_t bit_ = 1;                // of the round
    std::vector<Parcel> parcels_;        // to be passed on
    std::vector<Delivered> delivered_;
};

} // namespace nbrhood
