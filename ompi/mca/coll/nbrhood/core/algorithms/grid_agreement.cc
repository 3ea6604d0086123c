#include "algorithms/grid_agreement.h"

namespace nbrhood {

GridAgreement::GridAgreement(const BuildInput &input, int kind, GridCandidates own)
    : self_(input.neighbourhood->rank), ranks_(input.ranks),
      leader_(input.surroundings->region_of(self_)), tree_(input.tree), kind_(kind),
      letters_(self_), candidates_(std::move(own))
{
    if (leads()) {
        for (const Rank member : input.surroundings->members(leader_)) {
            if (member != self_) {
                below_.push_back(member);
            }
        }
    }
    if (tree_) {
        below_.insert(below_.end(), tree_->children.begin(), tree_->children.end());
    }
}

void GridAgreement::receive(const std::vector<Message> &inbox)
{
    for (const Message &from : inbox) {
        WordReader words = letters_.open(kind_, from);
        if (stage_ == Stage::up) {
            candidates_.merge(GridCandidates(words, ranks_));
        } else if (words.take_flag()) {
            grid_ = Grid::take(words, ranks_);
        }
        words.expect_end();
    }
}

Message GridAgreement::candidates_for(Rank peer, bool failed) const
{
    WordWriter words;
    candidates_.put(words);
    return letters_.write(kind_, peer, failed, words.words());
}

Message GridAgreement::grid_for(Rank peer, bool failed) const
{
    WordWriter words;
    words.put(grid_ ? 1 : 0);
    if (grid_) {
        grid_->put(words);
    }
    return letters_.write(kind_, peer, failed, words.words());
}

std::optional<Step> GridAgreement::next(bool failed)
{
    Step step;
    if (stage_ == Stage::begin) {
        if (!leads()) {
            step.outbox.push_back(candidates_for(leader_, failed));
            candidates_ = {}; // its leader has them
        }
        stage_ = tree_ ? Stage::up : Stage::leader;
        step.expect = tree_ ? below_ : std::vector<Rank>{leader_};
        if (!step.expect.empty()) {
            return step;
        }
    }
    if (stage_ == Stage::up) {
        stage_ = Stage::down;
        if (tree_->parent != kNoRank) {
            step.outbox.push_back(candidates_for(tree_->parent, failed));
            step.expect = {tree_->parent};
            return step;
        }
        grid_ = candidates_.best();
    }
    if (stage_ == Stage::down) {
        for (const Rank below : below_) {
            step.outbox.push_back(grid_for(below, failed));
        }
        stage_ = leads() ? Stage::end : Stage::leader;
        if (!leads()) {
            step.expect = {leader_};
        }
        return step;
    }
    return std::nullopt;
}

} // namespace nbrhood
