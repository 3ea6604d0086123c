// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// A small integer hash: graphs and test patterns must be the same on every rank and machine, which
// <random>'s distributions do not guarantee.
#pragma once

#include <cstdint>

namespace nbrhood_tools {

/// One step of splitmix64: every input bit changes about half of the output bits.
inline std::uint64_t mix(std::uint64_t value)
{
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

} // namespace nbrhood_tools
