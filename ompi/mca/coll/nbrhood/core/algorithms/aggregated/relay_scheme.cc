#include "algorithms/aggregated/relay_scheme.h"

#include <algorithm>

namespace nbrhood {
namespace {

// Blocks are gathered, so that one message for each pair of regions is enough.
class ThreeSteps final : public RelayScheme {
public:
    int phases() const override { return 3; }
    Rank sender(Rank) const override { return kNoRank; }

    std::size_t relays(const RegionEdges &edges, const Tuning &tuning) const override
    {
        const std::size_t messages =
            std::max(edges.crossings(outgoing).size(), edges.crossings(incoming).size());
        return relays_for(messages, tuning.ranks_per_core);
    }
    bool takes_one_directional() const override { return true; }

    // Every relay has messages to or from most members anyhow.
    std::set<Rank> best_receivers(const std::vector<Crossing> &) const override { return {}; }

    bool combines_local(const Tuning &tuning, std::size_t edges, std::size_t members) const override
    {
        const int wanted = tuning.values.get(kCombineLocal);
        return wanted > 0
               || (wanted < 0 && pays_to_combine_local(edges, members, tuning.ranks_per_core));
    }
};

// Each rank sends what it has for a region itself.
class TwoSteps final : public RelayScheme {
public:
    int phases() const override { return 2; }
    Rank sender(Rank source) const override { return source; }

    // There is a message for each source, and nothing to wait for.
    std::size_t relays(const RegionEdges &edges, const Tuning &) const override
    {
        return edges.members().size();
    }
    bool takes_one_directional() const override { return false; }

    // A relay that is not itself a destination needs one more message.
    std::set<Rank> best_receivers(const std::vector<Crossing> &crossings) const override
    {
        std::set<Rank> ends;
        for (const Crossing &crossing : crossings) {
            ends.insert(crossing.inside);
        }
        return ends;
    }
    bool combines_local(const Tuning &, std::size_t, std::size_t) const override { return false; }
};

} // namespace

std::size_t relays_for(std::size_t messages, double ranks_per_core)
{
    constexpr std::size_t kMessagesOfARelay = 8;
    const std::size_t messages_of_a_relay = ranks_per_core > 1 ? kMessagesOfARelay : 1;
    return std::max<std::size_t>(1, (messages + messages_of_a_relay - 1) / messages_of_a_relay);
}

bool pays_to_combine_local(std::size_t edges, std::size_t members, double ranks_per_core)
{
    return ranks_per_core > 1 && edges > members;
}

const RelayScheme &RelayScheme::of(Scheme scheme)
{
    static const ThreeSteps three;
    static const TwoSteps two;
    if (scheme == kTwoStep) {
        return two;
    }
    return three;
}

} // namespace nbrhood
