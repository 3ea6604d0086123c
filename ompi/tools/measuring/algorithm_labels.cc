// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithm_labels.h"

#include "communicators.h"
#include "component_info.h"

#include "common/error.h"
#include "capi/nbrhood_names.h"

#include <algorithm>
#include <cstdio>

namespace nbrhood_tools {

std::vector<std::string> neighbourhood_algorithms()
{
    std::vector<std::string> names;
    for (int choice = 0; const char *name = nbrhood_choice_name(choice); ++choice)
        names.emplace_back(name);
    return names;
}

std::vector<std::string> complete_labels(const std::vector<std::string> &asked,
                                         const std::vector<std::string> &known, bool with_twin)
{
    std::vector<std::string> labels{"stock"};
    if (with_twin)
        labels.emplace_back("stock#2");
    for (const std::string &label : asked) {
        if (is_stock(label))
            continue;
        if (std::find(known.begin(), known.end(), label) == known.end()) {
            std::string list = "stock";
            for (const std::string &name : known)
                list += ", " + name;
            throw OptionError("--algorithms: unknown name '" + label + "' (known: " + list + ")");
        }
        if (std::find(labels.begin(), labels.end(), label) != labels.end())
            throw OptionError("--algorithms: '" + label + "' is listed twice");
        labels.push_back(label);
    }
    return labels;
}

bool warn_unless_loaded(const char *program, const Environment &environment)
{
    if (!environment.component_loaded)
        std::fprintf(
            stderr,
            "%s: warning: the component coll/nbrhood is not loaded (there is no variable\n"
            "  coll_nbrhood_priority): all algorithms are Open MPI's own. Is the component "
            "where\n"
            "  Open MPI looks (mpirun --mca mca_base_component_path), and not excluded by "
            "--mca coll?\n",
            program);
    return environment.component_loaded;
}

void warn_about_algorithms(const char *program, const Environment &environment,
                           const std::vector<std::string> &labels,
                           const std::vector<std::string> &collectives)
{
    std::vector<std::string> asked;
    for (const std::string &label : labels)
        if (!is_stock(label))
            asked.push_back(label);
    if (asked.empty())
        return;
    if (!warn_unless_loaded(program, environment))
        return;
    for (const std::string &collective : collectives) {
        const std::vector<std::string> listed = listed_algorithms(collective);
        for (const std::string &label : asked)
            if (!listed.empty() && std::find(listed.begin(), listed.end(), label) == listed.end())
                std::fprintf(stderr,
                             "%s: warning: coll/nbrhood lists no algorithm '%s' for %s; that "
                             "column\n  shows the component's fallback\n",
                             program, label.c_str(), collective.c_str());
    }
}

} // namespace nbrhood_tools
