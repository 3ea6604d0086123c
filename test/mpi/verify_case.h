// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The state of a verification case, and the helpers that all cases share.
#pragma once

#include "common_communicator.h"
#include "common_pending.h"
#include "common_run.h"

#include <string>
#include <vector>

namespace nbrhood_test {

/// The state of the run, and the reports of a case.
class Context {
public:
    int rank = 0; ///< in MPI_COMM_WORLD
    int size = 0; ///< of MPI_COMM_WORLD
    std::string algorithm;
    std::uint64_t seed = 1;
    long combining_threshold = 0; ///< bytes: larger blocks go direct
    long relay_capacity = 0;      ///< bytes of a relay's preposted buffer
    long churn = 0;               ///< communicators that the churn case creates
    bool threads = false;         ///< MPI_THREAD_MULTIPLE is provided
    std::vector<EntryPoint> entries;

    /// Whether the component's functions serve the calls (and not Open MPI's own).
    bool ours() const { return algorithm != stock; }
    /// Notes a failure; entry may be null. Only the first reason is printed, but every failing
    /// entry point is named.
    void fail(const EntryPoint *entry, const std::string &reason);
    /// Notes a failure unless the reason is empty; returns whether it is.
    bool check(const EntryPoint &entry, const std::string &reason);
    /// Notes a failure if a condition does not hold; returns the condition.
    bool expect(bool condition, const std::string &reason);
    /// Agrees on the outcome with all ranks and resets it; returns an empty string or the error.
    std::string conclude();
    /// Creates a communicator for a topology over MPI_COMM_WORLD and checks that it reports the
    /// topology.
    Communicator create(const Topology &topology, Construction construction = {});
    /// A random graph over MPI_COMM_WORLD.
    Topology random_topology(double density) const;
    /// The entry points of one variant among those selected.
    std::vector<EntryPoint> only(Variant variant) const;

private:
    std::string reason_;
    unsigned failing_entries_ = 0;
};

/// A row of the list of cases.
struct Case {
    const char *name;
    void (*run)(Context &context);
    bool by_default = true; ///< otherwise it runs only when the filter names it exactly
};

/// Options of run_entries.
struct Exercise {
    int rounds = 2;             ///< calls, or starts of a persistent request
    bool skip_isolated = false; ///< ranks without edges do not call at all
    bool free_types = false;    ///< types are freed right after the start or the init
    bool scramble_arrays =
        false; ///< argument arrays are overwritten right after the start or the init
};

/// Runs one operation: several rounds with different data. A persistent request is started again,
/// not initialised again, and freed at the end.
void run_pending(Context &context, Pending &pending, MPI_Comm comm, const Exercise &exercise);
/// Calls all selected entry points on a communicator and checks the received data.
void run_entries(Context &context, const Communicator &comm, const Topology &topology,
                 const Workload &workload, Exercise exercise = {});
/// Same for given entry points.
void run_entries(Context &context, const std::vector<EntryPoint> &entries, const Communicator &comm,
                 const Topology &topology, const Workload &workload, Exercise exercise = {});
/// Creates a communicator over MPI_COMM_WORLD and calls all selected entry points on it.
void run_topology(Context &context, const Topology &topology, const Workload &workload = {},
                  Exercise exercise = {}, Construction construction = {});
/// Notes a failure if an MPI call returned an error; returns whether it succeeded.
bool succeeded(Context &context, const EntryPoint *entry, int code, const char *what);

/// A workload of ints whose blocks all have different sizes, among them empty ones.
Workload varied_workload(std::uint64_t seed, int largest = 40);

/// Makes progress in MPI for this many seconds, so that builds while the program runs go on.
void linger(double seconds);

/// The cases, one list a file.
const std::vector<Case> &graph_cases();
const std::vector<Case> &topology_cases();
const std::vector<Case> &inherited_cases();
const std::vector<Case> &comm_dup_cases();
const std::vector<Case> &changing_cases();
const std::vector<Case> &trial_cases();
const std::vector<Case> &datatype_cases();
const std::vector<Case> &size_cases();
const std::vector<Case> &request_cases();
const std::vector<Case> &lifetime_cases();
const std::vector<Case> &traffic_cases();
const std::vector<Case> &pvar_cases();
const std::vector<Case> &alltoallv_cases();
const std::vector<Case> &device_cases();
const std::vector<Case> &duplicate_cases();
const std::vector<Case> &duplicate_request_cases();
const std::vector<Case> &duplicate_library_cases();
const std::vector<Case> &duplicate_traffic_cases();

} // namespace nbrhood_test
