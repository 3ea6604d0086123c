#include "parameter_options.h"

#include "select/parameters.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace nbrhood_explain {

namespace {

/// The sizes that are modelled are called --block-bytes here.
std::string option_name(const nbrhood::Parameter &parameter)
{
    std::string name = &parameter == &nbrhood::kBlockBytes ? "expected_bytes" : parameter.name;
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

} // namespace

void add_parameter_options(CLI::App &app, nbrhood::ParameterValues &values)
{
    using nbrhood::ValueType;
    for (const nbrhood::Parameter *parameter : nbrhood::parameters()) {
        const bool bytes = parameter->type == ValueType::bytes;
        const bool flag = parameter->type == ValueType::flag; // 0 or 1
        if (parameter->steers != nbrhood::Steers::patterns
            || (!bytes && !flag && parameter->type != ValueType::number))
            continue;
        CLI::Option *option =
            app.add_option_function<std::int64_t>(
                   option_name(*parameter),
                   [parameter, &values](std::int64_t value) {
                       values.set_number(*parameter, value);
                   },
                   std::string("coll_nbrhood_") + parameter->name + ". " + parameter->help)
                ->check(CLI::Range(parameter->range.least, parameter->range.most))
                ->default_str(flag ? std::to_string(parameter->usual)
                                   : nbrhood::value_text(*parameter, parameter->usual))
                ->group("Parameters of coll/nbrhood");
        if (bytes)
            option->transform(CLI::AsSizeValue(false));
    }
}

} // namespace nbrhood_explain
