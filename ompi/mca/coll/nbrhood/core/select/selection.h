// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The algorithms that a user can choose for each collective, and the reasons for the algorithm that
// serves.
#pragma once

#include <cstdint>
#include <string_view>

#include "algorithms/registry.h"

namespace nbrhood {

// The values of the MCA parameters coll_nbrhood_<collective>_algorithm: the two below, then the
// rows of the registry.
constexpr int kAuto = 0;
// Open MPI's own functions: only if a user names them, or the component is not on all ranks.
constexpr int kDefault = 1;
constexpr int kFirstRow = 2;
// One message for each edge, the choice of `auto` if nothing gains.
constexpr int kDirectChoice = kFirstRow + kDirect;

// The number of values, and the name of a value ("auto", "default", "direct", ...). Null when there
// is no such value.
int choices();
const char *choice_name(int choice);

// The value of that name, or -1.
int find_choice(std::string_view name);

// The row of a choice of at least kFirstRow.
const Algorithm &row_of(int choice);

// Whether a choice serves a collective: kAuto and kDefault serve all.
bool serves(int choice, Collective collective);

// The meaning for one collective of a choice that a user made for all of them: the choice itself,
// or kAuto if it names an algorithm that does not serve the collective.
int choice_for(int choice, Collective collective);

// Why an algorithm serves a collective.
enum class Reason : std::uint8_t {
    none,
    // decided by the user
    parameter,
    // decided by `auto`
    blocks_too_large,
    too_few_messages,
    no_gain,
    few_calls,
    gain,
    // faults
    not_everywhere,
    parameters_differ,
    edges_do_not_match,
    cannot_build
};

// The reason in words, for reports and tools; empty for `none`.
const char *describe(Reason reason);

} // namespace nbrhood
