// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "select/parameters.h"

#include <algorithm>

#include "algorithms/registry.h"
#include "allgather/registry.h"

namespace nbrhood {

std::vector<const Parameter *> parameters()
{
#define NBRHOOD_ADDRESS(name, declaration) &(declaration),
    std::vector<const Parameter *> all{NBRHOOD_OWN_PARAMETERS(NBRHOOD_ADDRESS)};
#undef NBRHOOD_ADDRESS
    for (const Algorithm &row : registry()) {
        for (const Parameter *own : row.parameters) {
            if (std::find(all.begin(), all.end(), own) == all.end()) {
                all.push_back(own);
            }
        }
    }
    return all;
}

std::uint32_t hash_names()
{
    std::uint64_t hash = 0;
    const auto add = [&](const char *name) {
        for (; *name != '\0'; ++name) {
            hash = mix(hash ^ static_cast<unsigned char>(*name));
        }
        hash = mix(hash); // marks the end of a name, or of a table
    };
    for (const Algorithm &row : registry()) {
        add(row.name);
    }
    add("");
    for (const AllgatherAlgorithm &row : allgather_algorithms()) {
        add(row.name);
    }
    add("");
    for (const Parameter *parameter : parameters()) {
        add(parameter->name);
    }
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

std::uint64_t hash_values(const ParameterValues &values, Compared compared)
{
    std::uint64_t hash = 0;
    const auto add = [&](std::uint64_t value) { hash = mix(hash ^ value); };
    for (const Parameter *parameter : parameters()) {
        if (parameter->equal != Equal::calls
            && (parameter->equal != Equal::builds || compared == Compared::calls)) {
            continue;
        }
        if (parameter->type == ValueType::text) {
            const std::string text = values.text(*parameter);
            add(text.size());
            for (const char letter : text) {
                add(static_cast<unsigned char>(letter));
            }
        } else {
            add(static_cast<std::uint64_t>(values.number(*parameter)));
        }
    }
    return hash;
}

} // namespace nbrhood
