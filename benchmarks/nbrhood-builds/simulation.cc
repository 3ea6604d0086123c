// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "simulation.h"

#include "common/allocations.h"
#include "build/component_build.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <malloc.h>
#include <unistd.h>

namespace nbrhood_tools::builds {

namespace {

using nbrhood::BuildNetwork;
using nbrhood::Channel;
using nbrhood::ComponentBuild;
using nbrhood::Counting;
using nbrhood::Rank;

long bytes_of(const BuildNetwork::Words &words)
{
    return static_cast<long>(words.size() * sizeof(BuildNetwork::Words::value_type));
}

/// Memory that this process holds now.
std::int64_t resident_bytes()
{
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    return pages * sysconf(_SC_PAGESIZE);
}

/// One rank, with a count of its build's memory.
class SimulatedRank : public nbrhood::Post {
public:
    SimulatedRank(const nbrhood::Neighbourhood &own, const nbrhood::Machine &machine,
                  const nbrhood::Settings &settings, nbrhood::Collective collective,
                  BuildNetwork &network)
        : rank_(own.rank), collective_(collective), network_(network),
          locality_([&machine, rank = own.rank](Rank peer) {
              return machine.local(rank, peer) ? nbrhood::Locality::same_region
                                               : nbrhood::Locality::elsewhere;
          })
    {
        count([&] {
            build_ = std::make_unique<ComponentBuild>(own, nbrhood::own_facts(machine, rank_),
                                                      collective, settings, locality_, *this,
                                                      [] { return nbrhood::CallCounts{}; });
        });
    }

    void begin()
    {
        count([&] { build_->begin(); });
        drop_if_ended();
    }
    void arrived(const BuildNetwork::Delivery &message)
    {
        count([&] {
            build_->arrived(message.from, message.channel, *message.words);
            while (build_->wants_turn())
                build_->take_turn();
        });
        drop_if_ended();
    }
    /// One of its messages has been received.
    void release(long bytes) { held_.now -= bytes; }

    void send(Rank peer, Channel channel, BuildNetwork::Words words) override
    {
        const long bytes = bytes_of(words);
        {
            const Counting off(false);
            network_.send(rank_, peer, channel, words);
        }
        BuildNetwork::Words().swap(
            words); // from now on this memory counts as that of a message under way
        Counting::hold(bytes);
    }
    void expect(Rank peer, Channel channel) override
    {
        const Counting off(false);
        network_.expect(peer, rank_, channel);
    }

    long most_held() const { return held_.most; }
    bool ended() const { return build_ == nullptr; }
    const char *found() const { return found_; }

private:
    void count(const std::function<void()> &work)
    {
        const Counting::Held before = Counting::exchange(held_);
        {
            const Counting on(true);
            work();
        }
        held_ = Counting::exchange(before);
    }
    void drop_if_ended()
    {
        if (!build_->ended())
            return;
        for (const nbrhood::Served &served :
             build_->topology().served[static_cast<std::size_t>(collective_)])
            if (build_->first_served() && served.choice > nbrhood::kDirectChoice)
                found_ = nbrhood::choice_name(served.choice);
        count([&] { build_.reset(); });
    }

    Rank rank_;
    nbrhood::Collective collective_;
    BuildNetwork &network_;
    std::function<nbrhood::Locality(Rank)> locality_;
    Counting::Held held_;
    const char *found_ = "nothing";
    std::unique_ptr<ComponentBuild> build_;
};

using Ranks = std::vector<std::unique_ptr<SimulatedRank>>;

Amounts amounts_of(const BuildNetwork &network, std::size_t ranks, bool only_waves)
{
    Amounts sum;
    for (std::size_t r = 0; r < ranks; ++r) {
        BuildNetwork::Count own;
        for (int channel = 0; channel < (only_waves ? 1 : nbrhood::kChannels); ++channel) {
            const BuildNetwork::Count &count =
                network.counts(static_cast<Rank>(r))[static_cast<std::size_t>(channel)];
            own.sent += count.sent;
            own.bytes_sent += count.bytes_sent;
            own.bytes_received += count.bytes_received;
            sum.rounds = std::max(sum.rounds, count.rounds);
        }
        sum.messages += own.sent;
        sum.bytes += own.bytes_sent;
        sum.messages_of_busiest = std::max(sum.messages_of_busiest, own.sent);
        sum.bytes_sent_by_busiest = std::max(sum.bytes_sent_by_busiest, own.bytes_sent);
        sum.bytes_received_by_busiest = std::max(sum.bytes_received_by_busiest, own.bytes_received);
    }
    return sum;
}

/// "two_step", or "nothing (24 ranks), two_step (1000)".
std::string describe_found(const Ranks &ranks)
{
    std::map<std::string, int> count;
    for (const auto &rank : ranks)
        ++count[rank->found()];
    if (count.size() == 1)
        return count.begin()->first;
    std::string text;
    for (const auto &[name, number] : count)
        text += (text.empty() ? "" : ", ") + name + " (" + std::to_string(number) + ")";
    return text;
}

} // namespace

SimulationReport simulate(const std::vector<nbrhood::Neighbourhood> &graph,
                          const nbrhood::Machine &machine, const SimulationSettings &settings)
{
    malloc_trim(0); // leftovers of an earlier simulation
    const std::clock_t begin = std::clock();
    const auto seconds = [&] { return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; };
    nbrhood::Settings build;
    build.choice.fill(nbrhood::kDefault);
    build.choice[static_cast<std::size_t>(settings.collective)] = settings.choice;
    BuildNetwork network(graph.size(), settings.order);
    Ranks ranks;
    for (const nbrhood::Neighbourhood &own : graph)
        ranks.push_back(
            std::make_unique<SimulatedRank>(own, machine, build, settings.collective, network));
    for (const auto &rank : ranks)
        rank->begin();
    SimulationReport report;
    for (std::size_t steps = 0; const auto message = network.take(); ++steps) {
        ranks[static_cast<std::size_t>(message->from)]->release(bytes_of(*message->words));
        if (report.stopped.empty() && steps % 64 == 0) {
            if (seconds() > settings.most_seconds)
                report.stopped = "it took too long";
            else if (resident_bytes() > settings.most_bytes)
                report.stopped = "it needed too much memory";
        }
        if (report.stopped.empty() || message->channel == Channel::wave)
            ranks[static_cast<std::size_t>(message->to)]->arrived(*message);
    }
    report.waves = amounts_of(network, graph.size(), true);
    report.all = amounts_of(network, graph.size(), false);
    for (const auto &rank : ranks) {
        report.bytes_held = std::max<std::int64_t>(report.bytes_held, rank->most_held());
        if (report.stopped.empty() && !rank->ended())
            report.stopped = "a rank waits forever";
    }
    report.found = describe_found(ranks);
    report.seconds = seconds();
    return report;
}

} // namespace nbrhood_tools::builds
