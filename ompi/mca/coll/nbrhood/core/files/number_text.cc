// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "files/number_text.h"

#include <limits>
#include <locale>
#include <sstream>

namespace nbrhood {

std::string number_text(double value)
{
    std::string text;
    for (int digits = 6; digits <= std::numeric_limits<double>::max_digits10; ++digits) {
        std::ostringstream out;
        out.imbue(std::locale::classic());
        out.precision(digits);
        out << value;
        text = out.str();
        std::istringstream in(text);
        in.imbue(std::locale::classic());
        double read = 0;
        if (in >> read && read == value) {
            break;
        }
    }
    return text;
}

} // namespace nbrhood
