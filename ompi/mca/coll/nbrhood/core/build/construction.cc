// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/construction.h"

#include <utility>

namespace nbrhood {
namespace {

// The first word of a message with sums; messages of builders begin with 0 or 1.
constexpr std::int32_t kAddedUp = 2;

} // namespace

void Construction::begin(const Survey &own, std::vector<std::int32_t> behind)
{
    survey_ = own;
    behind_ = std::move(behind);
    await(Stage::surveys, tree_.children());
    advance();
}

void Construction::advance()
{
    while (tree_.complete() && !pauses_) {
        switch (stage_) {
        case Stage::surveys:
            pass_survey();
            break;
        case Stage::survey:
            begin_building();
            break;
        case Stage::superstep:
            do_superstep();
            break;
        case Stage::sums:
            pass_sums();
            break;
        case Stage::total:
            pass_total();
            break;
        case Stage::rests:
        case Stage::ended:
            return;
        }
    }
}

void Construction::pass_survey()
{
    for (const Message &child : tree_.inbox()) {
        WordReader words(child.words);
        survey_.merge(Survey::take(words));
        const std::vector<std::int32_t> more = words.copy();
        behind_.insert(behind_.end(), more.begin(), more.end());
    }
    WordWriter words;
    survey_.put(words);
    if (tree_.is_root()) {
        words.put(neighbourhood_.rank);
        words.put_long(settings_.timestamp);
    }
    words.put_all(behind_);
    behind_ = {};
    send_up(Stage::survey, words.take());
}

void Construction::begin_building()
{
    tree_.send_down(tree_.message());
    WordReader words(tree_.message());
    Survey survey = Survey::take(words);
    topology_.named_by = words.take(0, ranks_ - 1);
    topology_.timestamp = words.take_long();
    std::optional<Participants> participants = take_survey_(survey, words);
    words.expect_end();
    if (participants) {
        creator_.begin(survey, std::move(*participants));
    } else {
        creator_.serve_none();
    }
    await(Stage::superstep, {});
}

void Construction::do_superstep()
{
    // A builder's message begins with a word that says whether the sender failed.
    for (Message &message : tree_.inbox()) {
        message.failed = message.words.front() != 0;
        message.words.erase(message.words.begin());
    }
    const std::optional<Step> step = creator_.step(tree_.inbox());
    if (step) {
        for (const Message &message : step->outbox) {
            std::vector<std::int32_t> words{message.failed ? 1 : 0};
            words.insert(words.end(), message.words.begin(), message.words.end());
            tree_.send(message.peer, std::move(words));
        }
        pauses_ = step->pauses;
        await(Stage::superstep, step->expect);
    } else if (creator_.wants_sum()) {
        await(Stage::sums, tree_.children());
    } else {
        conclude();
    }
}

// Whether all messages of the inbox are sums; otherwise waits for the next messages.
bool Construction::has_sums()
{
    bool all = true;
    for (Message &message : tree_.inbox()) {
        if (message.words.front() != kAddedUp) {
            tree_.await_next(message);
            all = false;
        }
    }
    return all;
}

void Construction::pass_sums()
{
    if (!has_sums()) {
        return;
    }
    for (Message &child : tree_.inbox()) {
        child.words.erase(child.words.begin());
    }
    std::vector<std::int32_t> words = tree_.add(creator_.to_add());
    words.insert(words.begin(), kAddedUp);
    send_up(Stage::total, std::move(words));
}

void Construction::pass_total()
{
    if (!has_sums()) {
        return;
    }
    tree_.send_down(tree_.message());
    const std::vector<std::uint64_t> sums =
        Tree::read_sums({tree_.message().begin() + 1, tree_.message().end()});
    if (sums.size() != creator_.to_add().size()) {
        throw BadMessage("not as many sums as this rank has");
    }
    creator_.added(sums);
    conclude();
}

void Construction::conclude()
{
    creator_.finish();
    stage_ = Stage::ended;
}

} // namespace nbrhood
