// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Changes words; bytes choose the changes.
#pragma once

#include "corruption_script.h"

namespace nbrhood::test {

// One to three changes: of a word, of the end, of the order, or all words replaced by those of
// another letter.
void corrupt_words(Script &script, std::vector<std::int32_t> &words,
                   const std::vector<std::vector<std::int32_t>> &others);

} // namespace nbrhood::test
