#include "algorithms/tree_sum.h"

#include <utility>

namespace nbrhood {
namespace {

// The letters, behind the kind that the builder gives.
enum Kind : int {
    kOwn,   // of a member, to its leader
    kSum,   // up the tree
    kResult // down the tree, and to members
};

} // namespace

TreeSum::TreeSum(const BuildInput &input, int kind, Terms terms)
    : input_(&input), kind_(kind), terms_(std::move(terms)), self_(input.neighbourhood->rank),
      leader_(input.surroundings->region_of(self_)), letters_(self_)
{
    if (leads()) {
        for (const Rank member : input.surroundings->members(leader_)) {
            if (member != self_) {
                members_.push_back(member);
            }
        }
    }
}

TreeSum::Terms TreeSum::nothing()
{
    const auto put = [](WordWriter &) {};
    const auto take = [](WordReader &) {};
    return {put, [](Rank, WordReader &) {}, put, take, [] {}, put, take};
}

void TreeSum::receive(const std::vector<Message> &inbox)
{
    const auto take = [&](int kind, const Message &from, const auto &read) {
        WordReader words = letters_.open(kind_ + kind, from);
        read(words);
        words.expect_end();
    };
    if (stage_ == Stage::collect) {
        for (std::size_t i = 0; i < inbox.size(); ++i) {
            if (i < members_.size()) {
                take(kOwn, inbox[i],
                     [&](WordReader &words) { terms_.add_own(members_[i], words); });
            } else {
                take(kSum, inbox[i], terms_.add_sum);
            }
        }
        if (input_->tree->parent == kNoRank) {
            terms_.conclude();
        }
    } else if (!inbox.empty()) {
        take(kResult, inbox.front(), terms_.take_result);
    }
}

Message TreeSum::write(int kind, Rank peer, bool failed,
                       const std::function<void(WordWriter &)> &put) const
{
    WordWriter words;
    if (!failed) {
        put(words);
    }
    return letters_.write(kind_ + kind, peer, failed, words.words());
}

Step TreeSum::begin(bool failed)
{
    Step step;
    step.expect = members_;
    if (!leads()) {
        step.outbox.push_back(write(kOwn, leader_, failed, terms_.put_own));
    }
    if (!input_->tree) {
        stage_ = Stage::wait;
        step.expect = {leader_};
        return step;
    }
    stage_ = Stage::collect;
    const std::vector<Rank> &children = input_->tree->children;
    step.expect.insert(step.expect.end(), children.begin(), children.end());
    return step;
}

Step TreeSum::spread(bool failed)
{
    Step step;
    for (const Rank child : input_->tree->children) {
        step.outbox.push_back(write(kResult, child, failed, terms_.put_result));
    }
    for (const Rank member : members_) {
        step.outbox.push_back(write(kResult, member, failed, terms_.put_result));
    }
    stage_ = leads() ? Stage::end : Stage::wait;
    if (!leads()) {
        step.expect = {leader_};
    }
    return step;
}

std::optional<Step> TreeSum::next(bool failed)
{
    switch (stage_) {
    case Stage::begin:
        return begin(failed);
    case Stage::collect:
        if (input_->tree->parent != kNoRank) {
            stage_ = Stage::spread;
            const Rank parent = input_->tree->parent;
            return Step{{write(kSum, parent, failed, terms_.put_sum)}, {parent}, false};
        }
        return spread(failed);
    case Stage::spread:
        return spread(failed);
    case Stage::wait:
    case Stage::end:
        break;
    }
    return std::nullopt;
}

} // namespace nbrhood
