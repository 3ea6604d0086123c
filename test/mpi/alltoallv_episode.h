// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One episode of nbrhood-stress-alltoallv: a communicator, a graph that may change from call to
// call, and a sequence of calls, the same on all ranks.
#pragma once

#include "alltoallv_call.h"
#include "alltoallv_graph.h"
#include "common_communicator.h"

#include <list>
#include <string>
#include <vector>

namespace nbrhood_test {

/// Runs an episode; everything but the delays and the order of waits is a function of the seed and
/// the number of the episode.
class AlltoallvEpisode {
public:
    /// `parent`: the communicator is made from it; no other thread may use it meanwhile.
    AlltoallvEpisode(std::uint64_t seed, long number, MPI_Comm parent);

    /// Performs the episode; returns this rank's first failure or an empty string. Collective over
    /// `parent`.
    std::string run();
    /// Calls that each rank made; a start of a persistent request counts as a call.
    long calls() const { return calls_; }

private:
    /// Restrictions on the arguments of a call.
    enum class Use { any, in_place, on_freed };

    AlltoallvCall &add(std::list<AlltoallvCall> &calls, Variant variant, Use use = Use::any);
    void begin(AlltoallvCall &call, int round);
    void end(std::list<AlltoallvCall> &calls);
    void blocking(int count, Use use = Use::any);

    void act(int action);
    void outstanding();
    void among_others();
    void persistent();
    void replaced_by_duplicate();
    void freed_under_way();

    void use(Communicator made);
    void note(const AlltoallvCall &call, const std::string &failure);

    const std::uint64_t seed_;
    const long number_;
    Random choices_; ///< the same on all ranks
    Random own_;     ///< differs between ranks and runs: delays and orders only
    const ChangingGraph graph_;
    Communicator comm_;
    std::vector<int> world_ranks_; ///< of comm_
    long calls_ = 0;
    std::string failure_;
};

} // namespace nbrhood_test
