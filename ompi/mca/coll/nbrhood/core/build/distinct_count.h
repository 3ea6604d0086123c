// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The number of distinct items that several ranks have seen, estimated without a list.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "pattern/message_words.h"

namespace nbrhood {

// Each item sets one of 128 bits, and the number of zero bits tells the number of items (linear
// counting: Whang, Vander-Zanden, Taylor, "A linear-time probabilistic counting algorithm for
// database applications", 1990). Further bitmaps take every fourth item, every sixteenth, and so
// on; one of them counts if too few zero bits are left in those before (Estan, Varghese, Fisk,
// "Bitmap algorithms for counting active flows on high-speed links", 2006, section 4.2). Small
// numbers are almost exact, large ones have an error of about a tenth.
class DistinctCount {
public:
    void add(std::uint64_t thing); // any number that identifies the item
    void merge(const DistinctCount &other);

    // The estimate; nothing above some 60,000.
    std::optional<std::int64_t> count() const;

    // As words, and back; take throws BadMessage if there are too few words.
    void put(WordWriter &words) const;
    static DistinctCount take(WordReader &words);

private:
    static constexpr int kBits = 128;
    static constexpr int kLevels = 5;
    using Level = std::array<std::uint64_t, kBits / 64>;
    std::array<Level, kLevels> levels_{};
};

} // namespace nbrhood
