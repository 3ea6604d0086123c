// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Communicators with a topology and a chosen algorithm, and the component's parameters through
// MPI_T.
#pragma once

#include "common_entry.h"
#include "common_topology.h"

#include <string>
#include <vector>

namespace nbrhood_test {

/// The name that stands for Open MPI's own functions.
inline const char *const stock = "stock";

/// Owns a communicator, which returns errors instead of aborting.
class Communicator {
public:
    Communicator() = default;
    explicit Communicator(MPI_Comm handle);
    Communicator(Communicator &&other) noexcept : handle_(other.release()) {}
    Communicator &operator=(Communicator &&other) noexcept;
    ~Communicator() { free(); }

    MPI_Comm get() const { return handle_; }
    int rank() const;
    int size() const;
    /// Whether this rank is part of it.
    explicit operator bool() const { return handle_ != MPI_COMM_NULL; }
    /// Frees it now (collective in principle).
    void free();
    /// Gives up ownership.
    MPI_Comm release();

private:
    MPI_Comm handle_ = MPI_COMM_NULL;
};

/// The rank in MPI_COMM_WORLD of each rank.
std::vector<int> world_ranks(MPI_Comm comm);

/// Options of the constructors.
struct Construction {
    bool reorder = false;
    bool weighted = false;
    bool excluded = false;   ///< by an info key, on this rank
    std::string block_bytes; ///< value of the info key nbrhood_block_bytes; empty: without the key
    std::string reuse;       ///< value of the info key nbrhood_reuse; empty: without the key
};

/// An info object that asks for an algorithm, to be freed by the caller.
MPI_Info algorithm_info(const std::string &algorithm);

/// Creates a communicator with a topology, collectively over parent; null on ranks that a smaller
/// cart leaves out.
Communicator make_communicator(MPI_Comm parent, const Topology &topology,
                               const std::string &algorithm, Construction construction = {});

/// Like make_communicator, for a communicator that inherits a topology: a duplicate that uses the
/// algorithm.
Communicator duplicate_with_algorithm(MPI_Comm comm, const std::string &algorithm);

/// Chooses the algorithm of constructors without an info argument through the environment; call
/// before MPI_Init.
void choose_by_environment(const std::string &algorithm);

/// Whether an algorithm serves an operation; true for names that are not rows of the component's
/// registry.
bool serves(const std::string &algorithm, Operation operation);

/// The algorithms that an option names: "all" stands for all rows of the component's registry, and
/// "^NAME" takes one out of those before it.
std::vector<std::string> algorithms_of(const std::vector<std::string> &names);

/// The component's MCA parameters as MPI_T control variables.
class Parameters {
public:
    Parameters();
    ~Parameters();
    Parameters(const Parameters &) = delete;
    Parameters &operator=(const Parameters &) = delete;

    /// Value of a numeric parameter, or fallback if the component or the parameter does not exist.
    long read(const std::string &name, long fallback) const;
    /// Whether `auto` waits for calls before it builds anything.
    bool builds_later() const { return read("coll_nbrhood_build_after", 0) != 0; }
    /// Sets an enumerated parameter to a named value; false if that is not possible.
    bool choose(const std::string &name, const std::string &value) const;
    /// Lets constructors without an info argument use an algorithm; false if MPI_T cannot set it.
    bool choose_algorithm(const std::string &algorithm) const;
    /// Whether the component is loaded at all.
    bool component_present() const;
};

} // namespace nbrhood_test
