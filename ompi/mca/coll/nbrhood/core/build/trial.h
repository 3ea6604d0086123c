// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Measures while the program runs whether a pattern is as fast as the model predicted.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "build/tree.h"

namespace nbrhood {

// Blocks of calls go direct and by the pattern in turn, so that other load that begins or ends
// within a round falsifies only one of its two comparisons. The first block of the first round is
// the last direct calls before the build, if there were enough; then the pattern serves as soon as
// it exists. The trial compares the time from the start of a call to the start of the next, because
// the time that the application waits for a request is not visible, and the time in a blocking call
// includes the lateness of neighbours. As long as the result is open, further rounds of four blocks
// follow.
inline constexpr std::size_t kTrialBlocks = 4;
inline constexpr int kTrialRounds = 6; // at most
constexpr bool is_direct_block(std::size_t block)
{
    return block < kTrialBlocks && block % 2 == 0;
}

// From the start of a call to the start of the next.
struct Period {
    double seconds = 0;
    bool alone = true; // no other call was in flight when it began
};

// Measurement of one rank for calls, or for the starts of a persistent request: the typical period
// of each block, nanoseconds; nothing if the rank did not see all of them.
using Periods = std::optional<std::array<std::uint64_t, kTrialBlocks>>;
// The lower quartile of each block, because other load and the application's own work only add
// time. periods: block after block, equally many for each. The first of each block does not count,
// because plans are made in it. Calls that were in flight together count with their mean time,
// because one of these periods contains the application's time for all of them. If a block contains
// no complete group of such calls, incomplete groups count.
Periods typical_periods(const std::vector<Period> &periods);

struct Measured {
    Periods calls;
    Periods starts;
};

// Result of a trial, the same on all ranks.
struct TrialResult {
    bool measured = false; // by all ranks, in some round
    bool decided = true;   // otherwise another round follows
    bool keep = true;      // the pattern
    // Periods, seconds: the geometric mean over the blocks of all rounds of the mean over ranks.
    double direct_seconds = 0;
    double pattern_seconds = 0;
};

// Decides from the sums of all rounds. A round compares block 0 with block 1, and block 2 with
// block 3. A comparison is won by the faster way, if it is faster by more than one part in twenty.
// In a steady round, in which the two blocks of the same way take nearly the same time, wins count
// twice, because no burst of other load began or ended in it. The way that is four wins ahead has
// won the trial, so a steady round can decide alone. After the last round the pattern stays unless
// direct messages have won more comparisons. If some rank measured neither of the first two rounds,
// for example because the last calls before the build were of another kind, the model decides: the
// pattern stays.
class TrialScore {
public:
    // The sums that went up the tree: for calls, then starts, the number of ranks that measured and
    // the nanoseconds of each block; then the number of all ranks. Throws BadMessage.
    void add(const std::vector<std::uint64_t> &sums);
    const TrialResult &result() const { return result_; }

private:
    int rounds_ = 0;
    int lead_ = 0;          // of the pattern, in wins
    double direct_log_ = 0; // sums of logarithms of seconds
    double pattern_log_ = 0;
    double blocks_ = 0; // of each way
    TrialResult result_;
};

// One rank's part of a trial. All ranks of the component must begin at some time. The tree adds up
// the measured times, from which all ranks compute the same result. After each round the ranks
// agree, as at the end of a build, on the first call for which the result holds or with which the
// next round begins. If direct messages win, they serve from there on; duplicates of the
// communicator inherit the winner (docs/wire.md, section 8).
class Trial {
public:
    // propose: see ComponentBuild. The post of the tree must outlive this.
    Trial(const Tree &tree, std::function<CallCounts()> propose)
        : tree_(tree), propose_(std::move(propose))
    {}

    // Call it at the end of each round. Both functions throw std::bad_alloc, and BadMessage for a
    // message that no rank can have sent.
    void begin(const Measured &own);
    void arrived(Rank peer, std::vector<std::int32_t> words);

    // Whether this rank sends or expects messages.
    bool runs() const { return stage_ != Stage::rests; }
    const TrialResult &result() const { return score_.result(); }
    // The first calls for which the result holds, or those of the next round; nothing before the
    // end of a round.
    const std::optional<CallCounts> &switch_point() const { return first_; }

private:
    enum class Stage { rests, measured, total, counts, first };

    void advance();
    void take_total(const std::vector<std::int32_t> &words);

    Tree tree_;
    std::function<CallCounts()> propose_;
    Stage stage_ = Stage::rests;
    std::vector<std::uint64_t> own_;
    TrialScore score_;
    CallCounts counts_;
    std::optional<CallCounts> first_;
};

} // namespace nbrhood
