// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "methods.h"

#include "measuring/communicators.h"

namespace nbrhood_tools::bench {

std::vector<Method> make_methods(const std::vector<std::string> &labels,
                                 const CallSettings &settings)
{
    std::vector<Method> methods;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        for (SendLayout values : settings.values) {
            // All ratios refer to packed values. The twin only shows the noise, and Open MPI itself
            // does not use indices.
            if (is_stock(labels[i]) && values != SendLayout::packed
                && (labels[i] != "stock" || values == SendLayout::indexed))
                continue;
            Method method;
            method.label = labels[i] + (values == SendLayout::packed ? "" : "/" + name_of(values));
            method.candidate = i;
            method.values = values;
            methods.push_back(method);
            if (settings.compute_seconds > 0 && labels[i] != "stock#2") {
                method.label += "+compute";
                method.with_computation = true;
                methods.push_back(method);
            }
        }
    }
    if (settings.compute_seconds > 0) {
        Method computation;
        computation.label = "computation";
        computation.exchanges = false;
        computation.with_computation = true;
        methods.push_back(computation);
    }
    return methods;
}

} // namespace nbrhood_tools::bench
