// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/toolkit/tree_exchange.h"

#include <algorithm>
#include <map>

namespace nbrhood {
namespace {

// The messages, counted from the kind that the builder gives.
enum : int {
    kOwn, // of a member, to its leader
    kUp,  // to the parent; if that is the leader, after the member's own words
    kDown // to children
};

} // namespace

TreeExchange::TreeExchange(const BuildInput &input, TreePlace place, int kind, Terms terms)
    : known_ranks_(input.known_ranks), place_(std::move(place)), kind_(kind),
      terms_(std::move(terms)), self_(input.neighbourhood->rank), messages_(self_),
      down_(place_.children.size())
{
    if (terms_.put_own && leads(self_)) {
        const std::vector<Rank> &children = place_.children;
        for (const Rank member : known_ranks_->members(self_)) {
            if (member != self_
                && std::find(children.begin(), children.end(), member) == children.end()) {
                members_.push_back(member);
            }
        }
    }
}

// Children of other regions may be unknown to this rank.
bool TreeExchange::leads(Rank rank) const
{
    return known_ranks_->knows(rank) && known_ranks_->region_of(rank) == self_;
}

void TreeExchange::look(const std::vector<Message> &inbox)
{
    if (stage_ != Stage::down) {
        return;
    }
    try {
        WordReader words = messages_.open(kind_ + kDown, inbox.front());
        terms_.take_down(words);
        words.expect_end();
        write_down();
    } catch (const OtherFailed &) {
        stopped_ = true;
    } catch (const std::exception &) {
        unreadable_ = true; // most likely the other ranks went on
    }
}

void TreeExchange::receive(const std::vector<Message> &inbox)
{
    switch (stage_) {
    case Stage::begin:
        if (terms_.put_own) {
            terms_.put_own(own_);
        }
        break;
    case Stage::up:
        take_up(inbox);
        if (is_root()) {
            conclude();
        } else {
            if (terms_.put_own && leader() == place_.parent) {
                up_.put_group(own_.words());
            }
            terms_.put_up(up_);
        }
        break;
    case Stage::conclude:
        conclude();
        break;
    case Stage::down:
        if (stopped_) {
            throw OtherFailed();
        }
        if (unreadable_) {
            throw BadMessage("what came down cannot be read");
        }
        break;
    case Stage::end:
        break;
    }
}

void TreeExchange::take_up(const std::vector<Message> &inbox)
{
    std::map<Rank, WordReader> own; // by member
    std::vector<WordReader> children;
    for (std::size_t i = 0; i < inbox.size(); ++i) {
        const bool is_child = i >= members_.size();
        const Rank peer = is_child ? place_.children[i - members_.size()] : members_[i];
        WordReader words = messages_.open(kind_ + (is_child ? kUp : kOwn), inbox[i]);
        if (!is_child || (terms_.put_own && leads(peer))) {
            own.emplace(peer, is_child ? words.take_group() : words);
        }
        if (is_child) {
            children.push_back(words);
        }
    }
    if (terms_.put_own && leads(self_)) {
        own.emplace(self_, own_.words());
    }
    for (auto &[member, words] : own) {
        terms_.add_own(member, words);
        words.expect_end();
    }
    for (std::size_t child = 0; child < children.size(); ++child) {
        terms_.add_up(place_.children[child], children[child]);
        children[child].expect_end();
    }
}

void TreeExchange::conclude()
{
    concluded_ = terms_.conclude();
    if (concluded_) {
        write_down();
    }
}

void TreeExchange::write_down()
{
    for (std::size_t child = 0; child < down_.size(); ++child) {
        terms_.put_down(place_.children[child], down_[child]);
    }
}

std::optional<Step> TreeExchange::next(bool failed)
{
    Step step;
    switch (stage_) {
    case Stage::begin:
        if (terms_.put_own && leader() != self_ && leader() != place_.parent) {
            step.outbox.push_back(messages_.write(kind_ + kOwn, leader(), failed, own_.words()));
        }
        step.expect = members_;
        step.expect.insert(step.expect.end(), place_.children.begin(), place_.children.end());
        stage_ = Stage::up;
        return step;
    case Stage::up:
    case Stage::conclude:
        stopped_ = failed; // all ranks will be stopped
        own_ = {};         // words already sent are dropped
        if (!is_root()) {
            step.outbox = {messages_.write(kind_ + kUp, place_.parent, failed, up_.words())};
            step.expect = {place_.parent};
            up_ = {};
            stage_ = Stage::down;
            return step;
        }
        if (!failed && !concluded_) {
            stage_ = Stage::conclude;
            step.pauses = true;
            return step;
        }
        break;
    case Stage::down:
        break;
    case Stage::end:
        return std::nullopt;
    }
    stage_ = Stage::end;
    for (std::size_t child = 0; child < down_.size(); ++child) {
        step.outbox.push_back(
            messages_.write(kind_ + kDown, place_.children[child], stopped_, down_[child].words()));
    }
    down_ = {};
    return step;
}

} // namespace nbrhood
