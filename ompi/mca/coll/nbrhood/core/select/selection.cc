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

namespace {

double cost(std::int64_t local, std::int64_t nonlocal, const CostModel &model)
{
    return static_cast<double>(local) + static_cast<double>(nonlocal) * model.nonlocal;
}

} // namespace

bool may_pay(const Facts &facts, const CostModel &model)
{
    return facts.regions > 1 && facts.edges_nonlocal > 0
           && model.phase * static_cast<double>(facts.ranks_with_edges)
                  < cost(facts.edges - facts.edges_nonlocal, facts.edges_nonlocal, model);
}

bool pays(const Traffic &traffic, std::int64_t ranks_with_edges, const CostModel &model)
{
    return cost(traffic.relayed_local, traffic.relayed_nonlocal, model)
               + model.phase * static_cast<double>(ranks_with_edges)
           < cost(traffic.edges_local, traffic.edges_nonlocal, model);
}

} // namespace nbrhood
