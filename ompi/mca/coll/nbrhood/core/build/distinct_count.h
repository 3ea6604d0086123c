// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// How many different things several ranks have seen, without a list of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "pattern/message_words.h"

namespace nbrhood {

// Each thing sets one of 128 bits, and the bits that are left tell how many things there were
// (linear counting: Whang, Vander-Zanden, Taylor, "A linear-time probabilistic counting algorithm
// for database applications", 1990). Where too few are left, those count that every fourth thing
// sets, or every sixteenth, and so on (Estan, Varghese, Fisk, "Bitmap algorithms for counting
// active flows on high-speed links", 2006, section 4.2). A few are counted almost exactly, many
// with an error of about a tenth.
class DistinctCount {
public:
    void add(std::uint64_t thing); // any number that it is known by
    void merge(const DistinctCount &other);

    // About how many; nothing where there are too many to tell, some 60,000.
    std::optional<std::int64_t> count() const;

    // As words, and back; take throws BadMessage where there are too few.
    void put(WordWriter &words) const;
    static DistinctCount take(WordReader &words);

private:
    static constexpr int kBits = 128;
    static constexpr int kLevels = 5;
    using Level = std::array<std::uint64_t, kBits / 64>;
    std::array<Level, kLevels> levels_{};
};

} // namespace nbrhood
