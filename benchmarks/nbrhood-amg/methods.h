// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The methods in which a level's entries are exchanged.
#pragma once

#include "vectors.h"

#include "measuring/mpi_headers.h"

#include <memory>
#include <string>
#include <vector>

namespace nbrhood_tools::amg {

/// One method, as users name it.
struct Method {
    const char *name;
    /// The label of its communicator in create_candidates(): "stock" (without the component) or an
    /// algorithm. Empty: a plain duplicate without topology.
    const char *communicator;
    const char *text; ///< one line for --help
};

/// All methods; the others are compared with the first.
const std::vector<Method> &all_methods();

/// Makes a method on a communicator of its kind. prepare() is its init, run() one exchange with all
/// steps of the application: packing, start and wait. `vectors` and `comm` must outlive the object;
/// `name` is one of all_methods().
std::unique_ptr<Repeatable> make_method(const std::string &name, Vectors &vectors, MPI_Comm comm);

} // namespace nbrhood_tools::amg
