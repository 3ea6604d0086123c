// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "corruption_words.h"

#include <utility>

namespace nbrhood::test {

void corrupt_words(Script &script, std::vector<std::int32_t> &words,
                   const std::vector<std::vector<std::int32_t>> &others)
{
    for (std::size_t times = 1 + script.below(3); times > 0; --times) {
        switch (script.below(6)) {
        case 0:
        case 1:
            if (!words.empty()) {
                std::int32_t &word = words[script.below(words.size())];
                word = static_cast<std::int32_t>(script.wild(static_cast<std::uint32_t>(word)));
            }
            break;
        case 2:
            words.resize(script.below(words.size() + 1));
            break;
        case 3:
            words.push_back(static_cast<std::int32_t>(script.wild(0)));
            break;
        case 4:
            if (!others.empty()) {
                words = others[script.below(others.size())];
            }
            break;
        default:
            if (words.size() > 1) {
                std::swap(words[script.below(words.size())], words[script.below(words.size())]);
            }
            break;
        }
    }
}

} // namespace nbrhood::test
