// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// State that duplicates of a communicator inherit (docs/wire.md, 8.10).
#pragma once

#include <cstdint>

namespace nbrhood {

// Whether a duplicate inherits the decision of its parent communicator.
enum class Inheritance { not_known, none, decision };

// Whether a duplicate inherits the decision if a rank makes it after `calls` calls. limit: from
// this call on the rank holds calls back until it learns the switch point; final_after: the number
// of calls after which the decision is final. Either is the greatest number if it is not known yet.
// All ranks must give the same answer, even if only some know the switch point. A rank that has not
// proposed yet will propose a number above its calls, so the answer is no. A rank that has proposed
// and holds calls back cannot tell.
constexpr Inheritance inheritance_after(std::uint32_t calls, std::uint32_t limit,
                                        std::uint32_t final_after)
{
    if (calls > limit)
        return Inheritance::not_known;
    return calls >= final_after ? Inheritance::decision : Inheritance::none;
}

} // namespace nbrhood
