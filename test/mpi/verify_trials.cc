// Cases with enough calls for a build in doubt and all rounds of its trial, while persistent
// requests are made, and started now and then: what serves a start must follow from its number
// alone.
#include "common_mpi_t.h"
#include "common_random.h"
#include "verify_case.h"

namespace nbrhood_test {

namespace {

constexpr double kLinger = 2e-3; // seconds, in which builds go on
constexpr int kSteps = 72;
constexpr int kStepsOfRequest = 9; // until the next one is made

// The later a request was made the more seldom it is started, so that their starts have different
// numbers at a time.
bool is_started(std::size_t request, int step)
{
    return step % static_cast<int>(request + 1) == 0;
}

void start_and_wait(Context &context, std::vector<Pending> &requests, int step, bool is_late)
{
    std::vector<std::size_t> started;
    for (std::size_t r = 0; r < requests.size(); ++r) {
        if (is_started(r, step)) {
            requests[r].prepare(step);
            context.check(requests[r].entry(), requests[r].start());
            started.push_back(r);
        }
    }
    if (is_late)
        linger(kLinger);
    for (const std::size_t r : random_order(started.size(), context.seed))
        context.check(requests[started[r]].entry(), requests[started[r]].wait());
}

// calls: beside the starts.
void go_through_trial(Context &context, const Topology &topology, bool calls)
{
    const bool is_tried = context.algorithm == "auto" && Parameters().builds_later();
    const int steps = is_tried ? kSteps : 2;
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
            start_and_wait(context, requests, step, (context.rank + step) % 5 == 0);
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

} // namespace

const std::vector<Case> &trial_cases()
{
    static const std::vector<Case> cases = {
        {"trials-dense", [](Context &c) { go_through_trial(c, c.random_topology(0.5), true); }},
        {"trials-in-parts",
         [](Context &c) { go_through_trial(c, c.random_topology(1.0 / c.size), true); }},
        {"trials-of-starts",
         [](Context &c) { go_through_trial(c, c.random_topology(0.3), false); }},
    };
    return cases;
}

} // namespace nbrhood_test
