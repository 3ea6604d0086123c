// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "send_layout.h"

namespace nbrhood_tools::bench {

std::string name_of(SendLayout values)
{
    switch (values) {
    case SendLayout::packed:
        return "packed";
    case SendLayout::indexed:
        return "indexed";
    case SendLayout::typed:
        return "typed";
    case SendLayout::overlapping:
        break;
    }
    return "overlapping";
}

} // namespace nbrhood_tools::bench
