// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// MatrixMarket files, and the messages between ranks for a product with such a matrix.
#include <cctype>

#include "common/error.h"
#include "common/matrix_reader.h"
#include "common/partition.h"
#include "sparse_rows_check.h"

namespace {

// Whether a number of rows, columns or entries may be accepted but take a gigabyte: it has six to
// nine digits.
bool is_large(const std::string &text)
{
    std::size_t digits = 0;
    for (const char c : text + ' ') {
        if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
            digits += digits > 0 || c != '0' ? 1 : 0;
            continue;
        }
        if (digits >= 6 && digits <= 9) {
            return true;
        }
        digits = 0;
    }
    return false;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text = nbrhood_fuzz::text_of(data, size);
    if (is_large(text)) {
        return 0;
    }
    nbrhood_tools::SparseRows matrix;
    const auto read = [&] { matrix = nbrhood_tools::parse_matrix_market(text, "file"); };
    if (nbrhood_fuzz::reads_file<nbrhood_tools::InputError>(text, "file", read)) {
        nbrhood_fuzz::check_rows(matrix);
        nbrhood_tools::entries_needed(matrix, nbrhood_tools::striped_owners(matrix.rows, 3),
                                      nbrhood_tools::striped_owners(matrix.columns_total, 3), 3);
    }
    return 0;
}
