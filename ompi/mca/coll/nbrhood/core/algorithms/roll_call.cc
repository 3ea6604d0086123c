#include "algorithms/roll_call.h"

namespace nbrhood {

RollCall::RollCall(const BuildInput &input, int kind)
    : input_(&input), kind_(kind), self_(input.neighbourhood->rank), letters_(self_)
{
    all_.add(self_, input.surroundings->of(self_));
}

void RollCall::add(const Message &from)
{
    WordReader words = letters_.open(kind_, from);
    while (words.left() != 0) {
        const Rank rank = words.take(0, input_->ranks - 1);
        all_.add(rank, Whereabouts::take(words));
    }
}

void RollCall::receive(const std::vector<Message> &inbox)
{
    for (const Message &from : inbox) {
        add(from);
    }
    if (stage_ == Stage::down) {
        all_.set_complete();
    }
}

Message RollCall::whereabouts_for(Rank peer, bool failed) const
{
    WordWriter words;
    for (const Rank rank : all_.ranks()) {
        words.put(rank);
        all_.of(rank).put(words);
    }
    return letters_.write(kind_, peer, failed, words.words());
}

std::optional<Step> RollCall::next(bool failed)
{
    const TreePlace &tree = *input_->tree;
    if (stage_ == Stage::begin) {
        stage_ = Stage::up;
        if (!tree.children.empty()) {
            return Step{{}, tree.children, false};
        }
    }
    if (stage_ == Stage::up) {
        stage_ = Stage::down;
        if (tree.parent != kNoRank) {
            return Step{{whereabouts_for(tree.parent, failed)}, {tree.parent}, false};
        }
        all_.set_complete();
    }
    if (stage_ == Stage::down) {
        stage_ = Stage::end; // nothing is left to come
        Step step;
        for (const Rank child : tree.children) {
            step.outbox.push_back(whereabouts_for(child, failed));
        }
        return step;
    }
    return std::nullopt;
}

} // namespace nbrhood
