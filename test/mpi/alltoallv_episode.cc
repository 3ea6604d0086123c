// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "alltoallv_episode.h"

#include "common_pending.h"
#include "common_run.h"
#include "common_traffic.h"

#include <algorithm>
#include <unistd.h>

namespace nbrhood_test {

namespace {

MPI_Comm made_from(MPI_Comm parent, int way)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(parent, &rank);
    MPI_Comm_size(parent, &size);
    MPI_Comm made = MPI_COMM_NULL;
    switch (way) {
    case 0:
        MPI_Comm_split(parent, 0, -rank, &made);
        break;
    case 1:
        MPI_Comm_split(parent, rank < (size + 1) / 2 ? 0 : 1, rank, &made);
        break;
    case 2:
        MPI_Comm_split(parent, rank % 2, rank * 7 % 13, &made);
        break;
    case 3: {
        int dims[2] = {0, 0};
        const int periods[2] = {1, 0};
        MPI_Dims_create(size, 2, dims);
        MPI_Cart_create(parent, 2, dims, periods, 0, &made);
        break;
    }
    default:
        MPI_Comm_dup(parent, &made);
    }
    return made;
}

} // namespace

AlltoallvEpisode::AlltoallvEpisode(std::uint64_t seed, long number, MPI_Comm parent)
    : seed_(hash_of(seed, number)), number_(number), choices_(seed_),
      own_(hash_of(seed_, getpid())), graph_(choices_)
{
    use(Communicator(made_from(parent, choices_.below(10))));
}

void AlltoallvEpisode::use(Communicator made)
{
    comm_ = std::move(made);
    world_ranks_ = world_ranks(comm_.get());
}

void AlltoallvEpisode::note(const AlltoallvCall &call, const std::string &failure)
{
    if (!failure_.empty() || failure.empty())
        return;
    failure_ = "episode " + std::to_string(number_) + ", call " + std::to_string(calls_) + " ("
               + call.name() + ", " + graph_.name() + "): " + failure;
    watchdog::noticed("after " + failure_);
}

/// Draws a call. The graph of a call in place goes both ways. Open MPI's own functions serve all
/// calls in place, and others as long as nothing is decided: their nonblocking calls in place need
/// a block for each rank, and MPI_Ialltoallw does not survive its communicator (STOCK-BUGS.md).
AlltoallvCall &AlltoallvEpisode::add(std::list<AlltoallvCall> &calls, Variant variant, Use use)
{
    const bool in_place = use == Use::in_place;
    AlltoallvArguments arguments;
    arguments.variant = variant;
    arguments.typed = use != Use::on_freed && choices_.chance(0.4);
    arguments.in_place = in_place;
    arguments.derived = choices_.chance(0.3);
    arguments.seed = hash_of(seed_, calls_);
    const int least = in_place && variant != Variant::blocking ? 1 : 0;
    arguments.ints = [this, call = calls_, in_place, least](int source, int destination) {
        if (in_place && source > destination)
            std::swap(source, destination);
        return std::max(least, graph_.ints(call, source, destination));
    };
    calls.emplace_back(comm_.get(), world_ranks_, arguments);
    return calls.back();
}

/// Calls, or starts a persistent request that exists. Round 0 of a persistent request only makes
/// it.
void AlltoallvEpisode::begin(AlltoallvCall &call, int round)
{
    if (own_.chance(0.2))
        random_delay(own_);
    watchdog::detail("call " + std::to_string(calls_) + " " + call.name());
    call.prepare(round);
    note(call, round > 0 && call.persistent() ? call.start() : call.invoke());
    ++calls_;
}

/// Completes calls, in an order of this rank's own.
void AlltoallvEpisode::end(std::list<AlltoallvCall> &calls)
{
    std::vector<AlltoallvCall *> order;
    for (AlltoallvCall &call : calls)
        order.push_back(&call);
    own_.shuffle(order);
    for (AlltoallvCall *call : order) {
        if (own_.chance(0.2))
            random_delay(own_);
        watchdog::detail("wait for " + call->name() + " before call " + std::to_string(calls_));
        note(*call, call->finish());
    }
}

void AlltoallvEpisode::blocking(int count, Use use)
{
    for (int i = 0; i < count; ++i) {
        std::list<AlltoallvCall> call;
        begin(add(call, Variant::blocking, use), 0);
        end(call);
    }
}

// Nonblocking calls whose types are freed at once (not in place: STOCK-BUGS.md), and blocking ones
// while they are under way.
void AlltoallvEpisode::outstanding()
{
    std::list<AlltoallvCall> calls;
    const int count = 2 + choices_.below(7);
    for (int i = 0; i < count; ++i) {
        const Use use = choices_.chance(0.1) ? Use::in_place : Use::any;
        AlltoallvCall &call = add(calls, Variant::nonblocking, use);
        begin(call, 0);
        if (use == Use::any)
            call.free_types();
        if (choices_.chance(0.2))
            blocking(1);
    }
    end(calls);
}

// With messages of the user and with other collectives on the same communicator.
void AlltoallvEpisode::among_others()
{
    UserTraffic traffic(comm_.get(), choices_.next(), choices_.chance(0.3));
    if (own_.chance(0.5))
        traffic.send();
    std::list<AlltoallvCall> calls;
    begin(add(calls, Variant::nonblocking), 0);
    int sum = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm_.get());
    begin(add(calls, Variant::nonblocking), 0);
    blocking(2);
    traffic.send();
    note(calls.front(), traffic.finish());
    note(calls.front(), sum == comm_.size() ? "" : "MPI_Allreduce has a wrong result");
    end(calls);
}

// MPI_Alltoallv_init is collective, but starts are not: they take place in one order nevertheless,
// because nonblocking calls between them must.
void AlltoallvEpisode::persistent()
{
    std::list<AlltoallvCall> requests;
    const int count = 1 + choices_.below(2), rounds = 1 + choices_.below(6);
    for (int i = 0; i < count; ++i)
        begin(add(requests, Variant::persistent, choices_.chance(0.1) ? Use::in_place : Use::any),
              0);
    for (int round = 1; round <= rounds; ++round) {
        std::list<AlltoallvCall> between;
        for (AlltoallvCall &request : requests) {
            begin(request, round);
            if (choices_.chance(0.3))
                begin(add(between, Variant::nonblocking), 0);
        }
        end(between);
        end(requests);
    }
    for (AlltoallvCall &request : requests)
        note(request, request.free());
}

// The program goes on with a duplicate that is made while calls are under way, and frees the
// original.
void AlltoallvEpisode::replaced_by_duplicate()
{
    std::list<AlltoallvCall> before, after;
    begin(add(before, Variant::nonblocking, Use::on_freed), 0);
    begin(add(before, Variant::nonblocking, Use::on_freed), 0);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(comm_.get(), &made);
    use(Communicator(made));
    begin(add(after, Variant::nonblocking), 0);
    blocking(2);
    end(before);
    end(after);
}

void AlltoallvEpisode::freed_under_way()
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(comm_.get(), &made);
    Communicator original = std::move(comm_);
    use(Communicator(made));
    blocking(choices_.below(4));
    std::list<AlltoallvCall> calls;
    for (int i = 0; i < 3; ++i)
        begin(add(calls, Variant::nonblocking, Use::on_freed), 0);
    use(std::move(original));
    blocking(1);
    end(calls);
}

void AlltoallvEpisode::act(int action)
{
    switch (action) {
    case 0:
    case 1:
        return outstanding();
    case 2:
        return among_others();
    case 3:
        return persistent();
    case 4:
        return replaced_by_duplicate();
    case 5:
        return freed_under_way();
    case 6:
        return blocking(1 + choices_.below(3), Use::in_place);
    default:
        return blocking(1 + choices_.below(20));
    }
}

std::string AlltoallvEpisode::run()
{
    // Long episodes reach builds and trials with the default parameters.
    const int steps = choices_.chance(0.3) ? 40 : 6;
    for (int step = 0; step < steps; ++step) {
        watchdog::state("episode " + std::to_string(number_) + " step " + std::to_string(step));
        act(choices_.below(12));
    }
    return failure_;
}

} // namespace nbrhood_test
