// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The values that the glue has, as the core takes them.
#pragma once

#include "capi/nbrhood_parameters.h"
#include "select/parameters.h"

namespace nbrhood {

// given: one for each of parameters(). Texts are copied; NULL is an empty one. Throws
// std::bad_alloc.
ParameterValues values_of(const nbrhood_value *given);

} // namespace nbrhood
