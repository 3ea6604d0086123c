// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "select/selection.h"

namespace nbrhood {

int choices()
{
    return kFirstRow + static_cast<int>(registry().size());
}

const char *choice_name(int choice)
{
    if (choice == kAuto) {
        return "auto";
    }
    if (choice == kDefault) {
        return "default";
    }
    return choice >= kFirstRow && choice < choices() ? row_of(choice).name : nullptr;
}

const Algorithm &row_of(int choice)
{
    return registry()[static_cast<std::size_t>(choice - kFirstRow)];
}

bool serves(int choice, Collective collective)
{
    return choice < kFirstRow || (row_of(choice).serves & bit(collective)) != 0;
}

int choice_for(int choice, Collective collective)
{
    return serves(choice, collective) ? choice : kAuto;
}

int find_choice(std::string_view name)
{
    for (int choice = 0; choice < choices(); ++choice) {
        if (name == choice_name(choice)) {
            return choice;
        }
    }
    return -1;
}

const char *describe(Reason reason)
{
    switch (reason) {
    case Reason::none:
        return "";
    case Reason::parameter:
        return "parameter";
    case Reason::blocks_too_large:
        return "blocks too large to be combined";
    case Reason::too_few_messages:
        return "too few messages to save any";
    case Reason::no_gain:
        return "no predicted gain";
    case Reason::few_calls:
        return "until there are enough calls to build a pattern for";
    case Reason::gain:
        return "predicted gain";
    case Reason::not_everywhere:
        return "the component is not on all ranks";
    case Reason::parameters_differ:
        return "parameters differ between ranks";
    case Reason::edges_do_not_match:
        return "in-edges and out-edges do not match";
    case Reason::cannot_build:
        return "a rank could not build the pattern";
    }
    return "";
}

} // namespace nbrhood
