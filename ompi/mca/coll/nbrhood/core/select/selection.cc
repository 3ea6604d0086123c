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

int find_choice(const std::string &name)
{
    for (int choice = 0; choice < choices(); ++choice) {
        if (name == choice_name(choice)) {
            return choice;
        }
    }
    return -1;
}

bool may_pay(const Facts &facts)
{
    // Below some three messages a rank to other regions there is nothing to gain: the relayed
    // exchange itself takes three phases.
    return facts.regions > 1 && facts.edges_nonlocal >= 3 * facts.ranks_with_edges;
}

bool pays(const Traffic &traffic, std::int64_t ranks_with_edges, const CostModel &model)
{
    const auto local = static_cast<double>(traffic.relayed_local);
    const double before = static_cast<double>(traffic.edges_nonlocal) * model.nonlocal;
    const double after = local + static_cast<double>(traffic.relayed_nonlocal) * model.nonlocal
                         + model.phase * static_cast<double>(ranks_with_edges);
    return after < before;
}

} // namespace nbrhood
