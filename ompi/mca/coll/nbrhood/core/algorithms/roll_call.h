// Tells every rank where all others run, for algorithms that need an order of all ranks.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/builder.h"
#include "algorithms/letters.h"

namespace nbrhood {

// One roll call: afterwards each participant that did not fail knows the whereabouts of all. It is
// for builds beside the program, where all ranks are in the tree (a creation knows all places):
// places go up the tree and down again, four words for each rank. So it is for algorithms that
// pay on dense graphs only, whose ranks hold lists of neighbours of that order anyway. A builder
// embeds it, see Protocol::deliver.
class RollCall {
public:
    // kind: of the letters, see Letters.
    RollCall(const BuildInput &input, int kind);

    // The two halves of a superstep, for Protocol::deliver; see Delivery. receive() throws as
    // Letters::open, and BadWords for what cannot be.
    void receive(const std::vector<Message> &inbox);
    std::optional<Step> next(bool failed);

    // After the end.
    const Surroundings &all() const { return all_; }

private:
    enum class Stage { begin, up, down, end };

    Message whereabouts_for(Rank peer, bool failed) const;
    void add(const Message &from);

    const BuildInput *input_;
    int kind_;
    Rank self_;
    Letters letters_;
    Stage stage_ = Stage::begin; // what the last step expects
    Surroundings all_;
};

} // namespace nbrhood
