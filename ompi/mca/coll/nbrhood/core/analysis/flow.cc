#include "analysis/flow.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include "analysis/location.h"

namespace nbrhood {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

std::string text_of(Rank rank)
{
    return "rank " + std::to_string(rank);
}

// Bytes of a slice of a block, as rounded to whole bytes when bound.
std::uint64_t part_of(std::uint64_t bytes, const Slice &slice)
{
    return bytes * (slice.part + 1U) / slice.parts - bytes * slice.part / slice.parts;
}

} // namespace

// Finds which send meets which receive, follows blocks through staging, and lays the messages out.
class Flow::Linker {
public:
    Linker(const std::vector<Pattern> &patterns, const BlockBytes &block_bytes,
           const FlowLimits &limits, Flow &flow)
        : patterns_(patterns), block_bytes_(block_bytes), limits_(limits), flow_(flow)
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
        lay_out();
        link_feeds();
        count_copies();
    }

private:
    // An operation of a pattern, as an end of a message.
    struct End {
        Rank source;
        Rank destination;
        std::uint32_t operation; // of the rank whose end it is
        std::uint8_t phase;
        auto channel() const { return std::make_tuple(source, destination, phase); }
        bool operator<(const End &b) const
        {
            return std::make_tuple(channel(), operation)
                   < std::make_tuple(b.channel(), b.operation);
        }
    };
    // A send and its receive; it becomes none, one, or (with unpacked blocks) several messages.
    struct Meeting {
        Rank source;
        Rank destination;
        std::uint32_t send;
        std::uint32_t receive;
        std::uint32_t first_message;
        std::uint32_t messages;
    };
    // Which slice of which message fills a place in staging.
    struct Filler {
        Rank rank;
        Location location;
        std::uint32_t meeting;
        std::uint32_t slice;
        bool operator<(const Filler &b) const
        {
            return std::tie(rank, location) < std::tie(b.rank, b.location);
        }
    };

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
            if (send.key != receive.key || send.slices.size() != receive.slices.size()
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
        for (std::uint32_t m = 0; m < meetings_.size(); ++m) {
            const Operation &receive = operation(meetings_[m].destination, meetings_[m].receive);
            for (std::uint32_t s = 0; s < receive.slices.size(); ++s) {
                if (receive.slices[s].space == Space::staging) {
                    if (receive.carry
                        == Carry::direct_if_large) { // smaller blocks would not arrive there
                        throw std::invalid_argument(
                            text_of(meetings_[m].destination)
                            + " stages a block that only goes straight to its destination");
                    }
                    fillers_.push_back(
                        Filler{meetings_[m].destination, location_of(receive.slices[s]), m, s});
                }
            }
        }
        std::sort(fillers_.begin(), fillers_.end());
    }

    const Filler &filler_of(Rank rank, const Slice &slice) const
    {
        const auto found = std::lower_bound(fillers_.begin(), fillers_.end(),
                                            Filler{rank, location_of(slice), 0, 0});
        if (found == fillers_.end() || found->rank != rank
            || found->location != location_of(slice)) {
            throw std::invalid_argument(text_of(rank) + " passes on block "
                                        + std::to_string(slice.block)
                                        + " of its staging, which nothing fills");
        }
        return *found;
    }

    // Bytes of a slice that a rank sends or copies: back along its way to the rank that has it.
    std::uint64_t bytes_of(const Rank sender, Slice slice) const
    {
        Rank rank = sender;
        // A block meets each rank once at most.
        for (std::size_t step = 0; step <= patterns_.size(); ++step) {
            if (slice.space == Space::send) {
                return part_of(block_bytes_(rank, slice.block), slice);
            }
            if (slice.space == Space::receive) {
                throw std::invalid_argument(text_of(rank) + " sends from its receive buffer");
            }
            const Filler &filler = filler_of(rank, slice);
            rank = meetings_[filler.meeting].source;
            slice = operation(rank, meetings_[filler.meeting].send).slices[filler.slice];
        }
        throw std::invalid_argument(text_of(sender)
                                    + " passes on a block that goes round in circles");
    }

    void add_message(Meeting &meeting, std::uint64_t bytes, std::uint32_t blocks, bool packed)
    {
        FlowMessage message;
        message.bytes = bytes;
        message.source = meeting.source;
        message.destination = meeting.destination;
        message.blocks = blocks;
        message.phase = operation(meeting.source, meeting.send).phase;
        message.packed = packed;
        flow_.messages_.push_back(message);
        ++meeting.messages;
    }

    void add_messages(Meeting &meeting)
    {
        const Operation &send = operation(meeting.source, meeting.send);
        meeting.first_message = static_cast<std::uint32_t>(flow_.messages_.size());
        std::uint64_t together = 0;
        std::uint32_t blocks = 0;
        std::vector<std::uint64_t> unpacked;
        for (const Slice &slice : send.slices) {
            const std::uint64_t bytes = bytes_of(meeting.source, slice);
            if (send.carry == Carry::direct
                || (send.carry == Carry::direct_if_large && bytes > limits_.combining)) {
                add_message(meeting, bytes, 1, false);
            } else if (send.carry == Carry::combined && bytes <= limits_.combining) {
                if (bytes > limits_.packing) {
                    unpacked.push_back(bytes);
                } else {
                    together += bytes;
                    ++blocks;
                }
            }
        }
        if (together > 0) { // empty ones are not sent
            add_message(meeting, together, blocks, blocks > 1);
        }
        for (const std::uint64_t bytes : unpacked) {
            add_message(meeting, bytes, 1, false);
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
            if (flow_.messages_.size() >= kNone) {
                throw std::invalid_argument("more messages than can be numbered");
            }
        }
        flow_.first_of_.back() = static_cast<std::uint32_t>(flow_.messages_.size());
    }

    // The meetings whose messages a meeting's messages wait for, each once.
    void needs_of(const Meeting &meeting, std::vector<std::uint32_t> &needs) const
    {
        needs.clear();
        if (meeting.messages == 0) {
            return;
        }
        for (const Slice &slice : operation(meeting.source, meeting.send).slices) {
            if (slice.space == Space::staging) {
                needs.push_back(filler_of(meeting.source, slice).meeting);
            }
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
        std::sort(links.begin(), links.end());
        flow_.first_feed_.assign(flow_.messages_.size() + 1, 0);
        for (const auto &link : links) {
            ++flow_.first_feed_[link.first + 1];
            flow_.feeds_.push_back(link.second);
        }
        std::partial_sum(flow_.first_feed_.begin(), flow_.first_feed_.end(),
                         flow_.first_feed_.begin());
    }

    void count_copies()
    {
        flow_.self_bytes_.assign(patterns_.size(), 0);
        flow_.staging_bytes_.assign(patterns_.size(), 0);
        for (const Filler &filler : fillers_) {
            const Meeting &meeting = meetings_[filler.meeting];
            const std::uint64_t bytes = bytes_of(
                meeting.source, operation(meeting.source, meeting.send).slices[filler.slice]);
            if (bytes <= limits_.combining) {
                flow_.staging_bytes_[static_cast<std::size_t>(filler.rank)] += bytes;
            }
        }
        for (const Pattern &pattern : patterns_) {
            for (const Operation &op : pattern.operations) {
                if (op.kind == OperationKind::copy) {
                    if (op.slices.size() != 2) {
                        throw std::invalid_argument(text_of(pattern.rank) + " has a copy of "
                                                    + std::to_string(op.slices.size()) + " slices");
                    }
                    count_copy(pattern.rank, op.slices[0]);
                }
            }
        }
    }

    void count_copy(Rank rank, const Slice &from)
    {
        const std::uint64_t bytes = bytes_of(rank, from);
        if (from.space == Space::send) {
            flow_.self_bytes_[static_cast<std::size_t>(rank)] += bytes;
        } else if (bytes > 0 && bytes <= limits_.combining) {
            const Meeting &meeting = meetings_[filler_of(rank, from).meeting];
            flow_.messages_[meeting.first_message].copied_bytes += bytes;
        }
    }

    const std::vector<Pattern> &patterns_;
    const BlockBytes &block_bytes_;
    const FlowLimits &limits_;
    Flow &flow_;
    std::vector<Meeting> meetings_;
    std::vector<Filler> fillers_;
};

Flow::Flow(const std::vector<Pattern> &patterns, const BlockBytes &block_bytes,
           const FlowLimits &limits)
{
    Linker(patterns, block_bytes, limits, *this).run();
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
