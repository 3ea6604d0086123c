// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Ranks that deliver messages to each other and answer them, all in one process.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "algorithms/toolkit/delivery.h"
#include "support.h"

namespace nbrhood::test {

// A message that a rank sends.
struct Sent {
    Rank source = kNoRank;
    Rank destination = kNoRank;
    std::vector<std::int32_t> words;
};

// Messages between some ranks: none, all to one rank, few or many from each; some to their source.
std::vector<Sent> random_messages(Random &random, const std::vector<Rank> &ranks);

// A random selection of the ranks, at least one of them, in random order.
std::vector<Rank> random_participants(Random &random, int ranks);

// The messages that a rank received in the first delivery, and the answers of the second. Each rank
// answers every message with the same words and its own number.
struct Received {
    std::vector<Delivered> messages;
    std::vector<Delivered> answers;
};

// May change a message of a rank on its way.
using ChangeMessage = std::function<void(Rank source, Message &message)>;

// The builders of all ranks; those of participants take part in two deliveries.
class DeliveryWorld {
public:
    static constexpr int kMessages = 0; // kinds of messages
    static constexpr int kAnswers = 1;

    DeliveryWorld(Machine machine, double ranks_per_core, std::vector<Rank> participants,
                  std::vector<Sent> messages);
    DeliveryWorld(const DeliveryWorld &) = delete;
    DeliveryWorld &operator=(const DeliveryWorld &) = delete;

    // Makes new builders; one of them may fail in a superstep.
    void start(Rank fail_rank = kNoRank, int fail_step = -1, const ChangeMessage &change = {});
    const std::vector<std::unique_ptr<Builder>> &builders() const { return builders_; }

    const std::vector<Rank> &participants() const { return participants_; }
    int groups() const; // groups that the participants should form
    bool failed(Rank rank) const;
    Received received(Rank rank) const;

    // The error in the messages of the ranks that did not fail; empty if there is none.
    std::string fault() const;

private:
    class Correspondent;

    Machine machine_;
    std::vector<Rank> participants_;
    std::vector<Neighbourhood> ranks_; // a delivery needs no edges
    KnownRanks known_ranks_;           // the participants
    BuildInput input_;
    std::vector<std::vector<Sent>> sent_; // by source
    std::vector<Received> expected_;      // by rank
    std::vector<std::unique_ptr<Builder>> builders_;
    std::vector<const Correspondent *> correspondents_;
};

} // namespace nbrhood::test
