#include "engine/echo.h"

#include <utility>

#include "graph/neighbourhood.h"
#include "pattern/words.h"

namespace nbrhood {
namespace {

enum WaveWord : std::int32_t { kWave = 1, kAnswer, kGoOn, kNoGain };

bool is_before(Rank a, Rank b)
{
    const auto key = [](Rank rank) {
        return std::pair(mix(static_cast<std::uint64_t>(rank)), rank);
    };
    return key(a) < key(b);
}

} // namespace

Echo::Echo(Rank rank, std::vector<Rank> neighbours, Post &post)
    : rank_(rank), neighbours_(std::move(neighbours)), post_(post), root_(rank)
{}

void Echo::begin(bool leaves_region)
{
    leaves_region_ = found_leaving_ = leaves_region;
    open_ = neighbours_.size();
    for (const Rank peer : neighbours_) {
        post_.expect(peer, Channel::wave);
    }
    for (const Rank peer : neighbours_) {
        send_wave(peer, false);
    }
}

void Echo::send_wave(Rank peer, bool answer)
{
    post_.send(peer, Channel::wave, {answer ? kAnswer : kWave, root_, found_leaving_ ? 1 : 0});
}

void Echo::hear(Rank peer, const std::vector<std::int32_t> &words)
{
    WordReader reader(words);
    const std::int32_t kind = reader.take(kWave, kNoGain);
    if (kind == kGoOn || kind == kNoGain) { // the last message of this neighbour
        --open_;
        conclude(kind == kGoOn);
        return;
    }
    post_.expect(peer, Channel::wave);
    const Rank root = reader.take();
    if (verdict_ || is_before(root_, root)) {
        return; // overtaken by another wave
    }
    if (root != root_) {
        follow(root, peer);
    } else if (kind == kAnswer) {
        children_.push_back(peer);
        found_leaving_ = reader.take_flag() || found_leaving_;
    }
    if (++heard_ == neighbours_.size()) {
        if (root_ != rank_) {
            send_wave(parent_, true);
        } else {
            conclude(found_leaving_);
        }
    }
}

void Echo::follow(Rank root, Rank peer)
{
    root_ = root;
    parent_ = peer;
    children_.clear();
    heard_ = 0;
    found_leaving_ = leaves_region_;
    for (const Rank other : neighbours_) {
        if (other != peer) {
            send_wave(other, false);
        }
    }
}

// The verdict goes over every edge, so that each rank knows when a neighbour sends no more waves.
void Echo::conclude(bool go_on)
{
    if (verdict_) {
        return;
    }
    verdict_ = go_on;
    for (const Rank peer : neighbours_) {
        post_.send(peer, Channel::wave, {go_on ? kGoOn : kNoGain});
    }
}

} // namespace nbrhood
