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
    return choice >= kFirstRow && choice < choices()
               ? registry()[static_cast<std::size_t>(choice - kFirstRow)].name
               : nullptr;
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

bool may_choose(const Algorithm &row, const Facts &facts)
{
    return row.shares_cores || facts.ranks_per_core <= 1;
}

} // namespace nbrhood
