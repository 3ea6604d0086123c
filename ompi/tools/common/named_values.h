// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Options that take names from a list.
#pragma once

#include "error.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace nbrhood_tools {

/// Replaces "all" by all names, removes the common prefix of MPI's names, and looks up the rest.
/// Throws OptionError that names `option` and the known names.
template <typename Value>
std::vector<Value> look_up(const char *option, const std::vector<std::string> &names,
                           const std::vector<std::pair<std::string, Value>> &table,
                           const std::string &prefix)
{
    std::vector<Value> values;
    for (std::string name : names) {
        if (name == "all") {
            for (const auto &row : table)
                values.push_back(row.second);
            continue;
        }
        if (!prefix.empty() && name.rfind(prefix, 0) == 0)
            name.erase(0, prefix.size());
        const auto row = std::find_if(table.begin(), table.end(),
                                      [&](const auto &r) { return r.first == name; });
        if (row == table.end()) {
            std::string known = "all";
            for (const auto &r : table)
                known += ", " + prefix + r.first;
            throw OptionError(std::string(option) + ": unknown name '" + name + "' (known: " + known
                              + ")");
        }
        values.push_back(row->second);
    }
    return values;
}

} // namespace nbrhood_tools
