// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "plan_fixture.h"

#include <algorithm>

namespace nbrhood::test {

Programs::Programs(const std::vector<Pattern> &patterns)
{
    for (const Pattern &pattern : patterns) {
        hash += hash_pattern(pattern);
        of.push_back(pattern.operations.empty() ? nullptr
                                                : std::make_shared<const Program>(pattern));
    }
}

SizeOf mixed_sizes(std::uint64_t seed, const WireSettings &wire)
{
    const std::size_t t = wire.combining_threshold;
    const std::size_t e = wire.preposted_size;
    return [=](const Edge &edge) -> std::size_t {
        const std::uint64_t hash = mix(hash_of(edge) ^ seed);
        const std::size_t p = wire.packing_threshold;
        const std::size_t sizes[] = {0, 0,     1, p / 2, p - 1, p,       p + 1,
                                     t, t + 1, e, e + 1, 3 * t, hash % t};
        return sizes[hash / 1000 % 13];
    };
}

Exchange::Exchange(const Graph &graph, const Programs &programs, const WireSettings &wire,
                   World &world, BlockKind kind, SizeOf size, Sizes sizes, double strided,
                   Random &random)
    : graph_(graph), kind_(kind), size_(std::move(size)), strided_(strided), random_(random()),
      seed_(random()), plans_(graph.size()), send_(graph.size()), receive_(graph.size()),
      started_(graph.size(), 0), active_(graph.size(), 0), errors_(graph.size(), 0)
{
    for (const Neighbourhood &own : graph) {
        const std::size_t r = index(own.rank);
        if (programs.of[r] != nullptr) {
            WireSettings agreed = wire;
            agreed.pattern = programs.hash;
            plans_[r] =
                std::make_unique<Plan>(programs.of[r], agreed, world.transport(own.rank), sizes);
        }
    }
    resize(size_);
}

void Exchange::resize(const SizeOf &size)
{
    size_ = size;
    const auto allocate = [&](const Edge &edge, std::vector<std::unique_ptr<Memory>> &blocks,
                              std::vector<UserBlock> &bound) {
        const bool nowhere = edge.source == kNoRank || edge.destination == kNoRank;
        const std::size_t bytes = nowhere && kind_ == BlockKind::one_per_edge ? 8 : size_(edge);
        blocks.push_back(std::make_unique<Memory>(bytes, chance(random_, strided_)));
        bound.push_back(blocks.back()->block());
    };
    for (const Neighbourhood &own : graph_) {
        const std::size_t r = index(own.rank);
        if (plans_[r] == nullptr) {
            continue;
        }
        for (auto *blocks : {&send_[r], &receive_[r]}) {
            blocks->clear();
        }
        plans_[r]->send_blocks().clear();
        plans_[r]->receive_blocks().clear();
        const std::size_t sends = kind_ == BlockKind::one_per_rank ? 1 : own.out.size();
        for (std::size_t slot = 0; slot < sends; ++slot) {
            allocate(edge_out(own.rank, slot), send_[r], plans_[r]->send_blocks());
        }
        for (std::size_t slot = 0; slot < own.in.size(); ++slot) {
            allocate(edge_in(own.rank, slot), receive_[r], plans_[r]->receive_blocks());
        }
        plans_[r]->rebind();
    }
}

// In a collective with one block per rank all edges of a source have the same block.
Edge Exchange::edge_in(Rank rank, std::size_t slot) const
{
    const EdgeEnd &end = graph_[index(rank)].in[slot];
    return kind_ == BlockKind::one_per_rank ? Edge{end.peer, 0, 0} : Edge{end.peer, rank, end.key};
}

Edge Exchange::edge_out(Rank rank, std::size_t slot) const
{
    if (kind_ == BlockKind::one_per_rank) {
        return Edge{rank, 0, 0};
    }
    const EdgeEnd &end = graph_[index(rank)].out[slot];
    return Edge{rank, end.peer, end.key};
}

std::uint64_t Exchange::contents(const Edge &edge, std::uint32_t round) const
{
    return mix(hash_of(edge) + seed_ + 1000 * round);
}

void Exchange::start(Rank rank, int tag_base)
{
    const std::size_t r = index(rank);
    for (std::size_t slot = 0; slot < send_[r].size(); ++slot) {
        send_[r][slot]->fill(contents(edge_out(rank, slot), started_[r]));
    }
    for (auto &block : receive_[r]) {
        block->fill(0); // data left from earlier rounds must not pass for that of this round
    }
    active_[r] = 1;
    plans_[r]->start(tag_base, started_[r]++);
}

void Exchange::run_once(World &world)
{
    world.on_finished([&](Rank rank, AnyPlan &, int error) { finished(rank, error); });
    for (const Neighbourhood &own : graph_) {
        if (takes_part(own.rank)) {
            start(own.rank, kTagBlocking);
        }
    }
    while (world.advance()) {}
}

int Exchange::hanging() const
{
    return static_cast<int>(std::count(active_.begin(), active_.end(), 1));
}

void Exchange::finished(Rank rank, int error)
{
    const std::size_t r = index(rank);
    if (active_[r] == 0) {
        faults_.push_back("rank " + std::to_string(rank) + " ends twice");
    }
    active_[r] = 0;
    errors_[r] = error;
    if (error == 0) {
        check(rank);
    }
}

void Exchange::check(Rank rank)
{
    const std::size_t r = index(rank);
    for (std::size_t slot = 0; slot < receive_[r].size(); ++slot) {
        const Edge edge = edge_in(rank, slot);
        const bool nowhere = edge.source == kNoRank;
        const Memory &block = *receive_[r][slot];
        const std::size_t bytes = size(rank, slot);
        const bool good =
            nowhere ? block.holds(0, bytes) : block.holds(contents(edge, started_[r] - 1), bytes);
        if (!good) {
            faults_.push_back("rank " + std::to_string(rank) + ", slot " + std::to_string(slot)
                              + ", round " + std::to_string(started_[r] - 1) + ": wrong contents");
        }
    }
}

void Exchange::expect_size(Rank rank, std::size_t slot, std::size_t bytes)
{
    const std::size_t r = index(rank);
    receive_[r][slot] = std::make_unique<Memory>(bytes, false);
    plans_[r]->receive_blocks()[slot] = receive_[r][slot]->block();
}

std::size_t Exchange::size(Rank rank, std::size_t slot) const
{
    return plans_[index(rank)]->receive_blocks()[slot].bytes;
}

bool Exchange::guards_intact() const
{
    for (const auto *all : {&send_, &receive_}) {
        for (const auto &blocks : *all) {
            for (const auto &block : blocks) {
                if (!block->guards_intact()) {
                    return false;
                }
            }
        }
    }
    return true;
}

} // namespace nbrhood::test
