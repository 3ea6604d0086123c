// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "corruption_run.h"

#include <algorithm>
#include <new>

#include "common/allocations.h"

namespace nbrhood::test {

GuardedRun::GuardedRun(const Graph &graph, const Programs &programs, const WireSettings &wire,
                       World &world, BlockKind kind, bool learns, Random &random)
    : programs_(programs), world_(world), kind_(kind), sizes_{0,
                                                              1,
                                                              8,
                                                              wire.packing_threshold,
                                                              wire.packing_threshold + 1,
                                                              wire.combining_threshold,
                                                              wire.combining_threshold + 1,
                                                              2 * wire.combining_threshold},
      seed_(random()), plans_(graph.size()), sent_(graph.size()), received_(graph.size()),
      started_(graph.size(), 0), active_(graph.size(), 0)
{
    for (const Neighbourhood &own : graph) {
        if (programs.of[static_cast<std::size_t>(own.rank)] != nullptr) {
            add_rank(own, wire, learns, random);
        }
    }
}

std::size_t GuardedRun::bytes_of(const Edge &edge) const
{
    return edge.source == kNoRank || edge.destination == kNoRank
               ? 8
               : sizes_[mix(hash_of(edge) ^ seed_) % sizes_.size()];
}

void GuardedRun::add_rank(const Neighbourhood &own, const WireSettings &wire, bool learns,
                          Random &random)
{
    const auto r = static_cast<std::size_t>(own.rank);
    const bool one = kind_ == BlockKind::one_per_rank;
    WireSettings agreed = wire;
    agreed.pattern = programs_.hash;
    plans_[r] = std::make_unique<Plan>(programs_.of[r], agreed, world_.transport(own.rank),
                                       learns ? Sizes::learnt : Sizes::told);
    sent_[r].assign(2 * sizes_.back() + 16, static_cast<char>(r));
    for (std::size_t slot = 0; slot < (one ? 1 : own.out.size()); ++slot) {
        const std::size_t bytes = bytes_of(
            one ? Edge{own.rank, 0, 0} : Edge{own.rank, own.out[slot].peer, own.out[slot].key});
        char *const at = sent_[r].data() + random() % 16;
        plans_[r]->send_blocks().push_back(UserBlock{at, bytes, nullptr, bytes, at});
    }
    for (const EdgeEnd &end : own.in) {
        const std::size_t bytes =
            bytes_of(one ? Edge{end.peer, 0, 0} : Edge{end.peer, own.rank, end.key});
        received_[r].push_back(std::make_unique<Memory>(bytes, chance(random, 0.3)));
        plans_[r]->receive_blocks().push_back(received_[r].back()->block());
    }
    if (learns) {
        plans_[r]->find_shared(nullptr);
    }
    // A run of a table has at least one byte, and takes 16; lists grow by doubling.
    allowed_ = std::max(
        allowed_,
        4096 + 128 * (wire.combining_threshold + 8) * (1 + programs_.of[r]->slices().size()));
}

std::string GuardedRun::run(std::uint32_t operations)
{
    world_.on_finished([&](Rank rank, AnyPlan &, int error) {
        char &active = active_[static_cast<std::size_t>(rank)];
        ended_twice_ = ended_twice_ || active == 0;
        active = 0;
        errors_ += error != 0 ? 1 : 0;
    });
    Counting::take();
    try {
        bool progress = true;
        for (int steps = 0; progress; ++steps) {
            progress = world_.advance();
            for (std::size_t r = 0; r < plans_.size(); ++r) {
                if (plans_[r] != nullptr && active_[r] == 0 && started_[r] < operations) {
                    active_[r] = 1;
                    progress = true;
                    const Counting at_work(true);
                    plans_[r]->start(kTagBlocking, started_[r]++);
                }
            }
            if (steps > 1000000) {
                return "the ranks come to no end";
            }
        }
    } catch (const std::bad_alloc &) {
        return "more memory is asked for than there is";
    }
    return find_fault(Counting::largest());
}

std::string GuardedRun::find_fault(std::size_t largest) const
{
    if (ended_twice_) {
        return "an operation ends twice";
    }
    if (largest > allowed_) {
        return std::to_string(largest) + " bytes asked for at once, " + std::to_string(allowed_)
               + " allowed";
    }
    for (std::size_t r = 0; r < plans_.size(); ++r) {
        const std::string rank = "rank " + std::to_string(r);
        for (const auto &block : received_[r]) {
            if (!block->guards_intact()) {
                return rank + " writes outside its blocks";
            }
        }
        if (active_[r] != 0 && !world_.waits(static_cast<Rank>(r))) {
            return rank + " waits for nothing";
        }
    }
    return {};
}

int GuardedRun::waiting() const
{
    return static_cast<int>(std::count(active_.begin(), active_.end(), 1));
}

} // namespace nbrhood::test
