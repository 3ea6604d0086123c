// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Allgathers for the glue.
#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <new>

#include "allgather/agreements.h"
#include "allgather/choice.h"
#include "allgather/plan.h"
#include "allgather/registry.h"
#include "capi/glue_transport.h"
#include "capi/nbrhood_allgather.h"
#include "capi/parameters.h"
#include "select/parameters.h"

using namespace nbrhood;

static_assert(sizeof(nbrhood_allgather_member) == sizeof(AllgatherMember)
                  && offsetof(nbrhood_allgather_member, ranks_per_core)
                         == offsetof(AllgatherMember, ranks_per_core)
                  && offsetof(nbrhood_allgather_member, threads)
                         == offsetof(AllgatherMember, threads),
              "nbrhood_allgather_member and AllgatherMember have one layout");

static_assert(NBRHOOD_ALLGATHER_FIRST_ROW == kAllgatherFirstRow, "the same values in C");

namespace nbrhood {

// Programs that communicators with ranks in the same places share. They are compiled when first
// needed.
struct Compiled {
    Compiled(AllgatherShape own, Rank rank)
        : shape(std::move(own)), rank(rank), programs(allgather_algorithms().size())
    {}
    bool is(const AllgatherShape &other, Rank other_rank) const
    {
        return rank == other_rank && shape.rank_at == other.rank_at && shape.levels == other.levels
               && shape.regions() == other.regions() && shape.shares_cores == other.shares_cores
               && shape.first_rank == other.first_rank;
    }
    std::shared_ptr<const AllgatherProgram> program(int row)
    {
        auto &program = programs[static_cast<std::size_t>(row)];
        if (program == nullptr) {
            program = std::make_shared<const AllgatherProgram>(
                allgather_algorithms()[static_cast<std::size_t>(row)].make(shape, rank), shape);
        }
        return program;
    }
    AllgatherShape shape;
    Rank rank;
    std::vector<std::shared_ptr<const AllgatherProgram>> programs; // by row
};

} // namespace nbrhood

namespace {

// State of this process. Any thread makes plans.
struct Process {
    std::mutex mutex;
    Agreements agreements;
    std::deque<std::shared_ptr<Compiled>> recent; // the most recent first
};
constexpr std::size_t kRecent = 16;

Process &process()
{
    static Process process;
    return process;
}

std::shared_ptr<Compiled> compiled(AllgatherShape shape, Rank rank)
{
    const std::lock_guard<std::mutex> guard(process().mutex);
    auto &recent = process().recent;
    for (const auto &known : recent) {
        if (known->is(shape, rank)) {
            return known;
        }
    }
    recent.push_front(std::make_shared<Compiled>(std::move(shape), rank));
    if (recent.size() > kRecent) {
        recent.pop_back(); // communicators that use it keep it
    }
    return recent.front();
}

AllgatherPlan &allgather_of(nbrhood_plan *plan)
{
    return static_cast<AllgatherPlan &>(*plan->plan);
}

} // namespace

struct nbrhood_allgather {
    std::shared_ptr<Compiled> compiled;
    int choice = kAllgatherAuto;
    std::size_t most_bytes = 0;
    std::size_t most_result = 0;
};

bool nbrhood_agreements_find(const uint64_t *names, size_t count, nbrhood_allgather_member *members)
{
    try {
        std::vector<AllgatherMember> told;
        const std::lock_guard<std::mutex> guard(process().mutex);
        if (!process().agreements.find(std::vector<std::uint64_t>(names, names + count), told)) {
            return false;
        }
        std::copy(told.begin(), told.end(), reinterpret_cast<AllgatherMember *>(members));
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

bool nbrhood_agreements_add(const uint64_t *names, size_t count,
                            const nbrhood_allgather_member *members)
{
    try {
        const auto *told = reinterpret_cast<const AllgatherMember *>(members);
        const std::lock_guard<std::mutex> guard(process().mutex);
        process().agreements.add(std::vector<std::uint64_t>(names, names + count),
                                 std::vector<AllgatherMember>(told, told + count));
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

void nbrhood_agreements_forget(void)
{
    process().agreements = Agreements();
    process().recent.clear();
}

nbrhood_allgather *nbrhood_allgather_create(int rank, size_t ranks,
                                            const nbrhood_allgather_member *members,
                                            const nbrhood_value *values, int choice,
                                            size_t most_result)
{
    try {
        const ParameterValues given = values_of(values);
        const auto *told = reinterpret_cast<const AllgatherMember *>(members);
        std::vector<Place> places;
        bool shares_cores = false;
        for (std::size_t i = 0; i < ranks; ++i) {
            places.push_back(told[i].place());
            shares_cores = shares_cores || told[i].ranks_per_core > 1;
        }
        auto made = std::make_unique<nbrhood_allgather>();
        made->compiled = compiled(AllgatherShape(Machine(std::move(places), given.get(kRegion)),
                                                 given.get(kAllgatherLevels), shares_cores,
                                                 given.get(kAllgatherFirstRank)),
                                  rank);
        made->choice = choice;
        made->most_result = most_result;
        made->most_bytes = given.get(kAllgatherBytes);
        return made.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void nbrhood_allgather_destroy(nbrhood_allgather *allgather)
{
    delete allgather;
}

int nbrhood_allgather_row(const nbrhood_allgather *allgather, size_t bytes)
{
    return allgather_row(allgather->choice, allgather->compiled->shape, bytes,
                         allgather->most_bytes, allgather->most_result);
}

size_t nbrhood_allgather_regions(const nbrhood_allgather *allgather)
{
    return allgather->compiled->shape.regions().size();
}

size_t nbrhood_allgather_most_bytes(const nbrhood_allgather *allgather)
{
    const auto ranks = static_cast<std::size_t>(allgather->compiled->shape.ranks());
    return allgather->choice == kAllgatherAuto
               ? std::min(allgather->most_bytes, allgather->most_result / ranks)
               : 0;
}

const char *nbrhood_allgather_choice_name(int choice)
{
    return allgather_choice_name(choice);
}

nbrhood_plan *nbrhood_allgather_plan(const nbrhood_allgather *allgather, int row,
                                     const nbrhood_transport *transport, void *context)
{
    try {
        std::shared_ptr<const AllgatherProgram> program;
        {
            const std::lock_guard<std::mutex> guard(process().mutex);
            program = allgather->compiled->program(row);
        }
        auto made = std::make_unique<nbrhood_plan>(*transport, context);
        made->plan = std::make_unique<AllgatherPlan>(std::move(program), made->transport);
        return made.release();
    } catch (...) {
        return nullptr;
    }
}

void nbrhood_allgather_bind(nbrhood_plan *plan, const nbrhood_block *send,
                            const nbrhood_block *receive, ptrdiff_t stride)
{
    AllgatherBuffers &buffers = allgather_of(plan).buffers;
    buffers.in_place = send == nullptr;
    if (send != nullptr) {
        buffers.send = *reinterpret_cast<const UserBlock *>(send);
    }
    buffers.receive = *reinterpret_cast<const UserBlock *>(receive);
    buffers.stride = stride;
}
