// A builder's protocol that ends with the sum of what its ranks counted, and with the decision.
#pragma once

#include <vector>

#include "algorithms/protocol.h"

namespace nbrhood {

// For builders whose ranks know their patterns before anybody decides: what these cost is counted
// from the patterns themselves (pattern_traffic.h), and the decision is the last thing that ranks
// learn, so that nobody waits for messages that a decision makes superfluous.
class CountedProtocol : public Protocol {
protected:
    using Protocol::Protocol;

    // The last supersteps of a rank with edges: first with any inbox, which is not looked at, then
    // with that of each superstep. At its start works() have in `totals` the traffic of this rank.
    // Members send it to the leader of their region; sums go up the tree and the decision comes
    // down, and from leaders to members. At its end totals, outcomes and one_size() are those of
    // all.
    Step conclude(const std::vector<Message> &inbox);

private:
    enum class Stage { begin, collect, spread, wait };

    Step begin();
    Step collect(const std::vector<Message> &inbox);
    Step spread(const std::vector<Message> &inbox);
    Step wait(const std::vector<Message> &inbox);
    Step go_on(Step &step, Step (CountedProtocol::*next)(const std::vector<Message> &));
    void take_decision(const Message &from);
    Message decision_for(Rank peer);
    void put_edges(WordWriter &words) const;
    bool leads() const { return input().surroundings->region_of(self()) == self(); }

    Stage stage_ = Stage::begin;
    std::vector<Rank> members_; // of a leader: the others of its region
};

} // namespace nbrhood
