// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "version.h"

namespace nbrhood_tools {

std::string version_line(const std::string &program)
{
    return program + " (coll/nbrhood) " NBRHOOD_VERSION "\n";
}

} // namespace nbrhood_tools
