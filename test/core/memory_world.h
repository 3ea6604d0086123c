// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Ranks in one process that exchange real bytes through queues, for the tests of plans.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "execute/plan.h"
#include "support.h"

namespace nbrhood::test {

// Error codes of the transport in memory.
constexpr int kTruncated = 72;
constexpr int kMismatch = 71;
constexpr int kInjected = 70;
constexpr int kFailedBefore = 69; // the error that an empty message stands for

// A block of a test, between guard bytes; a strided block has a gap after each byte and no `data`.
// (Other blocks may have a std::vector<MemorySegment> as their type, with the places of their
// bytes.)
class Memory {
public:
    Memory(std::size_t bytes, bool strided);
    UserBlock block();
    void fill(std::uint64_t seed);
    bool holds(std::uint64_t seed, std::size_t bytes) const;
    bool guards_intact() const;

private:
    std::size_t at(std::size_t i) const;
    std::size_t bytes_;
    bool strided_;
    std::vector<char> storage_;
};

struct WorldOptions {
    double eager = 0.5;   // probability that a send completes before it is matched
    double at_once = 0.3; // probability that a completion arrives during the starting call
    int fail_call =
        -1; // the number of the call of a starting function on rank fail_rank that returns an error
    Rank fail_rank = kNoRank;
};

// All ranks' transports. Messages of one (source, destination, tag) keep their order, others are
// delivered in random order.
class World {
public:
    World(int ranks, std::uint64_t seed, WorldOptions options);
    World(const World &) = delete;
    World &operator=(const World &) = delete;
    ~World();

    Transport &transport(Rank rank);

    // Called when a plan ends, with its error.
    void on_finished(std::function<void(Rank, AnyPlan &, int)> call)
    {
        finished_ = std::move(call);
    }

    // Called for every message that is sent, with its source, destination and bytes.
    void on_sent(std::function<void(Rank, Rank, std::size_t)> call) { sent_ = std::move(call); }

    // Called for every message that meets its receive, with its tag; may change it.
    void on_matched(std::function<void(int, std::vector<char> &)> call)
    {
        matched_ = std::move(call);
    }

    // Delivers one message or one completion; false when there is nothing to do.
    bool advance();

    // Messages that nobody received, receives that nothing matched.
    bool empty() const { return unmatched_ == 0 && completions_.empty(); }

    // A report that users would get: the reporting rank, the sender of the message, the rank behind
    // it (the owner of the block, or the rank with which the error was met; kNoRank: not known),
    // and the fault.
    struct Report {
        Rank rank = kNoRank;
        Rank peer = kNoRank;
        Rank behind = kNoRank;
        std::string text;
        Rank at = kNoRank; // the rank that met the error, if the error was passed on
    };
    const std::vector<Report> &reports() const { return reports_; }

    // Whether a rank has a message under way, or a receive that nothing has matched.
    bool waits(Rank rank) const;

    int bytes_messages() const { return bytes_messages_; }
    int calls(Rank rank) const { return calls_[static_cast<std::size_t>(rank)]; } // to start
    int misuses() const { return misuses_; } // cancelled receives that were not posted
    std::size_t largest_message() const { return largest_; }

private:
    class RankTransport;
    struct Sent {
        std::vector<char> bytes;                 // of an eager message
        std::function<std::vector<char>()> read; // of a message that is read when it is matched
        Token *token = nullptr;                  // to complete on the match
    };
    struct Posted {
        Token *token = nullptr;
        std::size_t capacity = 0;
        std::function<void(const char *, std::size_t)> write;
    };
    struct Channel {
        std::deque<Sent> sent;
        std::deque<Posted> posted;
    };
    using Key = std::tuple<Rank, Rank, int>;
    struct Completion {
        Token *token;
        int error;
        std::size_t bytes;
    };

    int send(Rank self, Rank peer, int tag, std::function<std::vector<char>()> read, Token &token);
    int receive(Rank self, Rank peer, int tag, Posted posted);
    void cancel(Rank self, Token &token);
    bool fails(Rank self);
    void report_sent(Rank from, Rank to, std::size_t bytes)
    {
        if (sent_) {
            sent_(from, to, bytes);
        }
    }
    int report(Report told, int error)
    {
        reports_.push_back(std::move(told));
        return error;
    }
    bool match_one();
    void complete(const Completion &completion, bool may_be_now);

    Random random_;
    WorldOptions options_;
    std::vector<std::unique_ptr<RankTransport>> transports_;
    std::map<Key, Channel> channels_;
    std::vector<Key> ready_; // channels with a message and a receive
    std::vector<Completion> completions_;
    std::function<void(Rank, AnyPlan &, int)> finished_;
    std::function<void(Rank, Rank, std::size_t)> sent_;
    std::function<void(int, std::vector<char> &)> matched_;
    std::vector<Report> reports_;
    std::vector<int> calls_;
    std::int64_t unmatched_ = 0;
    int bytes_messages_ = 0;
    int misuses_ = 0;
    std::size_t largest_ = 0;
};

} // namespace nbrhood::test
