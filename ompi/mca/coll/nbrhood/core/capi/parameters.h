// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Converts the glue's values of parameters to the core's.
#pragma once

#include "capi/nbrhood_parameters.h"
#include "select/parameters.h"

namespace nbrhood {

// given: one value for each of parameters(). Texts are copied; NULL becomes an empty text. Throws
// std::bad_alloc.
ParameterValues values_of(const nbrhood_value *given);

} // namespace nbrhood
