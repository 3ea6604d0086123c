// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Cases with enough calls for all rounds of a trial, while persistent requests are made, and
// started now and then: whether the pattern serves a start must follow from its number alone.
#include "common_mpi_t.h"
#include "common_random.h"
#include "verify_case.h"

#include <algorithm>
#include <functional>
#include <unistd.h>

namespace nbrhood_test {

namespace {

constexpr double kLingerOfTrials = 2e-3; // seconds, in which builds go on
constexpr int kSteps = 72;
constexpr int kStepsOfRequest = 9; // steps until the next request is made

constexpr double kStep = 6e-3; // minimum seconds of a step
constexpr int kRequests = 16;
constexpr int kStartsBehind = 2; // starts by which each request is behind the one before
constexpr int kStepsOfRounds = 70;
constexpr int kMostCalls = 250; // calls until a pattern serves
constexpr int kEarly = 20;      // calls before a build, few enough for a quick second trial
constexpr double kSlow = 8e-3;  // seconds after a call of the pattern
constexpr int kQuiet = 60;      // more calls than lie between two calls of the pattern in a trial
constexpr int kLongestInterval = 2000; // calls between two questions about sizes

bool is_tried(const Context &context)
{
    return context.algorithm == "auto" && Parameters().builds_later();
}

std::vector<std::size_t> those_of(std::size_t requests,
                                  const std::function<bool(int request)> &is_started)
{
    std::vector<std::size_t> started;
    for (std::size_t r = 0; r < requests; ++r) {
        if (is_started(static_cast<int>(r)))
            started.push_back(r);
    }
    return started;
}

void start_and_wait(Context &context, std::vector<Pending> &requests,
                    const std::vector<std::size_t> &started, int step, bool is_late)
{
    for (const std::size_t r : started) {
        requests[r].prepare(step);
        context.check(requests[r].entry(), requests[r].start());
    }
    if (is_late)
        linger(kLingerOfTrials);
    for (const std::size_t r : random_order(started.size(), context.seed))
        context.check(requests[started[r]].entry(), requests[started[r]].wait());
}

// calls: whether the step also makes a call.
void go_through_trial(Context &context, const Topology &topology, bool calls)
{
    const int steps = is_tried(context) ? kSteps : 2;
    for (const Operation operation : {Operation::alltoallv, Operation::allgather}) {
        const Communicator comm = context.create(topology);
        const Workload workload = varied_workload(context.seed);
        std::vector<Pending> requests;
        for (int step = 0; step < steps; ++step) {
            if (step % kStepsOfRequest == 0) {
                requests.emplace_back(entry_point(operation, Variant::persistent), topology,
                                      context.rank, workload, context.seed);
                context.check(requests.back().entry(), requests.back().invoke(comm.get()));
            }
            // Later requests are started less often, so that at any time the starts of the requests
            // have different numbers.
            start_and_wait(context, requests,
                           those_of(requests.size(), [step](int r) { return step % (r + 1) == 0; }),
                           step, (context.rank + step) % 5 == 0);
            if (calls)
                run_entries(context,
                            {entry_point(operation,
                                         step % 3 == 0 ? Variant::nonblocking : Variant::blocking)},
                            comm, topology, workload);
        }
        for (Pending &request : requests)
            context.check(request.entry(), request.free());
    }
}

// Neither way is much faster if most of a step is other work, so one round follows the other. Later
// requests are more starts behind. So when ranks learn of a round, some request is at a start of
// each earlier block; and ranks that made no progress in MPI before the step do not know of the
// round yet.
void lag_behind_rounds(Context &context)
{
    const Topology topology = context.random_topology(0.5);
    const Workload workload = varied_workload(context.seed);
    const int steps = is_tried(context) ? kStepsOfRounds : 2;
    for (const Operation operation : {Operation::alltoallv, Operation::allgather}) {
        const Communicator comm = context.create(topology);
        std::vector<Pending> requests;
        for (int i = 0; i < (is_tried(context) ? kRequests : 1); ++i) {
            requests.emplace_back(entry_point(operation, Variant::persistent), topology,
                                  context.rank, workload, context.seed);
            context.check(requests.back().entry(), requests.back().invoke(comm.get()));
        }
        for (int step = 0; step < steps; ++step) {
            if ((context.rank / (1 + step % 3) + step) % 2 == 0)
                usleep(static_cast<useconds_t>(kStep * 1e6));
            else
                linger(kStep);
            start_and_wait(
                context, requests,
                those_of(requests.size(), [step](int r) { return step >= kStartsBehind * r; }),
                step, false);
        }
        for (Pending &request : requests)
            context.check(request.entry(), request.free());
    }
}

// One more call after the others; returns how many messages this rank sent.
unsigned long long count_messages(Context &context, const Communicator &comm,
                                  const Topology &topology, int number)
{
    Pending call(entry_point(Operation::alltoallv, Variant::blocking), topology, context.rank,
                 varied_workload(context.seed), context.seed);
    const Pvars pvars;
    call.prepare(number);
    context.check(call.entry(), call.invoke(comm.get()));
    context.check(call.entry(), call.wait());
    return pvars.count("messages_local") + pvars.count("messages_nonlocal");
}

// If a pattern is found, it serves a block of the first round, direct messages serve the next one,
// and the pattern the last one, whatever was measured. The number of messages that this rank sends
// shows which of the two serves.
void serve_in_blocks(Context &context)
{
    const int block = static_cast<int>(Parameters().read("coll_nbrhood_trial_calls", 0));
    const int most = is_tried(context) && block > 0 ? kMostCalls : 1;
    const Topology topology = context.random_topology(0.5);
    const Communicator comm = context.create(topology);
    std::vector<unsigned long long> sent;
    int first = 0; // call of the pattern, of any rank; 0: none yet
    for (int i = 0; i < (first == 0 ? most : first + 3 * block + 1); ++i) {
        sent.push_back(count_messages(context, comm, topology, i));
        const int own = first == 0 && sent.back() != sent.front() ? i : 0;
        int any = 0;
        MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        first = std::max(first, any);
        linger(kLingerOfTrials);
    }
    const auto pattern = static_cast<std::size_t>(first);
    for (int i = first; first != 0 && i <= first + 3 * block; ++i) {
        const bool is_direct = i >= first + block && i < first + 2 * block;
        context.expect(sent[static_cast<std::size_t>(i)]
                           == (is_direct ? sent.front() : sent[pattern]),
                       "another way serves call " + std::to_string(i - first) + " of the trial");
    }
}

bool on_any(bool own)
{
    int any = own ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any != 0;
}

// A pattern is given up if its calls are slow (here because the program waits), and tried once
// more, ten times as many calls later.
void try_again(Context &context)
{
    const Parameters parameters;
    const bool tried = is_tried(context) && parameters.read("coll_nbrhood_trial_calls", 0) > 0
                       && parameters.read("coll_nbrhood_build_after", 0) <= kEarly;
    const Topology topology = context.random_topology(0.5);
    const Communicator comm = context.create(topology);
    const unsigned long long direct = count_messages(context, comm, topology, 0);
    int calls = 1, last = 0; // call of the pattern
    for (; tried && calls < (last == 0 ? kMostCalls : last + kQuiet); ++calls) {
        const bool served = on_any(count_messages(context, comm, topology, calls) != direct);
        last = served ? calls : last;
        linger(served ? kSlow : kLingerOfTrials);
    }
    if (last == 0)
        return; // nothing gained
    const int soonest = 10 * (last - kQuiet), latest = 10 * calls + kLongestInterval;
    bool again = false;
    for (; !again && calls < latest; ++calls) {
        const bool served = count_messages(context, comm, topology, calls) != direct;
        again = on_any(served);
        context.expect(!again || calls >= soonest, "a pattern is tried again too soon");
    }
    context.expect(again, "a pattern that was given up is not tried again");
}

// An info key lets builds begin with the first call. If its value differs between ranks, direct
// messages serve. The calls also reach the number that begins a build without the key.
void declare_reuse(Context &context)
{
    const Topology topology = context.random_topology(0.5);
    Exercise exercise;
    exercise.rounds =
        10 + static_cast<int>(std::min(100L, Parameters().read("coll_nbrhood_build_after", 0)));
    for (const std::string value : {"many", "40", "3", "differs"}) {
        Construction construction;
        construction.reuse = value != "differs" ? value : context.rank == 0 ? "many" : "";
        const Communicator comm = context.create(topology, construction);
        for (const Variant variant : {Variant::blocking, Variant::nonblocking, Variant::persistent})
            run_entries(context, {entry_point(Operation::alltoallv, variant)}, comm, topology,
                        varied_workload(context.seed), exercise);
        run_entries(context, {entry_point(Operation::allgather, Variant::nonblocking)}, comm,
                    topology, varied_workload(context.seed), exercise);
    }
}

} // namespace

const std::vector<Case> &trial_cases()
{
    static const std::vector<Case> cases = {
        {"trials-dense", [](Context &c) { go_through_trial(c, c.random_topology(0.5), true); }},
        {"trials-in-parts",
         [](Context &c) { go_through_trial(c, c.random_topology(1.0 / c.size), true); }},
        {"trials-of-starts",
         [](Context &c) { go_through_trial(c, c.random_topology(0.3), false); }},
        {"trials-rounds", lag_behind_rounds},
        {"trials-blocks", serve_in_blocks},
        {"trials-again", try_again},
        {"reuse-declared", declare_reuse},
    };
    return cases;
}

} // namespace nbrhood_test
