// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/toolkit/parameter.h"

#include <climits>

namespace nbrhood {

std::map<std::int64_t, std::string> names_of_values(const Parameter &parameter)
{
    std::map<std::int64_t, std::string> names;
    for (std::int64_t value = parameter.range.least; value <= parameter.range.most; ++value) {
        const char *name = parameter.name_of(static_cast<int>(value));
        if (name == nullptr) {
            break;
        }
        names.emplace(value, name);
    }
    return names;
}

std::string value_text(const Parameter &parameter, std::int64_t value)
{
    switch (parameter.type) {
    case ValueType::flag:
        return value != 0 ? "true" : "false";
    case ValueType::name:
        return parameter.name_of(static_cast<int>(value));
    case ValueType::number:
    case ValueType::bytes:
        return std::to_string(value);
    case ValueType::text:
        break;
    }
    return "";
}

std::string range_text(const Parameter &parameter)
{
    const auto of = [&](std::int64_t value) { return value_text(parameter, value); };
    const auto [least, most] = parameter.range;
    switch (parameter.type) {
    case ValueType::flag:
        return of(1) + ", " + of(0);
    case ValueType::name: {
        std::string names;
        for (const auto &[value, name] : names_of_values(parameter)) {
            names += (names.empty() ? "" : ", ") + name;
        }
        return names;
    }
    case ValueType::number:
    case ValueType::bytes:
        return least == INT_MIN && most == INT_MAX ? "number" : of(least) + " to " + of(most);
    case ValueType::text:
        break;
    }
    return "";
}

std::string full_help(const Parameter &parameter)
{
    std::string summaries;
    if (parameter.summary_of != nullptr) {
        for (const auto &[value, name] : names_of_values(parameter)) {
            const char *summary = parameter.summary_of(static_cast<int>(value));
            summaries += summary == nullptr ? "" : "; " + name + ": " + summary;
        }
    }
    const bool bounded = (parameter.type == ValueType::number || parameter.type == ValueType::bytes)
                         && range_text(parameter) != "number";
    return parameter.help + summaries
           + (bounded ? ". Range: " + range_text(parameter) : std::string())
           + (parameter.equal == Equal::no ? "" : ". Must be equal on all ranks");
}

std::int64_t ParameterValues::number(const Parameter &parameter) const
{
    const auto found = numbers_.find(&parameter);
    return found != numbers_.end() ? found->second : parameter.usual;
}

void ParameterValues::set_number(const Parameter &parameter, std::int64_t value)
{
    if (value == parameter.usual) { // most are; the map is copied for each topology and build
        numbers_.erase(&parameter);
    } else {
        numbers_[&parameter] = value;
    }
}

std::string ParameterValues::text(const Parameter &parameter) const
{
    const auto found = texts_.find(&parameter);
    return found != texts_.end() ? found->second : "";
}

void ParameterValues::set_text(const Parameter &parameter, const std::string &value)
{
    texts_[&parameter] = value;
}

} // namespace nbrhood
