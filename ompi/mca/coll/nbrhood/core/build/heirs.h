// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// What duplicates of a communicator inherit of what was built for its calls (docs/wire.md, 8.10).
#pragma once

#include <cstdint>

namespace nbrhood {

enum class Heir { not_known, begins_anew, inherits };

// Of a duplicate that a rank makes after so many calls. limit: calls from there on it holds back,
// until it knows from where on the same serves for good; bequeaths: the number of calls after which
// that is so. Each is the greatest number where there is none, or none yet. What ranks find must
// not depend on what each knows already: one that has not named its part of the number will name
// one above its calls; one that has, and holds calls back, cannot tell.
constexpr Heir heir_after(std::uint32_t calls, std::uint32_t limit, std::uint32_t bequeaths)
{
    if (calls > limit)
        return Heir::not_known;
    return calls >= bequeaths ? Heir::inherits : Heir::begins_anew;
}

} // namespace nbrhood
