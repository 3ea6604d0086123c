// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "analysis/flow.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include "analysis/location.h"
#include "pattern/staging.h"

namespace nbrhood {
namespace {

constexpr std::uint32_t kNoMeeting = std::numeric_limits<std::uint32_t>::max();

std::string text_of(Rank rank)
{
    return "rank " + std::to_string(rank);
}

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

} // namespace

// Matches sends with receives, follows blocks through staging, and lays the messages out.
class Flow::Linker {
public:
    Linker(const std::vector<Pattern> &patterns, const BlockBytes &block_bytes,
           const FlowLimits &limits, const BlockEntries &block_entries, Flow &flow)
        : patterns_(patterns), block_bytes_(block_bytes), limits_(limits),
          block_entries_(block_entries), flow_(flow)
    {
        if (patterns.size() > static_cast<std::size_t>(std::numeric_limits<Rank>::max())) {
            throw std::invalid_argument("more patterns than there can be ranks");
        }
        for (std::size_t r = 0; r < patterns.size(); ++r) {
            if (patterns[r].rank != static_cast<Rank>(r)) {
                throw std::invalid_argument("the pattern of " + text_of(patterns[r].rank)
                                            + " stands in the place of "
                                            + text_of(static_cast<Rank>(r)));
            }
        }
    }

    void run()
    {
        meet();
        find_fillers();
        measure_fillers();
        lay_out();
        link_feeds();
        count_copies();
    }

private:
    // An operation of a pattern, as an end of a message.
    struct End {
        Rank source;
        Rank destination;
        std::uint32_t operation; // among the operations of its rank
        std::uint8_t phase;
        auto channel() const { return std::make_tuple(source, destination, phase); }
        bool operator<(const End &b) const
        {
            return std::make_tuple(channel(), operation)
                   < std::make_tuple(b.channel(), b.operation);
        }
    };
    // A send and its receive; the pair becomes no message, one, or (with unpacked blocks) several.
    struct Meeting {
        Rank source;
        Rank destination;
        std::uint32_t send;
        std::uint32_t receive;
        std::uint32_t first_message;
        std::uint32_t messages;
    };
    // The source of a place in staging, or in a receive slot that is sent on: a slice of a message,
    // or a copy of a block.
    struct Filler {
        Rank rank;
        Rank holder; // the rank that holds the data, and the place there: the same part of another
                     // block
        std::uint32_t holder_block;
        std::uint32_t meeting; // kNoMeeting: a copy
        Location location;
        Space holder_space;
        Space space;
        bool adjacent = false;
        std::uint64_t bytes = kUnknown; // of the whole block
        // For staging: the offset in the payload of its message or, at home, among the blocks
        // there.
        std::uint64_t offset = 0;
        Slice from() const
        {
            return interval(holder_space, holder_block, location.first, location.last, location.of);
        }
        auto place() const { return std::tie(rank, space, location); }
        bool operator<(const Filler &b) const { return place() < b.place(); }
    };
    using Range = std::pair<std::size_t, std::size_t>; // of fillers

    const Operation &operation(Rank rank, std::uint32_t number) const
    {
        return patterns_[static_cast<std::size_t>(rank)].operations[number];
    }

    std::vector<End> list_ends(OperationKind kind) const
    {
        std::vector<End> ends;
        for (const Pattern &pattern : patterns_) {
            for (std::uint32_t i = 0; i < pattern.operations.size(); ++i) {
                const Operation &op = pattern.operations[i];
                if (op.kind != kind) {
                    continue;
                }
                if (op.peer < 0 || static_cast<std::size_t>(op.peer) >= patterns_.size()) {
                    throw std::invalid_argument(text_of(pattern.rank) + " has a message with "
                                                + text_of(op.peer) + ", which does not exist");
                }
                const bool sends = kind == OperationKind::send;
                ends.push_back(End{sends ? pattern.rank : op.peer, sends ? op.peer : pattern.rank,
                                   i, op.phase});
            }
        }
        std::sort(ends.begin(), ends.end());
        return ends;
    }

    void meet()
    {
        const std::vector<End> sends = list_ends(OperationKind::send);
        const std::vector<End> receives = list_ends(OperationKind::receive);
        for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
            const bool no_send =
                i >= sends.size()
                || (i < receives.size() && receives[i].channel() < sends[i].channel());
            if (no_send || i >= receives.size() || sends[i].channel() < receives[i].channel()) {
                const End &end = no_send ? receives[i] : sends[i];
                throw std::invalid_argument(text_of(no_send ? end.destination : end.source)
                                            + (no_send ? " waits for" : " sends")
                                            + " a message in phase " + std::to_string(end.phase)
                                            + (no_send ? ", which " : " that ")
                                            + text_of(no_send ? end.source : end.destination)
                                            + (no_send ? " does not send" : " does not receive"));
            }
            const Operation &send = operation(sends[i].source, sends[i].operation);
            const Operation &receive = operation(receives[i].destination, receives[i].operation);
            if (send.key != receive.key || blocks_of(send.slices) != blocks_of(receive.slices)
                || send.carry != receive.carry) {
                throw std::invalid_argument(
                    text_of(sends[i].source) + " and " + text_of(sends[i].destination)
                    + " disagree about a message in phase " + std::to_string(sends[i].phase));
            }
            meetings_.push_back(Meeting{sends[i].source, sends[i].destination, sends[i].operation,
                                        receives[i].operation, 0, 0});
        }
        // In the order in which the sources post them.
        std::sort(meetings_.begin(), meetings_.end(), [](const Meeting &a, const Meeting &b) {
            return std::tie(a.source, a.send) < std::tie(b.source, b.send);
        });
    }

    void find_fillers()
    {
        std::vector<char> sends_on(patterns_.size(), 0); // ranks that read receive slots
        for (const Pattern &pattern : patterns_) {
            for (const Operation &op : pattern.operations) {
                const std::size_t read = op.kind == OperationKind::send   ? op.slices.size()
                                         : op.kind == OperationKind::copy ? 1
                                                                          : 0;
                for (std::size_t i = 0; i < std::min(read, op.slices.size()); ++i) {
                    sends_on[static_cast<std::size_t>(pattern.rank)] |=
                        op.slices[i].space == Space::receive ? 1 : 0;
                }
                if (op.kind == OperationKind::copy) {
                    add_copy(pattern.rank, op);
                }
            }
        }
        for (std::uint32_t m = 0; m < meetings_.size(); ++m) {
            add_fillers(m, sends_on[static_cast<std::size_t>(meetings_[m].destination)] != 0);
        }
        std::sort(fillers_.begin(), fillers_.end());
    }

    void add_copy(Rank rank, const Operation &copy)
    {
        if (copy.slices.size() != 2) {
            throw std::invalid_argument(text_of(rank) + " has a copy of "
                                        + std::to_string(copy.slices.size()) + " slices");
        }
        const Slice &to = copy.slices[1];
        fillers_.push_back(Filler{rank, rank, copy.slices[0].block, kNoMeeting, location_of(to),
                                  copy.slices[0].space, to.space});
    }

    void add_fillers(std::uint32_t m, bool sends_on)
    {
        const Meeting &meeting = meetings_[m];
        const Operation &receive = operation(meeting.destination, meeting.receive);
        BlockWalk from(operation(meeting.source, meeting.send).slices);
        for (BlockWalk to(receive.slices); !to.ended();) {
            const Slice sent = from.next();
            const Slice place = to.next();
            if (!same_part(sent, place)) {
                throw std::invalid_argument(text_of(meeting.source) + " and "
                                            + text_of(meeting.destination)
                                            + " disagree about the parts of a block in phase "
                                            + std::to_string(receive.phase));
            }
            const bool alone = receive.carry != Carry::combined
                               && !travels_in_bytes(receive.carry, receive.phase)
                               && receive.carry != Carry::direct;
            if (place.space == Space::staging && alone) { // smaller blocks would not arrive there
                throw std::invalid_argument(
                    text_of(meeting.destination)
                    + " stages a block that only goes directly to its destination");
            }
            if (place.space == Space::staging || (sends_on && !alone)) {
                fillers_.push_back(Filler{meeting.destination, meeting.source, sent.block, m,
                                          location_of(place), sent.space, place.space});
            }
        }
    }

    // The fillers of a place that have a part of a slice in common, which must cover it.
    Range fillers_of(Rank rank, const Slice &slice) const
    {
        const Location wanted = location_of(slice);
        const Filler least{rank, 0, 0, 0, Location{slice.block, 0, 0, 1}, slice.space, slice.space};
        auto first = std::lower_bound(fillers_.begin(), fillers_.end(), least);
        const auto here = [&](std::vector<Filler>::const_iterator filler) {
            return filler != fillers_.end() && filler->rank == rank && filler->space == slice.space
                   && filler->location.block == slice.block;
        };
        while (here(first) && !overlap(first->location, wanted)) {
            ++first;
        }
        Coverage coverage(wanted);
        auto last = first;
        for (; here(last) && overlap(last->location, wanted); ++last) {
            coverage.take(last->location);
        }
        if (!coverage.complete()) {
            throw std::invalid_argument(
                text_of(rank) + " passes on block " + std::to_string(slice.block) + " of its "
                + (slice.space == Space::staging ? "staging" : "receive slots")
                + ", which nothing fills");
        }
        return {first - fillers_.begin(), last - fillers_.begin()};
    }

    // The bytes of the whole block to which a slice belongs that a rank sends or copies: found by
    // going back along its route to the rank that owns it.
    std::uint64_t block_bytes(const Rank holder, Slice slice)
    {
        Rank rank = holder;
        std::vector<std::size_t> way;
        std::uint64_t bytes = kUnknown;
        while (bytes == kUnknown) {
            if (slice.space == Space::send) {
                bytes = block_bytes_(rank, slice.block);
            } else if (way.size() > 2 * patterns_.size()) { // the walk meets each rank at most once
                throw std::invalid_argument(text_of(holder)
                                            + " passes on a block that goes round in circles");
            } else {
                way.push_back(fillers_of(rank, slice).first);
                const Filler &filler = fillers_[way.back()];
                rank = filler.holder;
                slice = filler.from();
                bytes = filler.bytes;
            }
        }
        for (const std::size_t known : way) {
            fillers_[known].bytes = bytes;
        }
        return bytes;
    }

    using Entries = std::vector<std::pair<Rank, int>>; // (owner, number)

    // Adds the entries of a block.
    void add_entries(Rank rank, Slice slice, Entries &entries) const
    {
        while (block_entries_ && slice.space != Space::send) {
            const Filler &filler = fillers_[fillers_of(rank, slice).first];
            rank = filler.holder;
            slice = filler.from();
        }
        if (block_entries_) {
            for (const int entry : block_entries_(rank, slice.block)) {
                entries.emplace_back(rank, entry);
            }
        }
    }

    void count_entries(Entries &entries)
    {
        if (block_entries_) {
            std::sort(entries.begin(), entries.end());
            const auto end = std::unique(entries.begin(), entries.end());
            flow_.distinct_entries_.push_back(static_cast<std::uint32_t>(end - entries.begin()));
        }
    }

    // The place of staging: at home, or in the messages that bring it.
    void measure_fillers()
    {
        std::vector<char> adjacent;
        std::uint64_t offset = 0;
        for (std::size_t f = 0; f < fillers_.size(); ++f) {
            Filler &filler = fillers_[f];
            const bool first_of_rank = f == 0 || fillers_[f - 1].rank != filler.rank;
            if (first_of_rank) {
                adjacent = adjacent_staging(patterns_[static_cast<std::size_t>(filler.rank)]);
                offset = 0;
            }
            filler.bytes = block_bytes(filler.holder, filler.from());
            if (filler.space != Space::staging || adjacent[filler.location.block] == 0) {
                continue;
            }
            filler.adjacent = true;
            const bool same_block = !first_of_rank && fillers_[f - 1].adjacent
                                    && fillers_[f - 1].location.block == filler.location.block;
            filler.offset = same_block ? fillers_[f - 1].offset : offset;
            offset += same_block ? 0 : packed(filler.bytes);
        }
        for (const Meeting &meeting : meetings_) {
            find_offsets(meeting);
        }
    }

    std::uint64_t packed(std::uint64_t bytes) const
    {
        return bytes <= std::min(limits_.combining, limits_.packing) ? bytes : 0;
    }

    // For staging that lies in a message.
    void find_offsets(const Meeting &meeting)
    {
        const Operation &receive = operation(meeting.destination, meeting.receive);
        BlockWalk from(operation(meeting.source, meeting.send).slices);
        std::uint64_t offset = 0;
        for (BlockWalk to(receive.slices); receive.carry == Carry::combined && !to.ended();) {
            const Slice place = to.next();
            const std::uint64_t bytes = block_bytes(meeting.source, from.next());
            if (place.space == Space::staging) {
                Filler &filler = fillers_[fillers_of(meeting.destination, place).first];
                filler.offset = filler.adjacent ? filler.offset : offset;
            }
            offset += place.size(packed(bytes));
        }
    }

    // Counts the segments of memory that a message comes from or goes to.
    class Segments {
    public:
        void add(std::uint64_t buffer, std::uint64_t begin, std::uint64_t offset,
                 std::uint64_t bytes)
        {
            const bool continues =
                count_ != 0 && buffer == buffer_ && begin == end_ && offset == offset_;
            count_ += continues ? 0 : 1;
            buffer_ = buffer;
            end_ = begin + bytes;
            offset_ = offset + bytes;
            bytes_ += bytes;
        }
        std::uint32_t count() const { return count_; }
        std::uint64_t bytes() const { return bytes_; }

    private:
        std::uint64_t buffer_ = 0, end_ = 0, offset_ = 0, bytes_ = 0;
        std::uint32_t count_ = 0;
    };

    // A block of a packed slice, or a part of it, comes from this place. Buffers are the
    // application's blocks and runs of blocks, the staging at home, and the messages in which other
    // staging lies.
    void add_segment(Segments &segments, Rank rank, const Slice &slice, bool of_run,
                     std::size_t number, std::uint64_t block, std::uint64_t offset) const
    {
        constexpr std::uint64_t kAdjacent = std::uint64_t{1} << 62;
        constexpr std::uint64_t kMessage = std::uint64_t{1} << 61;
        constexpr std::uint64_t kRun = std::uint64_t{1} << 60;
        const std::uint64_t part = slice.size(block);
        if (part == 0) {
            return;
        }
        if (slice.space == Space::staging) {
            const Filler &filler = fillers_[fillers_of(rank, slice).first];
            segments.add(filler.adjacent ? kAdjacent : kMessage + filler.meeting,
                         filler.offset + slice.begin(block), offset, part);
        } else if (of_run) { // its offsets in the message stand for offsets in the buffer
            segments.add(kRun + number, offset, offset, part);
        } else {
            segments.add(std::uint64_t{slice.block} << 2 | static_cast<unsigned>(slice.space),
                         slice.begin(block), offset, part);
        }
    }

    bool stays_in_message(Rank rank, const Slice &slice) const
    {
        return slice.space == Space::staging && !fillers_[fillers_of(rank, slice).first].adjacent;
    }

    FlowMessage &add_message(Meeting &meeting, std::uint64_t bytes, std::uint32_t blocks)
    {
        FlowMessage message;
        message.bytes = bytes;
        message.source = meeting.source;
        message.destination = meeting.destination;
        message.blocks = blocks;
        message.phase = operation(meeting.source, meeting.send).phase;
        flow_.messages_.push_back(message);
        ++meeting.messages;
        return flow_.messages_.back();
    }

    void add_messages(Meeting &meeting)
    {
        const Operation &send = operation(meeting.source, meeting.send);
        meeting.first_message = static_cast<std::uint32_t>(flow_.messages_.size());
        std::uint64_t together = 0;
        std::uint32_t blocks = 0;
        bool stays = false;
        Segments gathered;
        Segments scattered;
        std::vector<std::uint64_t> unpacked;
        Entries entries;
        std::vector<Entries> entries_unpacked; // where they are known
        const auto add_unpacked = [&](std::uint64_t bytes, const Slice &sent) {
            unpacked.push_back(bytes);
            if (block_entries_) {
                add_entries(meeting.source, sent, entries_unpacked.emplace_back());
            }
        };
        BlockWalk to(operation(meeting.destination, meeting.receive).slices);
        for (BlockWalk from(send.slices); !from.ended();) {
            const std::size_t numbers[] = {from.slice(), to.slice()};
            const bool of_runs[] = {from.in_run(), to.in_run()};
            const Slice sent = from.next();
            const Slice place = to.next();
            const std::uint64_t block = block_bytes(meeting.source, sent);
            const bool in_bytes = travels_in_bytes(send.carry, send.phase);
            if (send.carry == Carry::direct_if_large && block <= limits_.combining) {
                continue;
            }
            if (send.carry == Carry::direct_if_small
                || (send.carry == Carry::direct_if_large && !in_bytes)) {
                if ((block > limits_.combining) == (send.carry == Carry::direct_if_large)) {
                    add_unpacked(block, sent);
                }
            } else if (send.carry != Carry::combined || block <= limits_.packing) {
                if (send.carry != Carry::combined || block <= limits_.combining) {
                    add_segment(gathered, meeting.source, sent, of_runs[0], numbers[0], block,
                                together);
                    if (stays_in_message(meeting.destination, place)) {
                        stays = stays || sent.size(block) != 0;
                    } else {
                        add_segment(scattered, meeting.destination, place, of_runs[1], numbers[1],
                                    block, together);
                    }
                    together += sent.size(block);
                    ++blocks;
                    add_entries(meeting.source, sent, entries);
                }
            } else if (block <= limits_.combining) {
                add_unpacked(sent.size(block), sent);
            }
        }
        // Empty combined messages are not sent.
        if (together > 0 || send.carry == Carry::direct) {
            FlowMessage &message = add_message(meeting, together, blocks);
            count_entries(entries);
            message.gathered = gathered.count() > 1 ? gathered.count() : 0;
            if (stays || scattered.count() > 1) {
                message.scattered = scattered.count();
                message.scattered_bytes = scattered.bytes();
            }
        }
        for (std::size_t i = 0; i < unpacked.size(); ++i) {
            add_message(meeting, unpacked[i], 1);
            if (block_entries_) {
                count_entries(entries_unpacked[i]);
            }
        }
    }

    void lay_out()
    {
        flow_.first_of_.assign(patterns_.size() + 1, 0);
        std::size_t next = 0;
        for (std::size_t r = 0; r < patterns_.size(); ++r) {
            flow_.first_of_[r] = static_cast<std::uint32_t>(flow_.messages_.size());
            for (; next < meetings_.size() && meetings_[next].source == static_cast<Rank>(r);
                 ++next) {
                add_messages(meetings_[next]);
            }
            if (flow_.messages_.size() >= kNoMeeting) {
                throw std::invalid_argument("more messages than can be numbered");
            }
        }
        flow_.first_of_.back() = static_cast<std::uint32_t>(flow_.messages_.size());
    }

    // Adds the meetings that bring a slice, perhaps through a copy.
    void add_needs(Rank rank, const Slice &slice, std::vector<std::uint32_t> &needs) const
    {
        if (slice.space == Space::send) {
            return;
        }
        const Range range = fillers_of(rank, slice);
        for (std::size_t f = range.first; f < range.second; ++f) {
            if (fillers_[f].meeting == kNoMeeting) {
                add_needs(rank, fillers_[f].from(), needs);
            } else {
                needs.push_back(fillers_[f].meeting);
            }
        }
    }

    // The meetings that come before a meeting: its messages wait for theirs. Each once.
    void needs_of(const Meeting &meeting, std::vector<std::uint32_t> &needs) const
    {
        needs.clear();
        if (meeting.messages == 0) {
            return;
        }
        for (BlockWalk walk(operation(meeting.source, meeting.send).slices); !walk.ended();) {
            add_needs(meeting.source, walk.next(), needs);
        }
        std::sort(needs.begin(), needs.end());
        needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    }

    void link_feeds()
    {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> links; // (message, one that waits)
        std::vector<std::uint32_t> needs;
        for (const Meeting &meeting : meetings_) {
            needs_of(meeting, needs);
            for (std::uint32_t own = 0; own < meeting.messages; ++own) {
                FlowMessage &waiting = flow_.messages_[meeting.first_message + own];
                for (const std::uint32_t need : needs) {
                    const Meeting &before = meetings_[need];
                    waiting.waits_for += before.messages;
                    for (std::uint32_t i = 0; i < before.messages; ++i) {
                        links.emplace_back(before.first_message + i, meeting.first_message + own);
                    }
                }
            }
        }
        flow_.link(links);
    }

    void count_copies()
    {
        flow_.self_bytes_.assign(patterns_.size(), 0);
        flow_.staging_bytes_.assign(patterns_.size(), 0);
        for (const Filler &filler : fillers_) {
            if (filler.space == Space::staging && filler.bytes <= limits_.combining) {
                flow_.staging_bytes_[static_cast<std::size_t>(filler.rank)] +=
                    filler.from().size(filler.bytes);
            }
        }
        for (const Pattern &pattern : patterns_) {
            for (const Operation &op : pattern.operations) {
                if (op.kind == OperationKind::copy) {
                    count_copy(pattern.rank, op.slices[0]);
                }
            }
        }
    }

    void count_copy(Rank rank, const Slice &from)
    {
        const std::uint64_t bytes = block_bytes(rank, from);
        if (from.space == Space::send) {
            flow_.self_bytes_[static_cast<std::size_t>(rank)] += bytes;
            return;
        }
        const Filler &filler = fillers_[fillers_of(rank, from).first];
        if (bytes > 0 && bytes <= limits_.combining && filler.meeting != kNoMeeting) {
            flow_.messages_[meetings_[filler.meeting].first_message].copied_bytes += bytes;
        }
    }

    const std::vector<Pattern> &patterns_;
    const BlockBytes &block_bytes_;
    const FlowLimits &limits_;
    const BlockEntries &block_entries_;
    Flow &flow_;
    std::vector<Meeting> meetings_;
    std::vector<Filler> fillers_;
};

Flow::Flow(const std::vector<Pattern> &patterns, const BlockBytes &block_bytes,
           const FlowLimits &limits, const BlockEntries &block_entries)
{
    Linker(patterns, block_bytes, limits, block_entries, *this).run();
}

void Flow::link(std::vector<std::pair<std::uint32_t, std::uint32_t>> &links)
{
    std::sort(links.begin(), links.end());
    first_feed_.assign(messages_.size() + 1, 0);
    for (const auto &link : links) {
        ++first_feed_[link.first + 1];
        feeds_.push_back(link.second);
    }
    std::partial_sum(first_feed_.begin(), first_feed_.end(), first_feed_.begin());
}

int Flow::depth() const
{
    std::vector<std::uint32_t> missing;
    std::vector<int> depth(messages_.size(), 1);
    std::vector<std::uint32_t> open;
    for (std::uint32_t m = 0; m < messages_.size(); ++m) {
        missing.push_back(messages_[m].waits_for);
        if (missing[m] == 0) {
            open.push_back(m);
        }
    }
    int deepest = 0;
    while (!open.empty()) {
        const std::uint32_t now = open.back();
        open.pop_back();
        deepest = std::max(deepest, depth[now]);
        for (const std::uint32_t next : feeds(now)) {
            depth[next] = std::max(depth[next], depth[now] + 1);
            if (--missing[next] == 0) {
                open.push_back(next);
            }
        }
    }
    return deepest;
}

} // namespace nbrhood
