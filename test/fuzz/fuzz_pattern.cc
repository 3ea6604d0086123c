// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The text format of one pattern, and the words in which builders send its operations to each
// other.
#include "fuzz_target.h"

#include <stdexcept>

#include "pattern/pattern.h"

using nbrhood_fuzz::demand;

namespace {

void check_words(const nbrhood::Operation &operation)
{
    std::vector<std::int32_t> words;
    nbrhood::encode_operation(operation, words);
    nbrhood::WordReader reader(words);
    demand(nbrhood::decode_operation(reader) == operation && reader.left() == 0,
           "an operation survives its words");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text = nbrhood_fuzz::text_of(data, size);
    nbrhood::Pattern pattern;
    try {
        pattern = nbrhood::from_text(text);
    } catch (const std::invalid_argument &refusal) {
        nbrhood_fuzz::demand_place(refusal.what(), "line ", nbrhood_fuzz::lines_of(text));
        return 0;
    }
    const nbrhood::Pattern again = nbrhood::from_text(nbrhood::to_text(pattern));
    demand(again == pattern, "a pattern that is written is read again");
    demand(nbrhood::hash_pattern(again) == nbrhood::hash_pattern(pattern),
           "equal patterns have one hash");
    for (const nbrhood::Operation &operation : pattern.operations) {
        check_words(operation);
    }
    return 0;
}
