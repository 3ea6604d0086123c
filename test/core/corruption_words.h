// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Changes words as bytes say.
#pragma once

#include "corruption_script.h"

namespace nbrhood::test {

// One to three changes: a word, the end, the order, or all of them by those of another.
void corrupt_words(Script &script, std::vector<std::int32_t> &words,
                   const std::vector<std::vector<std::int32_t>> &others);

} // namespace nbrhood::test
