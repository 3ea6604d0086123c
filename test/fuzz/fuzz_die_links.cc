// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Tables of links between GPU dies: read, written and read again.
#include "fuzz_target.h"

#include <sstream>
#include <stdexcept>

#include "machine/die_links_file.h"

namespace {

nbrhood::DieTable read(const std::string &text)
{
    std::istringstream in(text);
    return nbrhood::read_die_table(in, "file");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text = nbrhood_fuzz::text_of(data, size);
    nbrhood::DieTable table;
    if (nbrhood_fuzz::reads_file<std::invalid_argument>(text, "file",
                                                        [&] { table = read(text); })) {
        const std::string written = nbrhood::write_die_table(table);
        const nbrhood::DieTable again = read(written);
        nbrhood_fuzz::demand(again.links.hash() == table.links.hash()
                                 && nbrhood::write_die_table(again) == written,
                             "a table that is written is read again");
    }
    return 0;
}
