// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The common part of main() of the MPI programs.
#pragma once

#include "common/error.h"

namespace nbrhood_tools {

/// Called between MPI_Init and MPI_Finalize on every rank. Throws OptionError and InputError on all
/// ranks.
using Body = ExitStatus (*)(int argc, char **argv, int rank);

/// Runs `body` inside MPI and returns the exit status of the process. An option --paper sets
/// parameters of the component before. Prints the message of
/// OptionError and InputError on rank 0, with the program's name before it. Any other exception is
/// one rank's alone and aborts the job, because the others would wait for that rank.
int run_program(const char *name, int argc, char **argv, Body body);

} // namespace nbrhood_tools
