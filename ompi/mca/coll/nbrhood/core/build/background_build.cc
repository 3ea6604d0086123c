// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "build/background_build.h"

#include <utility>

namespace nbrhood {

BackgroundBuild::BackgroundBuild(const Neighbourhood &neighbourhood, Collective collective,
                                 BackgroundHost &host, Switch &of)
    : neighbourhood_(neighbourhood), collective_(collective), host_(host), switch_(of),
      locality_([&host](Rank peer) { return host.locality(peer); }),
      propose_([&host, &of] { return of.propose_switch_point(host.inits()); }), tree_(host)
{}

void BackgroundBuild::build(const SentBlocks &sent, Earlier earlier, bool declared)
{
    BackgroundHost::Facts facts = host_.facts();
    place_ = facts.own.place;
    ranks_ = facts.own.ranks;
    settings_ = std::move(facts.settings);
    settings_.choice.fill(kDefault); // only one collective is decided
    settings_.choice[static_cast<std::size_t>(collective_)] = kAuto;
    earlier_ = earlier;
    facts.own.blocks = static_cast<std::int64_t>(sent.blocks);
    facts.own.bytes = static_cast<std::int64_t>(sent.bytes);
    facts.own.earlier = earlier;
    facts.own.declared = declared;
    trial_.reset();
    watch_.reset();
    build_ = std::make_unique<ComponentBuild>(neighbourhood_, std::move(facts.own), collective_,
                                              settings_, locality_, host_, propose_);
    stage_ = Stage::builds;
    build_->begin();
}

void BackgroundBuild::compare(const Measured &own)
{
    if (!trial_) {
        trial_.emplace(tree_, propose_);
    }
    stage_ = Stage::compares;
    trial_->begin(own);
}

void BackgroundBuild::ask(const SentBlocks &sent)
{
    trial_.reset();
    if (!watch_) {
        watch_.emplace(tree_, decided_);
    }
    stage_ = Stage::asks;
    watch_->begin(sent);
}

void BackgroundBuild::arrived(Rank peer, Channel channel, std::vector<std::int32_t> words)
{
    switch (stage_) {
    case Stage::builds:
        build_->arrived(peer, channel, std::move(words));
        break;
    case Stage::compares:
        trial_->arrived(peer, std::move(words));
        break;
    case Stage::asks:
        watch_->arrived(peer, std::move(words));
        break;
    case Stage::rests:
        throw BadMessage("a message that nobody expects");
    }
    look();
}

void BackgroundBuild::take_turn()
{
    build_->take_turn();
    look();
}

// Told the end of an activity, the switch may begin the next one.
void BackgroundBuild::look()
{
    if (stage_ == Stage::builds && build_->ended()) {
        end_build();
    } else if (stage_ == Stage::compares && !trial_->runs()) {
        end_comparison();
    } else if (stage_ == Stage::asks && !watch_->runs()) {
        stage_ = Stage::rests;
        const bool changed = watch_->changed();
        if (changed) {
            host_.changed();
        }
        switch_.answered(changed);
    }
}

void BackgroundBuild::end_build()
{
    const std::unique_ptr<ComponentBuild> ended = std::move(build_);
    stage_ = Stage::rests;
    tree_ = ended->tree();
    const Facts &facts = ended->topology().facts;
    decided_ = {static_cast<std::uint64_t>(facts.call_blocks),
                static_cast<std::uint64_t>(facts.call_bytes)};
    std::optional<CallCounts> first = ended->first_served();
    if (first && earlier_ == Earlier::decided) { // persistent requests keep their algorithm
        first = switch_.first_served();
        first->calls = ended->first_served()->calls;
    }
    host_.built(std::move(ended->topology()), first, ended->leads());
    switch_.built({ended->first_served(), ended->first_direct(), ended->may_gain_later()});
}

void BackgroundBuild::end_comparison()
{
    stage_ = Stage::rests;
    const TrialResult result = trial_->result();
    const CallCounts point = *trial_->switch_point();
    if (result.decided) {
        host_.decided(result);
    }
    switch_.compared(result, point);
}

} // namespace nbrhood
