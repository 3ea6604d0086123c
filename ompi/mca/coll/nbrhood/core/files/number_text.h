// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Numbers in files.
#pragma once

#include <string>

namespace nbrhood {

// The shortest decimal form that is read back as the same number, in the classic locale: the
// program around the component may have set one in which numbers have decimal commas. For whoever
// writes files that are read again; value: finite.
std::string number_text(double value);

} // namespace nbrhood
