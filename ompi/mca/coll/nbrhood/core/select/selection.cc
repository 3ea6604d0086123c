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

std::optional<double> bid(const Algorithm &row, const Traffic &traffic, const Facts &facts,
                          const Costs &costs, double block_bytes, double pack_limit)
{
    if (!may_choose(row, facts) || !pays(traffic, facts, costs, block_bytes, pack_limit)) {
        return std::nullopt;
    }
    return relayed_seconds(traffic, facts, costs, block_bytes, pack_limit);
}

} // namespace nbrhood
