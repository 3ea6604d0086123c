#include "values.h"

namespace nbrhood_bench {

std::string name_of(Values values)
{
    switch (values) {
    case Values::packed:
        return "packed";
    case Values::indexed:
        return "indexed";
    case Values::typed:
        return "typed";
    case Values::overlapping:
        break;
    }
    return "overlapping";
}

} // namespace nbrhood_bench
