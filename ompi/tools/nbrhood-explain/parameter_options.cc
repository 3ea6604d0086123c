// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "parameter_options.h"

#include "select/parameters.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace nbrhood_tools::explain {

namespace {

/// --block-bytes is the option for the sizes to model.
std::string option_name(const nbrhood::Parameter &parameter)
{
    std::string name = &parameter == &nbrhood::kBlockBytes ? "expected_bytes" : parameter.name;
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

/// A parameter whose values have names takes these names.
CLI::Option *add_named(CLI::App &app, const nbrhood::Parameter &parameter,
                       nbrhood::ParameterValues &values, const std::string &help)
{
    std::map<std::string, std::int64_t> names;
    for (const auto &[value, name] : nbrhood::names_of_values(parameter))
        names[name] = value;
    return app
        .add_option_function<std::string>(
            option_name(parameter),
            [&parameter, &values, names](const std::string &name) {
                values.set_number(parameter, names.at(name));
            },
            help)
        ->check(CLI::IsMember(names));
}

CLI::Option *add_number(CLI::App &app, const nbrhood::Parameter &parameter,
                        nbrhood::ParameterValues &values, const std::string &help)
{
    CLI::Option *option =
        app.add_option_function<std::int64_t>(
               option_name(parameter),
               [&parameter, &values](std::int64_t value) { values.set_number(parameter, value); },
               help)
            ->check(CLI::Range(parameter.range.least, parameter.range.most));
    if (parameter.type == nbrhood::ValueType::bytes)
        option->transform(CLI::AsSizeValue(false));
    return option;
}

} // namespace

void add_parameter_options(CLI::App &app, nbrhood::ParameterValues &values)
{
    using nbrhood::ValueType;
    for (const nbrhood::Parameter *parameter : nbrhood::parameters()) {
        const bool named = parameter->type == ValueType::name;
        const bool of_allgather =
            parameter == &nbrhood::kAllgatherLevels || parameter == &nbrhood::kAllgatherFirstRank;
        if ((parameter->steers != nbrhood::Steers::patterns && !of_allgather)
            || parameter->type == ValueType::text
            // --region is an option of the machine.
            || app.get_option_no_throw(option_name(*parameter)) != nullptr)
            continue;
        const std::string help =
            std::string("coll_nbrhood_") + parameter->name + ". " + parameter->help;
        (named ? add_named(app, *parameter, values, help)
               : add_number(app, *parameter, values, help))
            ->default_str(parameter->type == ValueType::flag
                              ? std::to_string(parameter->usual) // 0 or 1
                              : nbrhood::value_text(*parameter, parameter->usual))
            ->group("Parameters of coll/nbrhood");
    }
}

} // namespace nbrhood_tools::explain
