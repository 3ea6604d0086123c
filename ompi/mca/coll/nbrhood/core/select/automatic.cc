#include "select/automatic.h"

#include <algorithm>

namespace nbrhood {

Automatic::Automatic(const Facts &facts, const Costs &costs, const ParameterValues &values)
    : facts_(facts), costs_(costs),
      expected_bytes_(values.get(kBlockBytes) != 0 ? static_cast<double>(values.get(kBlockBytes))
                                                   : kSmallBlock),
      combining_threshold_(values.get(kCombiningThreshold)),
      packing_threshold_(values.get(kPackingThreshold))
{}

Reason Automatic::refuse_early(Collective collective) const
{
    const std::size_t most = combining_threshold_ != 0 ? combining_threshold_ : kGreatestThreshold;
    if (expected_bytes_ > static_cast<double>(most)) {
        return Reason::blocks_too_large;
    }
    const bool any = std::any_of(registry().begin(), registry().end(), [&](const Algorithm &row) {
        return (row.serves & bit(collective)) != 0 && may_gain(row);
    });
    return any ? Reason::none : Reason::too_few_messages;
}

bool Automatic::may_gain(const Algorithm &row) const
{
    if (row.make_builder == nullptr || !may_choose(row)) {
        return false;
    }
    if (row.least == nullptr) {
        return true;
    }
    const std::optional<Traffic> least = row.least(facts_);
    return least
           && may_pay(*least, facts_, costs_, expected_bytes_,
                      static_cast<double>(packing_threshold_));
}

double Automatic::least_seconds(const Algorithm &row) const
{
    const std::optional<Traffic> least = row.least != nullptr ? row.least(facts_) : std::nullopt;
    return least ? relayed_seconds(*least) : 0;
}

std::optional<double> Automatic::predicted_time(const Algorithm &row, const Traffic &traffic) const
{
    if (!may_gain(row)
        || !pays(traffic, facts_, costs_, expected_bytes_,
                 static_cast<double>(packing_threshold_))) {
        return std::nullopt;
    }
    return relayed_seconds(traffic);
}

std::size_t Automatic::combining_threshold(const Traffic &traffic) const
{
    return combining_threshold_ != 0
               ? combining_threshold_
               : nbrhood::combining_threshold(traffic, facts_, costs_, expected_bytes_,
                                              packing_threshold_);
}

double Automatic::direct_seconds(const Traffic &traffic) const
{
    return nbrhood::direct_seconds(traffic, facts_, costs_, expected_bytes_);
}

double Automatic::relayed_seconds(const Traffic &traffic) const
{
    return nbrhood::relayed_seconds(traffic, facts_, costs_, expected_bytes_,
                                    static_cast<double>(packing_threshold_));
}

} // namespace nbrhood
