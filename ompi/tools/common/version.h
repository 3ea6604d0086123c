// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The version of this package, from configure.
#pragma once

#include <string>

namespace nbrhood_tools {

/// The output of a program for --version: a line with its name and the version.
std::string version_line(const std::string &program);

} // namespace nbrhood_tools
