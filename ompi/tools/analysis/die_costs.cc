// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/die_costs.h"

#include <locale>
#include <sstream>
#include <stdexcept>

#include "files/number_text.h"

namespace nbrhood {
namespace {

struct Field {
    const char *name;
    double DieCosts::*member;
    double least; // if it is not 0
    bool may_be_0;
};

const std::vector<Field> &fields()
{
    static const std::vector<Field> all{
        {"link", &DieCosts::link, 1, false},
        {"share", &DieCosts::share, 1e-6, false},
        {"transfer", &DieCosts::transfer, 1, true},
        {"memory", &DieCosts::memory, 1, false},
        {"host", &DieCosts::host, 1, false},
        {"adapters", &DieCosts::adapters, 1, false},
        {"adapter", &DieCosts::adapter, 1, false},
        {"rank", &DieCosts::rank, 1, true},
        {"latency", &DieCosts::latency, 0, true},
        {"network_latency", &DieCosts::network_latency, 0, true},
        {"eager", &DieCosts::eager, 0, true},
        {"overhead", &DieCosts::overhead, 0, true},
    };
    return all;
}

double number_of(const std::string &text)
{
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    if (!(in >> value) || in.peek() != std::istringstream::traits_type::eof()
        || !(value >= 0 && value <= 1e18)) {
        throw std::invalid_argument("'" + text + "' is not a number that can be used");
    }
    return value;
}

} // namespace

DieCosts cluster_a_costs()
{
    return {};
}

DieCosts cluster_b_costs()
{
    DieCosts costs;
    costs.adapters = 4;
    costs.rank = 2.5e9;
    costs.network_latency = 30e-6;
    return costs;
}

void set_die_cost(DieCosts &costs, const std::string &text)
{
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    std::string names;
    for (const Field &field : fields()) {
        if (name == field.name && equals != std::string::npos) {
            const double value = number_of(text.substr(equals + 1));
            if (value < field.least && !(value == 0 && field.may_be_0)) {
                throw std::invalid_argument(text + ": too small");
            }
            costs.*field.member = value;
            return;
        }
        names += std::string(names.empty() ? "" : ", ") + field.name;
    }
    throw std::invalid_argument("'" + text + "' is not NAME=VALUE with one of the names " + names);
}

std::string die_costs_text(const DieCosts &costs)
{
    std::string text;
    for (const Field &field : fields()) {
        text += std::string(text.empty() ? "" : " ") + field.name + "="
                + number_text(costs.*field.member);
    }
    return text;
}

} // namespace nbrhood
