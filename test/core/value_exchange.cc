// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "value_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "common/allocations.h"

namespace nbrhood::test {

ValueExchange::ValueExchange(const Graph &graph, const Programs &programs, const WireSettings &wire,
                             World &world, const ValueOptions &options, Random &random)
    : graph_(graph), world_(world), options_(options), plans_(graph.size()), handing_(graph.size()),
      entries_(graph.size()), vectors_(graph.size()), copies_(graph.size()),
      send_types_(graph.size()), receive_types_(graph.size()), received_(graph.size()),
      out_slots_(graph.size()), started_(graph.size(), 0), active_(graph.size(), 0)
{
    for (std::size_t r = 0; r < graph.size(); ++r) {
        const Neighbourhood &own = graph[r];
        handing_[r] = options_.handings[random() % options_.handings.size()];
        vectors_[r].resize(static_cast<std::size_t>(options_.entries) * options_.entry);
        for (std::size_t slot = 0; slot < own.out.size(); ++slot) {
            out_slots_[r][{own.out[slot].peer, own.out[slot].key}] = slot;
        }
        if (programs.of[r] != nullptr) {
            WireSettings agreed = wire;
            agreed.pattern = programs.hash;
            plans_[r] = std::make_unique<Plan>(programs.of[r], agreed, world.transport(own.rank),
                                               options.learns ? Sizes::learnt : Sizes::told);
        }
    }
    draw_entries(random);
}

void ValueExchange::draw_entries(Random &random)
{
    for (std::size_t r = 0; r < graph_.size(); ++r) {
        entries_[r].resize(graph_[r].out.size());
        for (std::vector<int> &list : entries_[r]) {
            const int count = draw(random, 0, std::min(options_.most_per_edge, options_.entries));
            const int first = draw(random, 0, options_.entries - count);
            for (int i = 0; i < count; ++i) {
                list.push_back(handing_[r] == Handing::windows
                                   ? first + i
                                   : draw(random, 0, options_.entries - 1));
            }
            if (!options_.duplicates_in_block) {
                std::sort(list.begin(), list.end());
                list.erase(std::unique(list.begin(), list.end()), list.end());
            }
        }
    }
}

void ValueExchange::send(Rank rank, std::size_t slot, std::vector<int> entries)
{
    entries_[index(rank)][slot] = std::move(entries);
}

std::uint64_t ValueExchange::contents(Rank rank, int entry, std::uint32_t round) const
{
    return mix(static_cast<std::uint64_t>(rank) * 1000003 + static_cast<std::uint64_t>(entry))
           + round;
}

void ValueExchange::bind_sends(std::size_t r)
{
    const std::size_t slots = graph_[r].out.size();
    const std::size_t size = options_.entry;
    send_types_[r].resize(slots);
    copies_[r].resize(slots);
    std::vector<std::int64_t> indices;
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const std::vector<int> &list = entries_[r][slot];
        UserBlock block{vectors_[r].data(), list.size(), nullptr, list.size() * size, nullptr};
        switch (handing_[r]) {
        case Handing::scattered:
            for (int entry : list) {
                send_types_[r][slot].push_back(MemorySegment{
                    vectors_[r].data() + static_cast<std::size_t>(entry) * size, size});
            }
            block.type = &send_types_[r][slot];
            break;
        case Handing::windows:
            block.data = list.empty()
                             ? nullptr
                             : vectors_[r].data() + static_cast<std::size_t>(list.front()) * size;
            break;
        case Handing::indexed:
        case Handing::packed:
            copies_[r][slot].resize(block.bytes);
            block.data = copies_[r][slot].data();
            break;
        }
        for (int entry : list) {
            indices.push_back(static_cast<std::int64_t>(entry) * 1000000007 - 77);
        }
        if (block.data != nullptr) {
            block.address = block.data;
        }
        plans_[r]->send_blocks().push_back(block);
    }
    if (options_.learns) {
        plans_[r]->find_shared(handing_[r] == Handing::indexed ? indices.data() : nullptr);
    }
}

// A slot is contiguous, or has gaps between its bytes.
void ValueExchange::bind_receives(std::size_t r, Random &random)
{
    const Neighbourhood &own = graph_[r];
    receive_types_[r].resize(own.in.size());
    received_[r].resize(own.in.size());
    for (std::size_t slot = 0; slot < own.in.size(); ++slot) {
        const EdgeEnd &end = own.in[slot];
        std::size_t bytes = 0;
        if (end.peer != kNoRank) {
            const std::size_t peer = index(end.peer);
            bytes =
                entries_[peer][out_slots_[peer].at({own.rank, end.key})].size() * options_.entry;
        }
        const bool scattered = chance(random, options_.scattered_slots);
        std::vector<char> &place = received_[r][slot];
        place.assign(2 * bytes + 1, 0);
        UserBlock block{place.data(), bytes, nullptr, bytes, scattered ? nullptr : place.data()};
        if (scattered && bytes != 0) {
            const std::size_t stretch = chance(random, 0.5) ? options_.entry : 1;
            for (std::size_t at = 0; at < bytes; at += stretch) {
                receive_types_[r][slot].push_back(MemorySegment{place.data() + 2 * at, stretch});
            }
            block.type = &receive_types_[r][slot];
        }
        plans_[r]->receive_blocks().push_back(block);
    }
}

void ValueExchange::bind(Random &random)
{
    for (std::size_t r = 0; r < graph_.size() && !bound_; ++r) {
        if (plans_[r] != nullptr) {
            bind_sends(r);
            bind_receives(r, random);
        }
    }
    bound_ = true;
}

void ValueExchange::start(Rank rank)
{
    const std::size_t r = index(rank);
    const auto fill = [&](char *to, int entry) {
        const std::uint64_t seed = contents(rank, entry, started_[r]);
        for (std::size_t i = 0; i < options_.entry; ++i) {
            to[i] = static_cast<char>(mix(seed + i / 8) >> (i % 8 * 8));
        }
    };
    for (int entry = 0; entry < options_.entries; ++entry) {
        fill(vectors_[r].data() + static_cast<std::size_t>(entry) * options_.entry, entry);
    }
    for (std::size_t slot = 0; slot < copies_[r].size(); ++slot) {
        if (!copies_[r][slot].empty()) {
            char *to = copies_[r][slot].data();
            for (int entry : entries_[r][slot]) {
                fill(to, entry);
                to += options_.entry;
            }
        }
    }
    for (std::vector<char> &place : received_[r]) {
        std::fill(place.begin(), place.end(), static_cast<char>(0x5a));
    }
    active_[r] = 1;
    const std::uint32_t round = started_[r]++;
    const Counting at_work(true);
    plans_[r]->start(kTagBlocking, round);
}

void ValueExchange::check(Rank rank)
{
    const std::size_t r = index(rank);
    const std::uint32_t round = started_[r] - 1;
    for (std::size_t slot = 0; slot < graph_[r].in.size(); ++slot) {
        const EdgeEnd &end = graph_[r].in[slot];
        if (end.peer == kNoRank) {
            continue;
        }
        const std::size_t peer = index(end.peer);
        const UserBlock &block = plans_[r]->receive_blocks()[slot];
        std::vector<char> got(block.bytes);
        if (block.data != nullptr) {
            std::copy_n(block.data, block.bytes, got.begin());
        } else {
            auto to = got.begin();
            for (const MemorySegment &memory_segment : receive_types_[r][slot]) {
                to = std::copy_n(memory_segment.at, memory_segment.bytes, to);
            }
        }
        std::size_t at = 0;
        for (int entry : entries_[peer][out_slots_[peer].at({rank, end.key})]) {
            const std::uint64_t seed = contents(end.peer, entry, round);
            for (std::size_t i = 0; i < options_.entry; ++i, ++at) {
                ASSERT_EQ(got[at], static_cast<char>(mix(seed + i / 8) >> (i % 8 * 8)))
                    << "rank " << rank << " slot " << slot << " byte " << at << " round " << round
                    << " entry " << entry << " handing " << static_cast<int>(handing_[peer])
                    << " in parts " << (block.data == nullptr) << " of " << block.bytes;
            }
        }
    }
}

void ValueExchange::run(std::uint32_t rounds, Random &random)
{
    bind(random);
    world_.on_finished([&](Rank rank, AnyPlan &, int error) {
        active_[index(rank)] = 0;
        EXPECT_EQ(error, 0) << "rank " << rank;
        check(rank);
    });
    for (bool progress = true; progress;) {
        progress = false;
        if (chance(random, 0.3)) {
            const std::size_t first = random() % graph_.size();
            for (std::size_t i = 0; i < graph_.size(); ++i) {
                const std::size_t r = (first + i) % graph_.size();
                if (plans_[r] != nullptr && active_[r] == 0 && started_[r] < rounds) {
                    start(static_cast<Rank>(r));
                    break;
                }
            }
        }
        progress = world_.advance();
        for (std::size_t r = 0; r < graph_.size() && !progress; ++r) {
            progress = plans_[r] != nullptr && active_[r] == 0 && started_[r] < rounds;
        }
    }
    for (std::size_t r = 0; r < graph_.size(); ++r) {
        if (plans_[r] != nullptr) {
            EXPECT_EQ(started_[r], rounds) << "rank " << r;
            EXPECT_EQ(active_[r], 0) << "rank " << r << " hangs";
        }
    }
    EXPECT_TRUE(world_.empty());
}

} // namespace nbrhood::test
