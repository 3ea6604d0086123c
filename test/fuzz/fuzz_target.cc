#include "fuzz_target.h"

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

} // namespace nbrhood_fuzz
