// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "fuzz_target.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace nbrhood_fuzz {

void demand(bool holds, const std::string &what)
{
    if (!holds) {
        std::fprintf(stderr, "does not hold: %s\n", what.c_str());
        std::abort();
    }
}

void demand_place(const std::string &message, const std::string &place, std::size_t most)
{
    demand(message.compare(0, place.size(), place) == 0,
           "'" + message + "' begins with '" + place + "'");
    const char *const end = message.data() + message.size();
    const char *reason = message.data() + place.size();
    std::size_t number = 1;
    const auto [behind, error] = std::from_chars(reason, end, number);
    if (behind != reason) {
        demand(error == std::errc() && number >= 1 && number <= most,
               "'" + message + "' names one of " + std::to_string(most) + " places");
        demand(behind != end && *behind == ':', "'" + message + "' has ':' behind the number");
        reason = behind + 1;
    }
    demand(end - reason > 1 && *reason == ' ', "'" + message + "' has a reason");
}

std::size_t lines_of(const std::string &text)
{
    const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    return std::max<std::size_t>(1, ends + (text.empty() || text.back() == '\n' ? 0 : 1));
}

} // namespace nbrhood_fuzz
