// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "variant.h"

#include "common/named_values.h"

namespace nbrhood_tools {

std::string name_of(Variant variant)
{
    switch (variant) {
    case Variant::blocking:
        return "blocking";
    case Variant::nonblocking:
        return "nonblocking";
    case Variant::persistent:
        break;
    }
    return "persistent";
}

std::vector<Variant> variants_named(const std::vector<std::string> &names)
{
    return look_up<Variant>("--variant", names,
                            {{"blocking", Variant::blocking},
                             {"nonblocking", Variant::nonblocking},
                             {"persistent", Variant::persistent}},
                            "");
}

} // namespace nbrhood_tools
