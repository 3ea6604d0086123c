// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Parameters (MCA parameters) as data. The registration by the component, the comparison between
// ranks, the options of tools and the tables of the documentation follow from these declarations.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <type_traits>

namespace nbrhood {

// Kind of a parameter's value. Bytes are numbers, too; a flag is 0 or 1, and a name is its number
// in a list of names.
enum class ValueType : std::uint8_t { number, bytes, flag, name, text };

// Whether ranks must have the same value, and when it is compared.
enum class Equal : std::uint8_t {
    no,
    builds,   // when a pattern is built: it affects only patterns
    calls,    // when MPI is initialised: it affects calls from the first one on
    otherwise // by other means: the contents of a file, or a number in the modex
};

// Whether patterns and their predicted times depend on the parameter. If so, tools that build and
// model patterns have an option for it.
enum class Steers : std::uint8_t { patterns, other };

// Smallest and greatest value; empty for texts. The names of values may end before the greatest
// value.
struct Range {
    std::int64_t least = 0;
    std::int64_t most = 0;
};

// A parameter, declared once; all other code refers to it by its address.
struct Parameter {
    const char *name; // after "coll_nbrhood_"
    const char *help; // without the range and the rule of equality, which full_help() adds
    ValueType type;
    std::int64_t usual; // the default; texts are empty
    Range range;
    Equal equal;
    Steers steers;
    int level; // of ompi_info, 1 to 9
    // For names: the name of a value, null if there is none.
    const char *(*name_of)(int value) = nullptr;
    // Optional: the meaning of a value, for the help; null if the help has it already.
    const char *(*summary_of)(int value) = nullptr;
};

// A parameter whose values are of this C++ type in the core: a number, bool, an enumeration or
// std::string.
template <typename Value>
struct Typed : Parameter {};

// The parameters of a row of the registry.
using Parameters = std::initializer_list<const Parameter *>;

// The names of the values of a parameter of type `name`, by their numbers.
std::map<std::int64_t, std::string> names_of_values(const Parameter &parameter);

// For messages and tables: a value ("8192", "true", "node"), and the range ("1 to 16777216", "true,
// false", "node, socket, numa"); "" for ranges of texts, and "number" for numbers without bounds.
std::string value_text(const Parameter &parameter, std::int64_t value);
std::string range_text(const Parameter &parameter);

// The complete help for users: one or more sentences without the last full stop.
std::string full_help(const Parameter &parameter);

// The values of the parameters on a rank. Parameters that were not set have their defaults.
class ParameterValues {
public:
    template <typename Value>
    Value get(const Typed<Value> &parameter) const
    {
        if constexpr (std::is_same_v<Value, std::string>) {
            return text(parameter);
        } else {
            return static_cast<Value>(number(parameter));
        }
    }
    template <typename Value>
    void set(const Typed<Value> &parameter, std::common_type_t<Value> value)
    {
        if constexpr (std::is_same_v<Value, std::string>) {
            set_text(parameter, value);
        } else {
            set_number(parameter, static_cast<std::int64_t>(value));
        }
    }

    // For code that iterates over parameters: number() for all types but texts, text() for texts.
    std::int64_t number(const Parameter &parameter) const;
    void set_number(const Parameter &parameter, std::int64_t value);
    std::string text(const Parameter &parameter) const;
    void set_text(const Parameter &parameter, const std::string &value);

private:
    std::map<const Parameter *, std::int64_t> numbers_;
    std::map<const Parameter *, std::string> texts_;
};

} // namespace nbrhood
