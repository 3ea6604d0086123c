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

void TreeSum::look(const std::vector<Message> &inbox)
{
    // Leaders tell their members what these may have from the tree already.
    if (stage_ != Stage::spread && (stage_ != Stage::wait || input_->tree)) {
        return;
    }
    try {
        result_ = letters_.open(kind_ + kResult, inbox.front()).copy();
    } catch (const OtherFailed &) {
        stopped_ = true;
    } catch (const std::exception &) {
        unreadable_ = true; // what most likely did not stop the others
    }
}

void TreeSum::receive(const std::vector<Message> &inbox)
{
    if (stage_ == Stage::collect) {
        for (std::size_t i = 0; i < inbox.size(); ++i) {
            const bool member = i < members_.size();
            WordReader words = letters_.open(kind_ + (member ? kOwn : kSum), inbox[i]);
            if (member) {
                terms_.add_own(members_[i], words);
            } else {
                terms_.add_sum(words);
            }
            words.expect_end();
        }
        if (is_root()) {
            terms_.conclude();
        }
    } else if (stopped_) {
        throw OtherFailed();
    } else if (unreadable_) {
        throw BadWords("a result that cannot be read");
    } else if (stage_ == Stage::spread || (stage_ == Stage::wait && !input_->tree)) {
        WordReader words(result_);
        terms_.take_result(words);
        words.expect_end();
    } else if (stage_ == Stage::wait) {
        letters_.open(kind_ + kResult, inbox.front()); // what the tree said already
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

Step TreeSum::spread()
{
    Step step;
    for (const auto *peers : {&input_->tree->children, &std::as_const(members_)}) {
        for (const Rank peer : *peers) {
            step.outbox.push_back(letters_.write(kind_ + kResult, peer, stopped_, result_));
        }
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
        if (failed) {
            stopped_ = true;
        } else {
            WordWriter words;
            terms_.put_result(words);
            result_ = words.take();
        }
        return spread();
    case Stage::spread:
        return spread();
    case Stage::wait:
    case Stage::end:
        break;
    }
    return std::nullopt;
}

} // namespace nbrhood
