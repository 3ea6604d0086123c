// Places in a space of a rank as numbers, so that millions of them can be sorted and searched.
#pragma once

#include <cstdint>

#include "pattern/pattern.h"

namespace nbrhood {

// Block, part and parts of a slice; ascending by block, and in a block by part.
using Location = std::uint64_t;

inline Location location_of(const Slice &slice)
{
    return static_cast<Location>(slice.block) << 32 | static_cast<Location>(slice.part) << 16
           | slice.parts;
}

inline std::uint32_t block_of(Location location)
{
    return static_cast<std::uint32_t>(location >> 32);
}

inline std::uint16_t parts_of(Location location)
{
    return static_cast<std::uint16_t>(location);
}

inline std::uint16_t part_of(Location location)
{
    return static_cast<std::uint16_t>(location >> 16);
}

} // namespace nbrhood
