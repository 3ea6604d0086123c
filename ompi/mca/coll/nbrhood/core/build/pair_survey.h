// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Which pairs of ranks exchange bytes in the alltoallvs of a communicator, and the sum over all
// ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "build/tree.h"

namespace nbrhood {

// The pairs of one rank: the ranks to which it sends bytes, and those from which it receives bytes,
// without itself. Both ascending.
struct PairLists {
    std::vector<Rank> to;
    std::vector<Rank> from;
};

// The pairs of one rank with others in some calls. Memory grows with their number.
class SeenPairs {
public:
    // call: without repetitions, in any order. bytes: sent. graph: messages to ranks that it does
    // not list are counted. Throws std::bad_alloc.
    void add(PairLists call, std::uint64_t bytes, const PairLists &graph);

    const PairLists &lists() const { return lists_; } // of all calls
    std::uint64_t calls() const { return calls_; }
    std::uint64_t messages() const { return messages_; } // with bytes, in all calls
    std::uint64_t outside() const { return outside_; }   // those of pairs outside the graph
    std::uint64_t bytes() const { return bytes_; }

private:
    PairLists lists_;
    std::uint64_t calls_ = 0;
    std::uint64_t messages_ = 0;
    std::uint64_t outside_ = 0;
    std::uint64_t bytes_ = 0;
};

// The facts of one rank, or summed over several ranks.
struct PairFacts {
    std::uint64_t pairs = 0;      // of a sender and a receiver that are different ranks
    std::uint64_t largest = 0;    // the most pairs of one rank in one direction
    std::uint64_t messages = 0;   // with bytes, in all calls
    std::uint64_t outside = 0;    // those of pairs outside the graph
    std::uint64_t bytes = 0;      // in all messages
    std::uint32_t parameters = 0; // a checksum of their values
    bool equal = true;            // the checksum is the same on all ranks

    PairFacts() = default;
    PairFacts(const SeenPairs &seen, std::uint32_t parameters_number);
    void merge(const PairFacts &other);
};

// Limits of class PairSwitch, from parameters. Equal on all ranks.
struct PairLimits {
    unsigned percent = 0;    // the most pairs that count as few, of all that a communicator has
    std::uint64_t bytes = 0; // the most bytes of a message in the mean, if the pairs are few
};
// If the pairs are many, messages may have this part of the bytes, and a rank so many pairs in one
// direction. With all pairs of 64 ranks, blocks of 8 bytes to 4 KiB were 3 to 5 times as fast as
// with Open MPI's pairwise steps (docs/results/gain.md); more ranks were not measured.
inline constexpr std::uint64_t kPartIfMany = 16;
inline constexpr std::uint64_t kMostOfARank = 1024;
// Whether messages between pairs replace Open MPI's own functions, by the facts of all ranks.
bool pays(const PairFacts &all, Rank ranks, const PairLimits &limits);

// One rank's part of a survey, while the program runs. All ranks of the communicator take part,
// because all make its calls; so the tree is known without a message. The facts go up the tree, and
// the sum comes down. If the sum asks for a change, the ranks then agree on a call, as in a build
// (class ComponentBuild): each rank proposes a number, and begins no call from its proposal on
// until it knows the greatest proposal. The change holds from this number on. A rank proposes only
// after all ranks have begun the survey, so no rank waits for a call that another has not begun.
//
// Later surveys are objects of their own; a rank begins one after the one before has ended on it,
// and its messages follow those of the one before in the same tree, so none is mistaken.
class PairSurvey {
public:
    // agrees: whether the ranks shall agree on a call, from the facts of all. propose: called once.
    // Keeps a reference to the post.
    PairSurvey(Rank rank, Rank ranks, Post &post, std::function<bool(const PairFacts &)> agrees,
               std::function<std::uint32_t()> propose);

    // Both throw std::bad_alloc, and BadMessage for a message that no rank can have sent.
    void begin(const PairFacts &own);
    void arrived(Rank peer, std::vector<std::int32_t> words);

    bool runs() const { return stage_ != Stage::rests && stage_ != Stage::ended; }
    // The facts of all ranks; once agrees() is known.
    const PairFacts &all() const { return facts_; }
    // Whether the ranks agree on a call; once it is known.
    std::optional<bool> agrees() const { return agreed_; }
    // The agreed number; once it is known.
    std::optional<std::uint32_t> first() const { return first_; }

private:
    enum class Stage { rests, facts, all, counts, first, ended };

    void advance();
    void pass_facts();
    void take_all();
    void take_first();

    Tree tree_;
    std::function<bool(const PairFacts &)> agrees_;
    std::function<std::uint32_t()> propose_;
    Stage stage_ = Stage::rests;
    PairFacts facts_; // of this rank and those below it, then of all
    CallCounts proposed_;
    std::optional<bool> agreed_;
    std::optional<std::uint32_t> first_;
};

} // namespace nbrhood
