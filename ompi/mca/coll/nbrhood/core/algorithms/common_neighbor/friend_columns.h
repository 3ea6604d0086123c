// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Sets of destinations as bits: rows of the friendship matrix, and intersections of several rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nbrhood {

// The number of bits that are set. Compilers for a generic machine would call a function for each
// word.
inline int count_bits(std::uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555U;
    word = (word & 0x3333333333333333U) + (word >> 2 & 0x3333333333333333U);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fU;
    return static_cast<int>(word * 0x0101010101010101U >> 56);
}

using Bitmap = std::vector<std::uint64_t>;

// A set of columns, as the nonzero words of its bitmap. It gets shorter with each intersection.
class Columns {
public:
    Columns() = default;
    explicit Columns(const Bitmap &row)
    {
        for (std::size_t at = 0; at < row.size(); ++at) {
            if (row[at] != 0) {
                words_.push_back({at, row[at]});
            }
        }
    }

    // The number of words: the cost of an intersection with a row.
    std::size_t words() const { return words_.size(); }

    int count_common(const Bitmap &row) const
    {
        int count = 0;
        for (const Word &word : words_) {
            count += count_bits(word.bits & row[word.at]);
        }
        return count;
    }

    // Becomes the intersection of `other` and a row.
    void cut(const Columns &other, const Bitmap &row)
    {
        words_.clear();
        for (const Word &word : other.words_) {
            if ((word.bits & row[word.at]) != 0) {
                words_.push_back({word.at, word.bits & row[word.at]});
            }
        }
    }

    void remove_from(Bitmap &row) const
    {
        for (const Word &word : words_) {
            row[word.at] &= ~word.bits;
        }
    }

    // Calls visit(column) for each column, ascending.
    template <typename Visit>
    void for_each(const Visit &visit) const
    {
        for (const Word &word : words_) {
            for (std::uint64_t bits = word.bits; bits != 0; bits &= bits - 1) {
                visit(word.at * 64 + static_cast<std::size_t>(count_bits((bits & -bits) - 1)));
            }
        }
    }

private:
    struct Word {
        std::size_t at;
        std::uint64_t bits;
    };
    std::vector<Word> words_;
};

} // namespace nbrhood
