// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "stress_episode.h"

#include "common_traffic.h"

#include <optional>
#include <unistd.h>

namespace nbrhood_test {

Episode::Episode(const StressSettings &settings, long number)
    : settings_(settings), number_(number), choices_(hash_of(settings.seed, number)),
      own_(hash_of(settings.seed, number, getpid()))
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const std::vector<std::string> &names = settings.algorithms;
    algorithm_ = names[static_cast<std::size_t>(number) % names.size()];
    choose_topology();
}

bool Episode::participates() const
{
    return topology_.has_edges(rank_);
}

bool Episode::note(const std::string &failure)
{
    if (failure_.empty() && !failure.empty()) {
        failure_ =
            shape_ + "/" + algorithm_ + " episode " + std::to_string(number_) + ": " + failure;
        watchdog::noticed("after " + failure_);
    }
    return failure.empty();
}

void Episode::call(Pending &pending, int round)
{
    pending.prepare(round);
    if (note(pending.invoke(comm_.get())))
        note(pending.wait());
    ++operations_;
}

void Episode::blocking_burst()
{
    const int calls = 1 + choices_.below(12);
    std::vector<Pending> one = choose_pending(Variant::blocking, 1);
    if (!participates())
        return;
    for (int i = 0; i < calls; ++i) {
        random_delay(own_);
        call(one[0], i);
    }
}

// Makes many calls in a row without a reply: the sources may run as far ahead as the library
// allows.
void Episode::fast_sender()
{
    const EntryPoint entry = choose_entry(Variant::blocking);
    const std::uint64_t seed = choices_.next();
    Workload workload;
    workload.ints = [seed](Endpoint end) {
        return static_cast<int>(hash_of(seed, end.rank, end.slot) % 20);
    };
    Pending pending(entry, topology_, rank_, workload, seed);
    if (!participates())
        return;
    const bool slow = !topology_.at(rank_).in.empty();
    for (int i = 0; i < 500; ++i) {
        if (slow && i % 50 == 0)
            random_delay(own_);
        call(pending, i);
    }
}

void Episode::outstanding()
{
    std::vector<Pending> all = choose_pending(Variant::nonblocking, 4);
    if (!participates())
        return;
    for (Pending &pending : all) {
        random_delay(own_);
        pending.prepare(0);
        note(pending.invoke(comm_.get()));
    }
    for (std::size_t i : random_order(all.size(), own_.next())) {
        random_delay(own_);
        note(all[i].wait());
        ++operations_;
    }
}

// Each rank starts and completes the persistent requests in an order of its own, with a nonblocking
// call at a random place among them.
void Episode::persistent()
{
    std::vector<Pending> all = choose_pending(Variant::persistent, 3);
    const std::size_t persistent = all.size();
    for (Pending &call : choose_pending(Variant::nonblocking, 1))
        all.push_back(std::move(call));
    const int rounds = 1 + choices_.below(6);
    if (!participates())
        return;
    for (std::size_t i = 0; i < persistent; ++i) {
        all[i].prepare(0);
        if (!note(all[i].invoke(comm_.get())))
            return;
    }
    for (int round = 1; round <= rounds; ++round) {
        for (std::size_t i : random_order(all.size(), own_.next())) {
            random_delay(own_);
            all[i].prepare(round);
            note(i < persistent ? all[i].start() : all[i].invoke(comm_.get()));
        }
        for (std::size_t i : random_order(all.size(), own_.next())) {
            note(all[i].wait());
            ++operations_;
        }
    }
    for (std::size_t i = 0; i < persistent; ++i)
        note(all[i].free());
}

// MPI_Comm_dup itself uses nonblocking collectives whose tags count on every rank; ranks that skip
// nonblocking calls on a communicator count differently, and duplicating that communicator would
// hang.
Communicator Episode::duplicate() const
{
    bool all_participate = true;
    for (int rank = 0; rank < size_; ++rank)
        all_participate = all_participate && topology_.has_edges(rank);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(all_participate ? comm_.get() : pristine_.get(), &made);
    return Communicator(made);
}

// The communicator is freed while its operations are under way.
void Episode::nonblocking_on_freed()
{
    Communicator copy = duplicate();
    std::vector<Pending> all = choose_pending(Variant::nonblocking, 2);
    if (participates()) {
        for (Pending &pending : all) {
            pending.prepare(0);
            note(pending.invoke(copy.get()));
        }
    }
    random_delay(own_);
    copy.free();
    if (!participates())
        return;
    for (Pending &pending : all) {
        note(pending.wait());
        ++operations_;
    }
}

// The communicator is freed before its persistent requests are started, as PETSc does.
void Episode::persistent_on_freed()
{
    Communicator copy = duplicate();
    std::vector<Pending> all = choose_pending(Variant::persistent, 2);
    if (participates()) {
        for (Pending &pending : all) {
            pending.prepare(0);
            note(pending.invoke(copy.get()));
        }
    }
    copy.free();
    if (!participates())
        return;
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i : random_order(all.size(), own_.next())) {
            all[i].prepare(round);
            note(all[i].start());
        }
        for (Pending &pending : all) {
            note(pending.wait());
            ++operations_;
        }
    }
    for (Pending &pending : all)
        note(pending.free());
}

// Operations on a duplicate and on the original at once.
void Episode::on_duplicate()
{
    const Communicator copy = duplicate();
    std::vector<Pending> all = choose_pending(Variant::nonblocking, 2);
    if (!participates())
        return;
    const std::size_t first = own_.chance(0.5) ? 0 : 1;
    for (std::size_t i : {first, 1 - first}) {
        random_delay(own_);
        all[i].prepare(0);
        note(all[i].invoke(i == 0 ? comm_.get() : copy.get()));
    }
    for (Pending &pending : all) {
        note(pending.wait());
        ++operations_;
    }
}

// Allgathers use a communicator of their own, since ranks without edges skip neighbourhood calls
// but not allgathers. Open MPI's own functions serve its first calls if they are nonblocking, and
// large calls.
void Episode::allgathers()
{
    GatherArguments arguments;
    const bool hidden = hidden_from_open_mpi();
    arguments.ints = 1 + choices_.below(!hidden && choices_.chance(0.2) ? 20000 : 200);
    arguments.in_place = choices_.chance(0.3);
    const std::uint64_t seed = choices_.next();
    if (hidden)
        note(GatherCall(pristine_.get(), GatherVariant::blocking, arguments, seed).run(0));
    GatherCall first(pristine_.get(), gather_variants[choices_.below(3)], arguments, seed);
    GatherCall second(pristine_.get(), GatherVariant::nonblocking, arguments, seed + 1);
    random_delay(own_);
    second.prepare(0);
    note(second.invoke());
    for (int round = 0; round < 3; ++round) {
        random_delay(own_);
        note(first.run(round));
    }
    blocking_burst();
    note(second.finish());
    note(first.free());
    operations_ += 4;
}

void Episode::act(int action)
{
    switch (action) {
    case 0:
    case 1:
        return blocking_burst();
    case 2:
    case 3:
        return outstanding();
    case 4:
        return persistent();
    case 5:
        return on_duplicate();
    case 6:
        return nonblocking_on_freed();
    case 7:
        return allgathers();
    default:
        return persistent_on_freed();
    }
}

std::string Episode::run()
{
    const auto state = [&](int step, const char *what) {
        watchdog::state("episode " + std::to_string(number_) + " " + shape_ + "/" + algorithm_
                        + " step " + std::to_string(step) + " " + what);
    };
    state(0, "creating");
    pristine_ = make_communicator(MPI_COMM_WORLD, topology_, algorithm_);
    comm_ = make_communicator(MPI_COMM_WORLD, topology_, algorithm_);
    // Stock persistent requests do not survive their communicator.
    const int actions = algorithm_ == stock ? 8 : 9;
    const int steps = 3 + choices_.below(6);
    for (int step = 1; step <= steps; ++step) {
        std::optional<UserTraffic> own, world;
        if (choices_.chance(0.4)) {
            own.emplace(comm_.get(), choices_.next(), choices_.chance(0.3));
            world.emplace(MPI_COMM_WORLD, choices_.next(), false);
            if (own_.chance(0.5))
                own->send();
            else
                world->send();
        }
        const int action = choices_.below(actions);
        state(step, ("action " + std::to_string(action)).c_str());
        if (shape_ == "one-directional" && step == 1)
            fast_sender();
        else
            act(action);
        if (own) {
            watchdog::detail("completing user messages");
            own->send();
            world->send();
            note(own->finish());
            note(world->finish());
        }
    }
    state(steps, "freeing");
    comm_.free();
    pristine_.free();
    return failure_;
}

} // namespace nbrhood_test
