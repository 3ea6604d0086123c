// How the ranks of a graph agree on the grid that it is.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/builder.h"
#include "algorithms/grid_candidates.h"
#include "algorithms/letters.h"

namespace nbrhood {

// One round: what each rank's edges allow goes to the leader of its region and up the tree, a few
// words in a letter, and the grid comes down. A builder embeds it, see Protocol::deliver.
class GridAgreement {
public:
    // own: what this rank's edges allow. kind: of the letters, see Letters.
    GridAgreement(const BuildInput &input, int kind, GridCandidates own);

    // The two halves of a superstep, for Protocol::deliver; see Delivery. receive() throws as
    // Letters::open, and BadWords for what cannot be.
    void receive(const std::vector<Message> &inbox);
    std::optional<Step> next(bool failed);

    // After the end; nothing where the graph is no grid. A rank that failed does not know.
    const std::optional<Grid> &grid() const { return grid_; }

private:
    // What the last step expects: nothing yet; what goes up; what comes down the tree; what the
    // leader says; nothing more.
    enum class Stage { begin, up, down, leader, end };

    bool leads() const { return leader_ == self_; }
    Message candidates_for(Rank peer, bool failed) const;
    Message grid_for(Rank peer, bool failed) const;

    Rank self_;
    Rank ranks_;
    Rank leader_;
    std::optional<TreePlace> tree_;
    std::vector<Rank> below_; // who sends what goes up: of a leader its members, and children
    int kind_;
    Letters letters_;
    GridCandidates candidates_;
    std::optional<Grid> grid_;
    Stage stage_ = Stage::begin;
};

} // namespace nbrhood
