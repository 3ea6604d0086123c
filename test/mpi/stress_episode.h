// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// One episode of the stress program: a communicator and a sequence of actions on it, the same on
// all ranks.
#pragma once

#include "allgather_call.h"
#include "common_communicator.h"
#include "common_pending.h"
#include "common_random.h"
#include "common_run.h"
#include "common_shared.h"

#include <string>
#include <vector>

namespace nbrhood_test {

/// The settings that do not change during the run.
struct StressSettings {
    std::uint64_t seed = 1;
    std::vector<std::string> algorithms;
    long combining_threshold = 0;
    long relay_capacity = 0;
};

/// Runs episodes; everything but the delays is a function of the seed and the number of the
/// episode.
class Episode {
public:
    Episode(const StressSettings &settings, long number);

    /// Performs an episode; returns this rank's first failure or an empty string. Collective over
    /// MPI_COMM_WORLD.
    std::string run();
    /// Neighbourhood operations that this rank performed.
    long operations() const { return operations_; }

private:
    void choose_topology();
    Workload choose_workload();
    SharedWorkload choose_shared_workload(Operation operation);
    Pending choose_one(Variant variant);
    EntryPoint choose_entry(Variant variant);
    std::vector<Pending> choose_pending(Variant variant, int count);

    void act(int action);
    void blocking_burst();
    void fast_sender();
    void outstanding();
    void persistent();
    void nonblocking_on_freed();
    void persistent_on_freed();
    void on_duplicate();
    void allgathers();

    void call(Pending &pending, int round);
    Communicator duplicate() const;
    bool note(const std::string &failure);
    bool participates() const;

    const StressSettings &settings_;
    const long number_;
    int rank_ = 0, size_ = 0;
    std::string algorithm_, shape_;
    Random choices_; ///< the same on all ranks
    Random own_;     ///< differs between ranks and runs: delays and orders only
    Topology topology_ = Topology::dist_graph({});
    Communicator pristine_; ///< no rank skips calls on the communicator, so it can be duplicated
    Communicator comm_;
    std::string failure_;
    long operations_ = 0;
};

} // namespace nbrhood_test
