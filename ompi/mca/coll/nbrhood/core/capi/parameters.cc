// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Parameters for the glue: their registration, and the conversion of their values for the core.
#include "capi/parameters.h"

#include <cstddef>
#include <cstdio>
#include <new>

#include "algorithms/leader_scatter/leader_scatter.h"
#include "select/differences.h"

using namespace nbrhood;

namespace {

static_assert(NBRHOOD_DEVICE_TEST == static_cast<int>(Device::test)
                  && NBRHOOD_ALLTOALLV_DIRECT == static_cast<int>(PairChoice::direct),
              "the same values in C");
static_assert(NBRHOOD_TEXT == static_cast<int>(ValueType::text), "the C interface lists all types");

// The number in the glue's value; not for texts.
std::int64_t number_of(const Parameter &parameter, const nbrhood_value &value)
{
    switch (parameter.type) {
    case ValueType::bytes:
        return value.bytes;
    case ValueType::flag:
        return value.flag ? 1 : 0;
    case ValueType::number:
    case ValueType::name:
    case ValueType::text:
        break;
    }
    return value.number;
}

// Throws std::bad_alloc.
void describe(const Parameter &parameter, nbrhood_parameter *result)
{
    result->name = parameter.name;
    result->type = static_cast<int>(parameter.type);
    result->level = parameter.level;
    result->equal = parameter.equal != Equal::no;
    result->name_of = parameter.name_of;
    result->least = parameter.range.least;
    result->most = parameter.range.most;
    result->usual = nbrhood_value{};
    switch (parameter.type) {
    case ValueType::bytes:
        result->usual.bytes = static_cast<unsigned>(parameter.usual);
        break;
    case ValueType::flag:
        result->usual.flag = parameter.usual != 0;
        break;
    case ValueType::number:
    case ValueType::name:
        result->usual.number = static_cast<int>(parameter.usual);
        break;
    case ValueType::text:
        break;
    }
    std::snprintf(result->help, sizeof result->help, "%s", full_help(parameter).c_str());
    std::snprintf(result->range, sizeof result->range, "%s", range_text(parameter).c_str());
}

} // namespace

ParameterValues nbrhood::values_of(const nbrhood_value *given)
{
    ParameterValues values;
    for (const Parameter *parameter : parameters()) {
        if (parameter->type != ValueType::text) {
            values.set_number(*parameter, number_of(*parameter, *given));
        } else if (given->text != nullptr) {
            values.set_text(*parameter, given->text);
        }
        ++given;
    }
    return values;
}

bool nbrhood_parameter_describe(int number, nbrhood_parameter *result)
{
    try {
        const std::vector<const Parameter *> all = parameters();
        if (number < 0 || static_cast<std::size_t>(number) >= all.size()) {
            return false;
        }
        describe(*all[static_cast<std::size_t>(number)], result);
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

bool nbrhood_asks_for_domains(const nbrhood_value *values)
{
    try {
        const ParameterValues given = values_of(values);
        return given.get(kRegion) != Level::node || given.get(kScatterPackage) != Level::gpu;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

void nbrhood_describe_differences(int count, const int *ranks, const char *const *texts,
                                  const char *before, const char *after, char *result, size_t room)
{
    result[0] = '\0';
    try {
        std::vector<RankFacts> facts;
        facts.reserve(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
            facts.push_back({ranks[i], texts[i]});
        }
        std::string all;
        for (const std::string &one : differences(facts)) {
            all += before + one + after;
        }
        std::snprintf(result, room, "%s", all.c_str());
    } catch (const std::bad_alloc &) {
        result[0] = '\0'; // the message then has no value
    }
}

const char *nbrhood_device_name(int value)
{
    return device_name(value);
}
