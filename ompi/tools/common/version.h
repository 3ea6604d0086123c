// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The version of this package, which configure knows.
#pragma once

#include <string>

namespace nbrhood_tools {

/// What a program prints for --version: a line with its name and the version.
std::string version_line(const std::string &program);

} // namespace nbrhood_tools
