// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "random_patterns.h"

#include <algorithm>
#include <array>
#include <map>

namespace nbrhood::test {
namespace {

constexpr std::uint8_t kLastPhase = 6; // for the parts that are missing in the end
constexpr int kFreePhases = 3;         // 1 to 3, for one message each of an ordered pair

// One block of a rank's send buffer, and the places of its parts.
struct Block {
    Rank source = kNoRank;
    std::uint32_t number = 0;
    bool direct = false;
    std::uint16_t of = 1;                              // parts in which it travels
    std::vector<std::pair<Rank, std::uint32_t>> slots; // destinations, with their slots
};

// The place where a rank assembles a block: a slot or a place in staging.
struct Place {
    Space space = Space::staging;
    std::uint32_t block = 0;
    std::vector<char> parts; // parts that have arrived
};

class Generator {
public:
    Generator(Random &random, const Graph &graph, BlockKind kind, const PatternStyle &style)
        : random_(random), graph_(graph), style_(style), patterns_(graph.size())
    {
        for (std::size_t r = 0; r < graph.size(); ++r) {
            patterns_[r].rank = static_cast<Rank>(r);
            patterns_[r].kind = kind;
            if (graph[r].has_edges()) {
                ranks_.push_back(static_cast<Rank>(r));
            }
        }
        collect(kind);
    }

    std::vector<Pattern> run()
    {
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            begin(b);
        }
        const int messages = style_.messages * static_cast<int>(ranks_.size());
        for (int m = 0; m < messages && ranks_.size() > 1; ++m) {
            const Rank from = pick(ranks_);
            const Rank to = pick(ranks_);
            const auto sent = sent_.find({from, to});
            if (from != to && (sent == sent_.end() || sent->second < kFreePhases)) {
                send_some(from, to);
            }
        }
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            complete(b);
        }
        for (auto &[pair, operations] : missing_) {
            for (std::size_t direct = 0; direct < 2; ++direct) {
                if (!operations[direct].empty()) {
                    add_message(pair.first, pair.second,
                                static_cast<std::uint8_t>(kLastPhase - direct), direct != 0,
                                operations[direct]);
                }
            }
        }
        for (Operation &copy : copies_) {
            const auto rank = static_cast<std::size_t>(copy.peer);
            patterns_[rank].operations.push_back(copy);
        }
        return std::move(patterns_);
    }

private:
    // Parts [first, last) of a block, which a message carries.
    struct Part {
        std::size_t block;
        std::uint16_t first;
        std::uint16_t last;
    };

    void add_part(std::vector<Part> &parts, std::size_t block, std::uint16_t part)
    {
        if (!parts.empty() && parts.back().block == block && parts.back().last == part
            && chance(random_, style_.runs)) {
            ++parts.back().last;
        } else {
            parts.push_back(Part{block, part, static_cast<std::uint16_t>(part + 1)});
        }
    }

    Rank pick(const std::vector<Rank> &ranks)
    {
        return ranks[static_cast<std::size_t>(
            draw(random_, 0, static_cast<int>(ranks.size()) - 1))];
    }

    void collect(BlockKind kind)
    {
        std::map<std::pair<Rank, std::uint32_t>, std::size_t> known;
        for (const Neighbourhood &own : graph_) {
            for (std::uint32_t slot = 0; slot < own.in.size(); ++slot) {
                const EdgeEnd &end = own.in[slot];
                if (end.peer == kNoRank) {
                    continue;
                }
                const auto &out = graph_[static_cast<std::size_t>(end.peer)].out;
                std::uint32_t number = 0;
                while (kind == BlockKind::one_per_edge
                       && (out[number].peer != own.rank || out[number].key != end.key)) {
                    ++number;
                }
                const auto found = known.emplace(std::pair(end.peer, number), blocks_.size());
                if (found.second) {
                    Block block;
                    block.source = end.peer;
                    block.number = number;
                    block.direct = chance(random_, style_.direct);
                    if (chance(random_, style_.cut)) {
                        block.of = static_cast<std::uint16_t>(draw(random_, 2, 5));
                    }
                    blocks_.push_back(block);
                }
                blocks_[found.first->second].slots.emplace_back(own.rank, slot);
            }
        }
    }

    // Data that is in place before anything is sent: self edges, and copies to staging.
    void begin(std::size_t b)
    {
        const Block &block = blocks_[b];
        const Slice own{Space::send, block.number};
        if (!block.direct && chance(random_, 0.3)) {
            auto &pattern = patterns_[static_cast<std::size_t>(block.source)];
            const Slice staged{Space::staging, pattern.staging_blocks++};
            copies_.push_back(copy_on(block.source, own, staged));
            places_[{b, block.source}] =
                Place{Space::staging, staged.block, std::vector<char>(block.of, 1)};
        }
        for (const auto &[rank, slot] : block.slots) {
            if (rank == block.source) {
                copies_.push_back(copy_on(rank, own, Slice{Space::receive, slot}));
                places_.emplace(std::pair(b, rank),
                                Place{Space::receive, slot, std::vector<char>(block.of, 1)});
            }
        }
    }

    static Operation copy_on(Rank rank, const Slice &from, const Slice &to)
    {
        return Operation{OperationKind::copy, Carry::direct, kLocal, rank, 0, {from, to}};
    }

    // The first slot for which a rank wants a block.
    const std::uint32_t *slot_of(const Block &block, Rank rank) const
    {
        for (const auto &[destination, slot] : block.slots) {
            if (destination == rank) {
                return &slot;
            }
        }
        return nullptr;
    }

    bool holds(std::size_t b, Rank rank, std::uint16_t part) const
    {
        const auto place = places_.find({b, rank});
        return blocks_[b].source == rank
               || (place != places_.end() && place->second.parts[part] != 0);
    }

    // The place into which a rank receives a part: its slot, or staging.
    Place &place_of(std::size_t b, Rank rank)
    {
        const auto found = places_.find({b, rank});
        if (found != places_.end()) {
            return found->second;
        }
        const Block &block = blocks_[b];
        Place place{Space::staging, 0, std::vector<char>(block.of, 0)};
        const std::uint32_t *slot = slot_of(block, rank);
        if (slot != nullptr && (block.direct || chance(random_, 0.6))) {
            place.space = Space::receive;
            place.block = *slot;
        } else {
            place.block = patterns_[static_cast<std::size_t>(rank)].staging_blocks++;
        }
        return places_[{b, rank}] = place;
    }

    void send_some(Rank from, Rank to)
    {
        const bool direct = chance(random_, style_.direct);
        std::vector<Part> parts;
        const int wanted = draw(random_, 1, 8);
        for (int tries = 0; tries < 40 && static_cast<int>(parts.size()) < wanted; ++tries) {
            const auto b =
                static_cast<std::size_t>(draw(random_, 0, static_cast<int>(blocks_.size()) - 1));
            if (blocks_[b].direct != direct || blocks_[b].source == to
                || (direct && slot_of(blocks_[b], to) == nullptr)) {
                continue;
            }
            for (std::uint16_t part = 0; part < blocks_[b].of; ++part) {
                if (holds(b, from, part) && !holds(b, to, part) && chance(random_, 0.8)) {
                    place_of(b, to).parts[part] = 1;
                    add_part(parts, b, part);
                }
            }
        }
        if (!parts.empty()) {
            add_message(from, to, static_cast<std::uint8_t>(++sent_[{from, to}]), direct, parts);
        }
    }

    // Lists the parts of a block that a destination lacks, which then come from the source, and the
    // copies to its slots.
    void complete(std::size_t b)
    {
        const Block &block = blocks_[b];
        std::vector<Rank> done{block.source};
        for (const auto &[rank, slot] : block.slots) {
            if (!block.direct) {
                add_large(block, rank, slot);
            }
            if (rank == block.source) {
                continue;
            }
            if (std::find(done.begin(), done.end(), rank) == done.end()) {
                done.push_back(rank);
                Place &place = place_of(b, rank);
                for (std::uint16_t part = 0; part < block.of; ++part) {
                    if (place.parts[part] == 0) {
                        place.parts[part] = 1;
                        add_part(missing_[{block.source, rank}][block.direct ? 1 : 0], b, part);
                    }
                }
            }
            const Place &place = places_.at({b, rank});
            if (place.space != Space::receive || place.block != slot) {
                copies_.push_back(
                    copy_on(rank, Slice{place.space, place.block}, Slice{Space::receive, slot}));
            }
        }
    }

    void add_large(const Block &block, Rank rank, std::uint32_t slot)
    {
        if (rank == block.source) {
            return;
        }
        const auto add = [&](OperationKind kind, Rank self, Rank peer, Slice slice) {
            patterns_[static_cast<std::size_t>(self)].operations.push_back(
                Operation{kind, Carry::direct_if_large, kLarge, peer, 0, {slice}});
        };
        add(OperationKind::send, block.source, rank, Slice{Space::send, block.number});
        add(OperationKind::receive, rank, block.source, Slice{Space::receive, slot});
    }

    Slice slice_at(Rank rank, const Part &part)
    {
        const Block &block = blocks_[part.block];
        const auto found = places_.find({part.block, rank});
        Slice slice{Space::send, block.number};
        if (found != places_.end() && (block.source != rank || chance(random_, 0.5))) {
            slice.space = found->second.space;
            slice.block = found->second.block;
        }
        return part_of(slice, part);
    }

    Slice part_of(Slice slice, const Part &part)
    {
        const std::uint16_t of = blocks_[part.block].of;
        if (part.first != 0 || part.last != of) {
            const int factor = chance(random_, 0.2) ? 3 : 1; // the same in other numbers
            slice.first = static_cast<std::uint16_t>(part.first * factor);
            slice.last = static_cast<std::uint16_t>(part.last * factor);
            slice.of = static_cast<std::uint16_t>(of * factor);
        }
        return slice;
    }

    // Appends a slice; at random, and if possible, as one run with the last slice.
    void append(std::vector<Slice> &slices, const Slice &slice)
    {
        Slice *const last = slices.empty() ? nullptr : &slices.back();
        if (last != nullptr && last->space == slice.space && last->whole() && slice.whole()
            && last->block + last->count == slice.block
            && (style_.buffer_runs || slice.space == Space::staging)
            && chance(random_, style_.runs)) {
            ++last->count;
        } else {
            slices.push_back(slice);
        }
    }

    void add_message(Rank from, Rank to, std::uint8_t phase, bool direct,
                     const std::vector<Part> &parts)
    {
        Operation send{
            OperationKind::send, direct ? Carry::direct : Carry::combined, phase, to, 0, {}};
        Operation receive = send;
        receive.kind = OperationKind::receive;
        receive.peer = from;
        for (const Part &part : parts) {
            append(send.slices, slice_at(from, part));
            const Place &place = places_.at({part.block, to});
            append(receive.slices, part_of(Slice{place.space, place.block}, part));
        }
        patterns_[static_cast<std::size_t>(from)].operations.push_back(send);
        patterns_[static_cast<std::size_t>(to)].operations.push_back(receive);
    }

    Random &random_;
    const Graph &graph_;
    const PatternStyle &style_;
    std::vector<Pattern> patterns_;
    std::vector<Rank> ranks_; // with edges
    std::vector<Block> blocks_;
    std::map<std::pair<std::size_t, Rank>, Place> places_; // by block and rank
    std::map<std::pair<Rank, Rank>, int> sent_;            // messages of an ordered pair
    std::map<std::pair<Rank, Rank>, std::array<std::vector<Part>, 2>> missing_;
    std::vector<Operation> copies_;
};

} // namespace

std::vector<Pattern> random_patterns(Random &random, const Graph &graph, BlockKind kind,
                                     const PatternStyle &style)
{
    return Generator(random, graph, kind, style).run();
}

} // namespace nbrhood::test
