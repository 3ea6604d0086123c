// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cost files: read, written and read again.
#include "fuzz_target.h"

#include <sstream>
#include <stdexcept>

#include "select/costs.h"

namespace {

std::string written(const nbrhood::Costs &costs)
{
    std::ostringstream out;
    nbrhood::write_costs(out, costs);
    return out.str();
}

nbrhood::Costs read(const std::string &text)
{
    std::istringstream in(text);
    return nbrhood::read_costs(in, "file");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text = nbrhood_fuzz::text_of(data, size);
    nbrhood::Costs costs;
    if (nbrhood_fuzz::reads_file<std::invalid_argument>(text, "file",
                                                        [&] { costs = read(text); })) {
        const std::string again = written(costs);
        nbrhood_fuzz::demand(written(read(again)) == again,
                             "costs that are written are read again");
    }
    return 0;
}
