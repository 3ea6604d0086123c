// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// State that duplicates of a communicator inherit (docs/wire.md, 8.10).
#pragma once

#include <cstdint>

namespace nbrhood {

// Whether a duplicate inherits the decision of its parent communicator.
enum class Inheritance { not_known, none, decision };

// Whether a duplicate that a rank makes after so many calls inherits the decision. limit: from this
// call on the rank holds calls back, until it knows from which call on the decision is final;
// final_after: the number of calls after which it is final. Either is the greatest number if there
// is none yet. The answer must not depend on what each rank has learnt already. A rank that has not
// named its part of the number will name one above its calls, so the answer is no. A rank that has,
// and holds calls back, cannot tell.
constexpr Inheritance inheritance_after(std::uint32_t calls, std::uint32_t limit,
                                        std::uint32_t final_after)
{
    if (calls > limit)
        return Inheritance::not_known;
    return calls >= final_after ? Inheritance::decision : Inheritance::none;
}

} // namespace nbrhood
