// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The three forms in which MPI has a collective.
#pragma once

#include <string>
#include <vector>

namespace nbrhood_tools {

enum class Variant { blocking, nonblocking, persistent };

/// "blocking", "nonblocking" or "persistent".
std::string name_of(Variant variant);

/// The variants that the option --variant names; "all" is all of them. Throws OptionError.
std::vector<Variant> variants_named(const std::vector<std::string> &names);

} // namespace nbrhood_tools
