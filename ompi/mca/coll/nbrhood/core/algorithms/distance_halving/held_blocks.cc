// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "algorithms/distance_halving/held_blocks.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "algorithms/direct.h"

namespace nbrhood {
namespace {

// Copying a block into a message and out of it takes as long as sending this many bytes: some 30 ns
// against 10 GB/s.
constexpr double kBytesPerCopy = 150;

} // namespace

HeldBlocks::HeldBlocks(const Neighbourhood &neighbourhood, Rank ranks, PassOn pass_on,
                       double block_bytes)
    : neighbourhood_(&neighbourhood), ranks_(ranks), pass_on_(pass_on), block_bytes_(block_bytes)
{
    std::set<Rank> owed;
    for (const EdgeEnd &end : neighbourhood.out) {
        if (end.peer != kNoRank && end.peer != neighbourhood.rank) {
            owed.insert(end.peer);
        }
    }
    held_.push_back({neighbourhood.rank, kNoRank, false, {owed.begin(), owed.end()}});
}

// The places to send, if the marked ones are needed: these, or all from the first to the last of
// them, which are contiguous and need no copies. The pattern serves blocks of all sizes up to T,
// not only the expected size, and large unneeded blocks are expensive. So at most as many unneeded
// blocks as needed ones are sent.
std::vector<std::size_t> HeldBlocks::select(const std::vector<char> &needed,
                                            double bytes_per_copies) const
{
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < needed.size(); ++place) {
        if (needed[place] != 0) {
            places.push_back(place);
        }
    }
    if (pass_on_ != PassOn::cheaper || places.size() < 2) {
        return places;
    }
    const std::size_t span = places.back() - places.front() + 1;
    const auto more = static_cast<double>(span - places.size());
    const auto copied = static_cast<double>(places.size());
    if (more <= copied && more * block_bytes_ <= copied * bytes_per_copies) {
        const std::size_t first = places.front();
        places.resize(span);
        std::iota(places.begin(), places.end(), first);
    }
    return places;
}

std::vector<std::int32_t> HeldBlocks::hand_over(Rank agent,
                                                const std::function<bool(Rank)> &in_half)
{
    std::vector<std::vector<Rank>> owed(held_.size());
    std::vector<char> needed(held_.size(), 0);
    bool any = false;
    for (std::size_t place = 0; place < held_.size(); ++place) {
        std::vector<Rank> &mine = held_[place].owed;
        const auto theirs = std::stable_partition(mine.begin(), mine.end(),
                                                  [&](Rank rank) { return !in_half(rank); });
        owed[place].assign(theirs, mine.end());
        mine.erase(theirs, mine.end());
        needed[place] = owed[place].empty() ? 0 : 1;
        any = any || needed[place] != 0;
    }
    if (!any) {
        return {};
    }
    if (pass_on_ == PassOn::all) {
        needed.assign(held_.size(), 1);
    }
    to_agents_.push_back({agent, select(needed, 2 * kBytesPerCopy)});
    WordWriter words;
    for (const std::size_t place : to_agents_.back().places) {
        words.put(held_[place].block);
        words.put_group(owed[place]);
    }
    return words.take();
}

void HeldBlocks::take_over(Rank origin, WordReader words)
{
    const Rank self = neighbourhood_->rank;
    while (words.left() != 0) {
        Held taken{words.take(0, ranks_ - 1), origin, false, {}};
        if (taken.block == self) {
            throw BadMessage("a rank's own block from another rank");
        }
        WordReader owed = words.take_group();
        while (owed.left() != 0) {
            const Rank rank = owed.take(0, ranks_ - 1);
            if (rank == self) {
                taken.wanted = true;
            } else {
                taken.owed.push_back(rank);
            }
        }
        held_.push_back(std::move(taken));
    }
}

bool HeldBlocks::goes_alone(const Outgoing &message) const
{
    return message.places.size() == 1 && message.places.front() == 0;
}

bool HeldBlocks::goes_alone(const Arrival &arrival)
{
    return arrival.blocks.size() == 1 && arrival.blocks.front().first == arrival.from;
}

std::map<Rank, std::vector<std::int32_t>> HeldBlocks::final_messages()
{
    std::map<Rank, std::vector<char>> needed;
    for (std::size_t place = 0; place < held_.size(); ++place) {
        for (const Rank rank : held_[place].owed) {
            std::vector<char> &places = needed[rank];
            places.resize(held_.size(), 0);
            places[place] = 1;
        }
    }
    std::map<Rank, std::vector<std::int32_t>> told;
    for (const auto &[rank, places] : needed) {
        final_.push_back({rank, select(places, kBytesPerCopy)});
        for (const std::size_t place : final_.back().places) {
            told[rank].push_back(held_[place].block);
            told[rank].push_back(places[place]);
        }
    }
    return told;
}

void HeldBlocks::note(Rank from, WordReader words)
{
    Arrival arrival{from, {}};
    while (words.left() != 0) {
        const Rank block = words.take(0, ranks_ - 1);
        arrival.blocks.emplace_back(block, words.take_flag());
    }
    arrivals_.push_back(std::move(arrival));
}

// Writes one rank's operations.
class HeldBlocks::Writer {
public:
    Writer(const HeldBlocks &blocks, Pattern &pattern)
        : blocks_(blocks), own_(*blocks.neighbourhood_), pattern_(pattern)
    {
        for (std::uint32_t slot = 0; slot < own_.in.size(); ++slot) {
            if (own_.in[slot].peer != kNoRank && own_.in[slot].peer != own_.rank) {
                slots_[own_.in[slot].peer].push_back(slot);
            }
        }
    }

    void write()
    {
        give_places();
        receive_from_origins();
        std::set<Rank> alone_in;
        for (const Arrival &arrival : blocks_.arrivals_) {
            if (goes_alone(arrival)) {
                take_slots(arrival.from);
                alone_in.insert(arrival.from);
            } else {
                receive_at_end(arrival);
            }
        }
        if (!slots_.empty()) {
            throw BadMessage("a block that nobody sends");
        }
        std::set<Rank> alone_out;
        for (const Outgoing &message : blocks_.to_agents_) {
            send(message, kInter);
        }
        for (const Outgoing &message : blocks_.final_) {
            if (blocks_.goes_alone(message)) {
                alone_out.insert(message.to);
            } else {
                send(message, kRedistribute);
            }
        }
        write_edges({own_.rank, own_.in, {}}, alone_in);
        write_edges({own_.rank, {}, own_.out}, alone_out);
        append_self_copies(own_, pattern_);
    }

private:
    static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

    static bool is_span(const Outgoing &message)
    {
        return message.places.size() > 1
               && message.places.back() - message.places.front() + 1 == message.places.size();
    }

    // Blocks that come in one message lie in staging, in order, if any of them is sent on. The
    // rank's own block lies before them if it is sent together with others that need no copy.
    void give_places()
    {
        const std::vector<Held> &held = blocks_.held_;
        std::vector<char> sent(held.size(), 0);
        for (const auto *messages : {&blocks_.to_agents_, &blocks_.final_}) {
            for (const Outgoing &message : *messages) {
                for (const std::size_t place : message.places) {
                    sent[place] = place > 0 || is_span(message) || sent[place] != 0 ? 1 : 0;
                }
            }
        }
        staging_.assign(held.size(), kNowhere);
        for (std::size_t first = 0; first < held.size();) {
            const std::size_t last = end_of_message(first);
            const bool staged = std::find(sent.begin() + static_cast<std::ptrdiff_t>(first),
                                          sent.begin() + static_cast<std::ptrdiff_t>(last), 1)
                                != sent.begin() + static_cast<std::ptrdiff_t>(last);
            for (; first < last; ++first) {
                staging_[first] = staged ? pattern_.staging_blocks++ : kNowhere;
            }
        }
        if (staging_[0] != kNowhere) {
            copy({Space::send, 0}, {Space::staging, staging_[0]});
        }
    }

    // The end of the blocks that come in the same message as this one.
    std::size_t end_of_message(std::size_t first) const
    {
        const std::vector<Held> &held = blocks_.held_;
        std::size_t last = first + 1;
        while (last < held.size() && held[last].from == held[first].from) {
            ++last;
        }
        return last;
    }

    // The slots for which a block is meant, which no other message may fill.
    std::vector<std::uint32_t> take_slots(Rank block)
    {
        const auto found = slots_.find(block);
        if (found == slots_.end()) {
            throw BadMessage("a block that this rank does not want, or twice");
        }
        std::vector<std::uint32_t> slots = std::move(found->second);
        slots_.erase(found);
        return slots;
    }

    void copy(const Slice &from, const Slice &to)
    {
        pattern_.operations.push_back(
            Operation{OperationKind::copy, Carry::direct, kLocal, own_.rank, 0, {from, to}});
    }

    // Adds the place for a received block that is not sent on: its first slot, from which it is
    // copied to the others. Consecutive blocks that this rank does not want become one run.
    void add_place(Rank block, bool wanted, std::vector<Slice> &slices)
    {
        if (!wanted) {
            if (!slices.empty() && slices.back().space == Space::staging) {
                ++slices.back().count;
            } else {
                slices.push_back({Space::staging, pattern_.staging_blocks});
            }
            ++pattern_.staging_blocks;
            return;
        }
        const std::vector<std::uint32_t> slots = take_slots(block);
        for (std::size_t i = 1; i < slots.size(); ++i) {
            copy({Space::receive, slots[0]}, {Space::receive, slots[i]});
        }
        slices.push_back({Space::receive, slots[0]});
    }

    void receive(Rank from, std::uint8_t phase, std::vector<Slice> slices)
    {
        pattern_.operations.push_back(
            Operation{OperationKind::receive, Carry::combined, phase, from, 0, std::move(slices)});
    }

    void receive_from_origins()
    {
        const std::vector<Held> &held = blocks_.held_;
        for (std::size_t first = 1; first < held.size();) {
            const std::size_t last = end_of_message(first);
            std::vector<Slice> slices;
            if (staging_[first] != kNowhere) {
                slices.push_back(
                    run(Space::staging, staging_[first], static_cast<std::uint32_t>(last - first)));
            }
            for (std::size_t place = first; place < last; ++place) {
                if (staging_[first] == kNowhere) {
                    add_place(held[place].block, held[place].wanted, slices);
                } else if (held[place].wanted) {
                    for (const std::uint32_t slot : take_slots(held[place].block)) {
                        copy({Space::staging, staging_[place]}, {Space::receive, slot});
                    }
                }
            }
            receive(held[first].from, kInter, std::move(slices));
            first = last;
        }
    }

    void receive_at_end(const Arrival &arrival)
    {
        std::vector<Slice> slices;
        for (const auto &[block, wanted] : arrival.blocks) {
            add_place(block, wanted, slices);
        }
        receive(arrival.from, kRedistribute, std::move(slices));
    }

    void send(const Outgoing &message, std::uint8_t phase)
    {
        std::vector<Slice> slices;
        if (is_span(message)) {
            slices.push_back(run(Space::staging, staging_[message.places.front()],
                                 static_cast<std::uint32_t>(message.places.size())));
        } else {
            for (const std::size_t place : message.places) {
                slices.push_back(place == 0 ? Slice{Space::send, 0}
                                            : Slice{Space::staging, staging_[place]});
            }
        }
        pattern_.operations.push_back(Operation{OperationKind::send, Carry::combined, phase,
                                                message.to, 0, std::move(slices)});
    }

    void write_edges(const Neighbourhood &edges, const std::set<Rank> &alone)
    {
        const auto direct = [&](Rank peer) { return alone.count(peer) != 0; };
        append_edges(edges, Carry::direct, kLocal, direct, pattern_);
        append_edges(
            edges, Carry::direct_if_large, kLarge, [&](Rank peer) { return !direct(peer); },
            pattern_);
    }

    const HeldBlocks &blocks_;
    const Neighbourhood &own_;
    Pattern &pattern_;
    std::map<Rank, std::vector<std::uint32_t>> slots_; // not yet filled, by source
    std::vector<std::uint32_t> staging_;               // by place in held_
};

void HeldBlocks::write(Pattern &pattern) const
{
    Writer(*this, pattern).write();
}

} // namespace nbrhood
