// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "replay.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "select/model.h"

namespace nbrhood::test {
namespace {

namespace sg = simgrid::s4u;

// SimGrid's clock counts microseconds here: its precision is absolute.
constexpr double kClock = 1e6;
constexpr double kSpeed = 1e6;      // flops a microsecond, of each core
constexpr double kUnlimited = 1e18; // bytes a microsecond

// The cores of a node whose ranks outnumber them; see replay().
struct Cores {
    sg::SemaphorePtr idle;
    std::vector<Rank> last; // by core: the rank that had it last
    std::vector<char> busy;
    std::vector<std::uint64_t> since; // by core: when it was given back, by a counter
    std::uint64_t given_back = 0;
};

// A rank: the tasks that it may do next, and the messages that it waits for.
struct Process {
    std::deque<std::uint32_t> tasks; // 2 * message to send it, 2 * message + 1 to receive it
    sg::SemaphorePtr bell;           // rung whenever a task is added
    std::vector<std::uint32_t> expects;
    std::size_t to_do = 0; // messages to send and to receive
    double finished = 0;
};

class Replay {
public:
    Replay(const Flow &flow, const Cluster &cluster, const Costs &costs)
        : flow_(flow), cluster_(cluster), costs_(costs),
          oversubscribed_(cluster.ranks_per_core() > 1), processes_(cluster.node_of.size()),
          cores_(cluster.cores.size())
    {
        for (std::uint32_t m = 0; m < flow.messages().size(); ++m) {
            const FlowMessage &message = flow.messages()[m];
            missing_.push_back(message.waits_for);
            process(message.destination).expects.push_back(m);
            ++process(message.destination).to_do;
            ++process(message.source).to_do;
            // The data, if it crosses nodes, and the notice that the source has finished with it.
            parts_.push_back(local(message) ? 1 : 2);
            if (message.waits_for == 0) {
                process(message.source).tasks.push_back(2 * m);
            }
        }
    }

    double run(sg::Engine &engine)
    {
        build_platform();
        for (Rank rank = 0; rank < flow_.ranks(); ++rank) {
            sg::Host *host = hosts_[node_of(rank)];
            process(rank).bell = sg::Semaphore::create(0);
            // The network delivers data in the order in which it arrives.
            if (!process(rank).expects.empty()) {
                sg::Actor::create("network " + std::to_string(rank), host,
                                  [this, rank] { receive(rank); });
            }
            sg::Actor::create("rank " + std::to_string(rank), host, [this, rank] { work(rank); });
        }
        engine.run();
        double seconds = 0;
        for (const Process &own : processes_) {
            if (own.to_do > 0) {
                throw std::runtime_error("a rank waits forever");
            }
            seconds = std::max(seconds, own.finished / kClock);
        }
        return seconds;
    }

private:
    Process &process(Rank rank) { return processes_[static_cast<std::size_t>(rank)]; }
    std::size_t node_of(Rank rank) const
    {
        return static_cast<std::size_t>(cluster_.node_of[static_cast<std::size_t>(rank)]);
    }
    bool local(const FlowMessage &message) const
    {
        return node_of(message.source) == node_of(message.destination);
    }

    void build_platform()
    {
        sg::NetZone *zone = sg::create_star_zone("cluster");
        const double latency = oversubscribed_ ? 0 : costs_.phase_latency * kClock;
        const double rate =
            costs_.injection_byte > 0 ? 1 / (costs_.injection_byte * kClock) : kUnlimited;
        for (std::size_t node = 0; node < cluster_.cores.size(); ++node) {
            const std::string name = "node " + std::to_string(node);
            sg::Host *host =
                zone->create_host(name, kSpeed)->set_core_count(cluster_.cores[node])->seal();
            const sg::Link *out =
                zone->create_link(name + " out", rate)->set_latency(latency)->seal();
            const sg::Link *in = zone->create_link(name + " in", rate)->set_latency(0)->seal();
            const sg::Link *memory = zone->create_link(name + " memory", kUnlimited)
                                         ->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)
                                         ->set_latency(latency)
                                         ->seal();
            auto *point = host->get_netpoint();
            zone->add_route(point, nullptr, nullptr, nullptr, {sg::LinkInRoute(out)}, false);
            zone->add_route(nullptr, point, nullptr, nullptr, {sg::LinkInRoute(in)}, false);
            zone->add_route(point, point, nullptr, nullptr, {sg::LinkInRoute(memory)}, false);
            hosts_.push_back(host);
            cores_[node].idle = sg::Semaphore::create(static_cast<unsigned>(cluster_.cores[node]));
            cores_[node].last.assign(static_cast<std::size_t>(cluster_.cores[node]), kNoRank);
            cores_[node].busy.assign(cores_[node].last.size(), 0);
            cores_[node].since.assign(cores_[node].last.size(), 0);
        }
        zone->seal();
    }

    static sg::Mailbox *mailbox(std::uint32_t message, int part)
    {
        return sg::Mailbox::by_name(std::to_string(message) + "/" + std::to_string(part));
    }

    // All receives are posted at once; a message has arrived when its last part has.
    void receive(Rank rank)
    {
        std::vector<sg::CommPtr> open;
        std::vector<std::uint32_t> message_of;
        std::vector<void *> ignored(2 * process(rank).expects.size());
        for (const std::uint32_t m : process(rank).expects) {
            for (int part = 0; part < parts_[m]; ++part) {
                open.push_back(mailbox(m, part)->get_async<void>(&ignored[open.size()]));
                message_of.push_back(m);
            }
        }
        while (!open.empty()) {
            const auto done = static_cast<std::ptrdiff_t>(sg::Comm::wait_any(open));
            const std::uint32_t m = message_of[static_cast<std::size_t>(done)];
            open.erase(open.begin() + done);
            message_of.erase(message_of.begin() + done);
            if (--parts_[m] == 0) {
                process(rank).tasks.push_back(2 * m + 1);
                process(rank).bell->release();
            }
        }
    }

    void work(Rank rank)
    {
        Process &own = process(rank);
        bool copies = flow_.self_bytes(rank) > 0;
        int core = -1;
        while (own.to_do > 0 || copies) {
            if (own.tasks.empty() && !copies) {
                give_back(rank, core);
                own.bell->acquire(); // perhaps for a task that was taken without waiting
                continue;
            }
            get_core(rank, core);
            if (own.tasks.empty()) { // others wait for messages, nobody for these
                copies = false;
                execute(static_cast<double>(flow_.self_bytes(rank)) * costs_.copy_byte);
            } else {
                const std::uint32_t task = own.tasks.front();
                own.tasks.pop_front();
                --own.to_do;
                (task % 2 == 0) ? send(task / 2) : take_in(task / 2);
            }
            own.finished = sg::Engine::get_clock();
        }
        give_back(rank, core);
    }

    void send(std::uint32_t m)
    {
        const FlowMessage &message = flow_.messages()[m];
        if (!local(message)) {
            mailbox(m, 1)->put_init(&payload_, message.bytes)->detach();
        }
        execute(seconds_at_an_end(message, message.gathered,
                                  message.gathered != 0 ? message.bytes : 0));
        mailbox(m, 0)->put_init(&payload_, 0)->detach();
    }

    void take_in(std::uint32_t m)
    {
        const FlowMessage &message = flow_.messages()[m];
        execute(seconds_at_an_end(message, message.scattered, message.scattered_bytes)
                + static_cast<double>(message.copied_bytes) * costs_.copy_byte);
        for (const std::uint32_t next : flow_.feeds(m)) {
            if (--missing_[next] == 0) {
                process(message.destination).tasks.push_back(2 * next);
            }
        }
    }

    // Half of the postal cost, and the copies of this many segments: core/select/costs.h and
    // model.h define them.
    double seconds_at_an_end(const FlowMessage &message, std::uint32_t segments,
                             std::uint64_t copied_bytes) const
    {
        const LinkCosts &link = costs_[cluster_.link(message.source, message.destination)];
        const auto bytes = static_cast<double>(message.bytes);
        const double postal = bytes > costs_.protocol_switch
                                  ? link.long_message + link.long_byte * bytes
                                  : link.message + link.byte * bytes;
        const double handled = per_block_overhead(costs_, oversubscribed_) * segments;
        return (postal + handled) / 2 + costs_.copy_byte * static_cast<double>(copied_bytes);
    }

    static void execute(double seconds)
    {
        if (seconds > 0) {
            sg::this_actor::execute(seconds * kClock * kSpeed);
        }
    }

    // Gives the rank a core, in the variable, unless it has one.
    void get_core(Rank rank, int &core)
    {
        if (core >= 0) {
            return;
        }
        Cores &home = cores_[node_of(rank)];
        home.idle->acquire();
        for (int c = 0; c < static_cast<int>(home.last.size()); ++c) {
            const auto at = static_cast<std::size_t>(c);
            if (home.busy[at] != 0) {
                continue;
            }
            if (home.last[at] == rank) {
                core = c;
                break;
            }
            if (core < 0 || home.since[at] < home.since[static_cast<std::size_t>(core)]) {
                core = c; // the one that nobody has used for the longest time
            }
        }
        const auto at = static_cast<std::size_t>(core);
        const bool goes_over = home.last[at] != kNoRank && home.last[at] != rank;
        home.busy[at] = 1;
        home.last[at] = rank;
        if (oversubscribed_ && goes_over) {
            execute(costs_.phase_latency);
        }
    }

    void give_back(Rank rank, int &core)
    {
        if (core >= 0) {
            Cores &home = cores_[node_of(rank)];
            home.busy[static_cast<std::size_t>(core)] = 0;
            home.since[static_cast<std::size_t>(core)] = ++home.given_back;
            core = -1;
            home.idle->release();
        }
    }

    const Flow &flow_;
    const Cluster &cluster_;
    const Costs &costs_;
    bool oversubscribed_;
    std::vector<Process> processes_;
    std::vector<Cores> cores_; // by node
    std::vector<sg::Host *> hosts_;
    std::vector<std::uint32_t> missing_; // by message: the messages that it still waits for
    std::vector<int> parts_;             // by message: the parts of it that have not arrived
    char payload_ = 0;
};

double replay_here(const Flow &flow, const Cluster &cluster, const Costs &costs)
{
    std::vector<std::string> words{"replay", "--log=root.thresh:error", "--cfg=network/model:CM02",
                                   "--cfg=network/optim:Lazy"};
    std::vector<char *> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string &word : words) {
        arguments.push_back(word.data());
    }
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    sg::Engine engine(&count, arguments.data());
    // Links without the factors and windows by which SimGrid imitates TCP.
    sg::Engine::set_config("network/bandwidth-factor:1");
    sg::Engine::set_config("network/latency-factor:1");
    sg::Engine::set_config("network/weight-S:0");
    sg::Engine::set_config("network/TCP-gamma:0");
    sg::Engine::set_config("network/crosstraffic:no");
    sg::Engine::set_config("contexts/stack-size:128");
    return Replay(flow, cluster, costs).run(engine);
}

} // namespace

double replay(const Flow &flow, const Cluster &cluster, const Costs &costs)
{
    int ends[2];
    if (pipe(ends) != 0) {
        throw std::runtime_error("cannot make a pipe");
    }
    std::fflush(nullptr); // or the child would write it once more
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error("cannot make a process");
    }
    if (child == 0) {
        close(ends[0]);
        int status = 1;
        try {
            const double seconds = replay_here(flow, cluster, costs);
            status = write(ends[1], &seconds, sizeof seconds) == sizeof seconds ? 0 : 1;
        } catch (const std::exception &error) {
            std::fprintf(stderr, "the replay in SimGrid fails: %s\n", error.what());
        }
        _exit(status);
    }
    close(ends[1]);
    double seconds = 0;
    const ssize_t got = read(ends[0], &seconds, sizeof seconds);
    close(ends[0]);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0 || got != sizeof seconds) {
        throw std::runtime_error("the replay in SimGrid does not come to an end");
    }
    return seconds;
}

} // namespace nbrhood::test
