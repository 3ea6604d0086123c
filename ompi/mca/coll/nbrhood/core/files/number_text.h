// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Numbers in files.
#pragma once

#include <string>

namespace nbrhood {

// The shortest decimal form that is read back as the same number, in the classic locale: the
// application may have set one with decimal commas. For numbers in files that are read again. The
// value must be finite.
std::string number_text(double value);

} // namespace nbrhood
