// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// Creation and description of topologies for the glue.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>

#include "build/creation_build.h"
#include "capi/settings.h"
#include "capi/topology.h"
#include "engine/recording.h"

using namespace nbrhood;

static_assert(NBRHOOD_INTERVALS == kMostIntervals, "the C interface has room for all intervals");

namespace {

int32_t *take_words(void *sink, std::size_t count)
{
    auto *words = static_cast<std::vector<std::int32_t> *>(sink);
    try {
        words->resize(count);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
    return words->data();
}

// Sends and receives the messages of a creation by the glue's callbacks, which wait.
class CreationPost : public Post {
public:
    explicit CreationPost(const nbrhood_creation &callbacks) : callbacks_(callbacks) {}

    void send(Rank peer, Channel, std::vector<std::int32_t> words) override
    {
        sent_.push_back(std::move(words));
        if (error_ == 0) {
            error_ =
                callbacks_.send(callbacks_.context, peer, sent_.back().data(), sent_.back().size());
        }
    }
    void expect(Rank peer, Channel) override { expected_.push_back(peer); }

    // Takes part until the build has ended; returns the first error of a callback.
    int run(CreationBuild &build)
    {
        try {
            build.begin();
            while (!build.ended() && error_ == 0) {
                if (build.wants_turn()) {
                    build.take_turn();
                } else {
                    receive(build);
                }
            }
        } catch (...) {
            callbacks_.flush(callbacks_.context);
            throw;
        }
        const int flushed = callbacks_.flush(callbacks_.context);
        return error_ != 0 ? error_ : flushed;
    }

private:
    // Receives the messages in the order in which they are expected.
    void receive(CreationBuild &build)
    {
        const Rank peer = expected_.front();
        expected_.pop_front();
        std::vector<std::int32_t> words;
        error_ = callbacks_.receive(callbacks_.context, peer, take_words, &words);
        if (error_ == 0) {
            build.arrived(peer, std::move(words));
        }
    }

    const nbrhood_creation &callbacks_;
    std::deque<std::vector<std::int32_t>> sent_; // kept until they are sent
    std::deque<Rank> expected_;
    int error_ = 0;
};

std::vector<Rank> ranks_of(const nbrhood_neighbours &given)
{
    return given.degree > 0 ? std::vector<Rank>(given.ranks, given.ranks + given.degree)
                            : std::vector<Rank>();
}

// All equal if the user gave none in this direction.
std::vector<std::int32_t> weights_of(const nbrhood_neighbours &given)
{
    const auto count = static_cast<std::size_t>(std::max(0, given.degree));
    return given.weights != nullptr
               ? std::vector<std::int32_t>(given.weights, given.weights + count)
               : std::vector<std::int32_t>(count, 1);
}

Neighbourhood neighbourhood_of(int rank, bool cartesian, const nbrhood_neighbours &sources,
                               const nbrhood_neighbours &destinations)
{
    if (cartesian) {
        return match_cartesian(rank, ranks_of(sources));
    }
    Neighbourhood result = match_by_order(rank, ranks_of(sources), ranks_of(destinations));
    set_weights(result, weights_of(sources), weights_of(destinations));
    return result;
}

const ServedSizes &sizes_of(const nbrhood_topology *topology, int collective)
{
    return topology->data.served[static_cast<std::size_t>(collective)];
}

} // namespace

Place nbrhood::place_of(const nbrhood_place &given)
{
    Place place;
    place.node = given.node;
    std::copy(std::begin(given.domains), std::end(given.domains), place.domains.begin());
    return place;
}

void nbrhood::record(Topology &topology, const Neighbourhood &neighbourhood, Place place,
                     Rank ranks, const Settings &settings, nbrhood_recording &recording)
{
    try {
        const Recording result =
            record_patterns(topology, neighbourhood, place, ranks, settings,
                            RecordingPlace{recording.directory, recording.job, recording.number});
        recording.files = result.files;
        recording.failed = !result.failure.empty();
        std::snprintf(recording.text, sizeof recording.text, "%s",
                      (recording.failed ? result.failure : result.directory).c_str());
    } catch (const std::exception &reason) {
        recording.failed = true;
        std::snprintf(recording.text, sizeof recording.text, "%s: %s", recording.directory,
                      reason.what());
    }
}

int nbrhood_topology_create(int rank, int ranks, nbrhood_place place, bool cartesian,
                            const nbrhood_neighbours *sources,
                            const nbrhood_neighbours *destinations,
                            const nbrhood_settings *settings, const nbrhood_creation *creation,
                            nbrhood_recording *recording, nbrhood_topology **topology)
{
    *topology = nullptr;
    try {
        auto result = std::make_unique<nbrhood_topology>();
        const Neighbourhood neighbourhood =
            neighbourhood_of(rank, cartesian, *sources, *destinations);
        Settings all = settings_of(*settings);
        all.keep_patterns = recording->directory != nullptr;
        const Place own_place = place_of(place);
        const std::function<Locality(Rank)> locality = [creation](Rank peer) {
            return static_cast<Locality>(creation->locality(creation->context, peer));
        };
        CreationPost post(*creation);
        CreationBuild build(neighbourhood, own_place, ranks, all, locality, post);
        const int error = post.run(build);
        if (error == 0) {
            result->data = std::move(build.topology());
            if (all.keep_patterns) {
                record(result->data, neighbourhood, own_place, ranks, all, *recording);
            }
            *topology = result.release();
        }
        return error;
    } catch (const std::bad_alloc &) {
        return NBRHOOD_ERR_MEMORY;
    } catch (...) {
        return NBRHOOD_ERR_INTERNAL;
    }
}

nbrhood_topology *nbrhood_topology_create_direct(int rank, bool cartesian,
                                                 const nbrhood_neighbours *sources,
                                                 const nbrhood_neighbours *destinations,
                                                 const int *choices, bool may_build)
{
    try {
        auto result = std::make_unique<nbrhood_topology>();
        result->later = std::make_unique<const Neighbourhood>(
            neighbourhood_of(rank, cartesian, *sources, *destinations));
        create_direct_topology(*result->later, choices_of(choices), may_build, result->data);
        return result.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

bool nbrhood_topology_prepare(nbrhood_topology *topology, int collective)
{
    try {
        if (topology->later != nullptr) {
            prepare_direct(*topology->later, static_cast<Collective>(collective), topology->data);
        }
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

nbrhood_topology *nbrhood_topology_share(nbrhood_topology *topology)
{
    if (topology != nullptr) {
        topology->owners.fetch_add(1);
    }
    return topology;
}

void nbrhood_topology_destroy(nbrhood_topology *topology)
{
    if (topology != nullptr && topology->owners.fetch_sub(1) == 1) {
        delete topology;
    }
}

void nbrhood_topology_describe(const nbrhood_topology *topology, nbrhood_topology_info *info)
{
    const Topology &data = topology->data;
    info->diagnostic = static_cast<int>(data.diagnostic);
    info->differing_rank = data.differing_rank;
    info->first_presence = data.first_presence;
    info->differing_presence = data.differing_presence;
    info->synchronisations = data.synchronisations;
    info->regions = data.facts.regions;
    info->whole_nodes = data.whole_nodes;
    std::snprintf(info->costs, sizeof info->costs, "%s", data.costs.name.c_str());
    info->ranks_with_edges = data.facts.ranks_with_edges;
    info->edges = data.facts.edges;
    info->edges_nonlocal = data.facts.edges_nonlocal;
    info->expectations = 0;
    for (const Expectation &expected : data.expected) {
        if (info->expectations < NBRHOOD_EXPECTATIONS) {
            info->expected[info->expectations++] =
                nbrhood_expectation{expected.choice,
                                    static_cast<int>(expected.kind),
                                    expected.traffic.relayed.local(),
                                    expected.traffic.relayed.nonlocal,
                                    expected.block_bytes,
                                    expected.direct_seconds,
                                    expected.relayed_seconds,
                                    expected.combining_threshold};
        }
    }
}

bool nbrhood_has_edges(const nbrhood_topology *topology)
{
    return topology->data.send_slots + topology->data.receive_slots != 0;
}

size_t nbrhood_topology_region(const nbrhood_topology *topology, const int **ranks)
{
    *ranks = topology->data.region.data();
    return topology->data.region.size();
}

int nbrhood_intervals(const nbrhood_topology *topology, int collective)
{
    return static_cast<int>(sizes_of(topology, collective).size());
}

int nbrhood_interval(const nbrhood_topology *topology, int collective, size_t sent, size_t received)
{
    const std::size_t bytes = topology->data.sends ? sent : received;
    int interval = 0;
    for (const Served &served : sizes_of(topology, collective)) {
        if (bytes <= served.most) {
            break;
        }
        ++interval;
    }
    return interval;
}

int nbrhood_topology_named_by(const nbrhood_topology *topology)
{
    return topology->data.named_by;
}

int nbrhood_served_choice(const nbrhood_topology *topology, int collective)
{
    return sizes_of(topology, collective).front().choice;
}

const char *nbrhood_served_reason(const nbrhood_topology *topology, int collective)
{
    return nbrhood::describe(sizes_of(topology, collective).front().reason);
}

void nbrhood_served_sizes(const nbrhood_topology *topology, int collective, char *text, size_t room)
{
    const ServedSizes &sizes = sizes_of(topology, collective);
    std::size_t length = 0;
    text[0] = '\0';
    for (std::size_t i = 1; i < sizes.size() && length < room; ++i) {
        const int written =
            std::snprintf(text + length, room - length, "%sabove %zu bytes %s", i == 1 ? "" : ", ",
                          sizes[i - 1].most, choice_name(sizes[i].choice));
        length += static_cast<std::size_t>(std::max(0, written));
    }
}

bool nbrhood_serves(const nbrhood_topology *topology, int collective)
{
    return sizes_of(topology, collective).front().program != nullptr;
}

size_t nbrhood_receive_blocks(const nbrhood_topology *topology)
{
    return topology->data.receive_slots;
}

size_t nbrhood_send_blocks(const nbrhood_topology *topology, int collective)
{
    return kind_of(static_cast<Collective>(collective)) == BlockKind::one_per_rank
               ? 1
               : topology->data.send_slots;
}

size_t nbrhood_null_receives(const nbrhood_topology *topology, const uint32_t **slots)
{
    *slots = topology->data.null_receives.data();
    return topology->data.null_receives.size();
}

size_t nbrhood_null_sends(const nbrhood_topology *topology, int collective, const uint32_t **slots)
{
    *slots = topology->data.null_sends.data();
    return kind_of(static_cast<Collective>(collective)) == BlockKind::one_per_rank
               ? 0
               : topology->data.null_sends.size();
}
