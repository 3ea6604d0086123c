// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "graphs.h"

#include "common/schema.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

namespace neighbour_times {
namespace {

struct Neighbours {
    std::vector<int> sources, destinations;
};

/// Threads may create communicators at the same time.
struct Graphs {
    std::mutex mutex;
    std::deque<Graph> all; // entries stay when their communicators are freed
    std::map<std::uint64_t, std::int64_t> creations; // by group
};

/// Never destroyed, like the totals.
Graphs &graphs()
{
    static auto *const all = new Graphs;
    return *all;
}

/// A communicator has its graph as an attribute, which is deleted with it, so that the next
/// communicator with the same handle does not get it. A duplicate has a creation of its own.
int key()
{
    static const int made = [] {
        int value = MPI_KEYVAL_INVALID;
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &value, nullptr);
        return value;
    }();
    return made;
}

/// FNV-1a. The length comes first, so that lists which are hashed one after the other stay apart.
std::uint64_t hash(const std::vector<int> &numbers, std::uint64_t begin = 0xcbf29ce484222325U)
{
    const auto add = [](std::uint64_t sum, std::uint64_t number) {
        for (int byte = 0; byte < 8; ++byte)
            sum = (sum ^ (number >> (8 * byte) & 0xffU)) * 0x100000001b3U;
        return sum;
    };
    return std::accumulate(numbers.begin(), numbers.end(), add(begin, numbers.size()),
                           [&](std::uint64_t sum, int number) {
                               return add(sum, static_cast<std::uint32_t>(number));
                           });
}

std::uint64_t hash_of_group(MPI_Comm comm)
{
    MPI_Group group, world;
    int size = 0;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(group, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size)), in_world(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    PMPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return hash(in_world);
}

Neighbours on_grid(MPI_Comm comm)
{
    Neighbours found;
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    for (int d = 0; d < dimensions; ++d) {
        int before = MPI_PROC_NULL, after = MPI_PROC_NULL;
        PMPI_Cart_shift(comm, d, 1, &before, &after);
        found.sources.insert(found.sources.end(), {before, after});
    }
    found.destinations = found.sources;
    return found;
}

Neighbours on_graph(MPI_Comm comm)
{
    Neighbours found;
    int rank = 0, count = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &count);
    found.sources.resize(static_cast<std::size_t>(count));
    PMPI_Graph_neighbors(comm, rank, count, found.sources.data());
    found.destinations = found.sources;
    return found;
}

Neighbours on_distributed_graph(MPI_Comm comm)
{
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    Neighbours found{std::vector<int>(static_cast<std::size_t>(in)),
                     std::vector<int>(static_cast<std::size_t>(out))};
    // MPI also writes the weights if the graph has some.
    std::vector<int> in_weights(found.sources.size()), out_weights(found.destinations.size());
    PMPI_Dist_graph_neighbors(comm, in, found.sources.data(), in_weights.data(), out,
                              found.destinations.data(), out_weights.data());
    return found;
}

Neighbours neighbours_of(MPI_Comm comm)
{
    int topology = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &topology);
    if (topology == MPI_CART)
        return on_grid(comm);
    return topology == MPI_GRAPH ? on_graph(comm) : on_distributed_graph(comm);
}

std::int64_t count_others(MPI_Comm comm, const Neighbours &neighbours)
{
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    const auto others = [&](const std::vector<int> &list) {
        return std::count_if(list.begin(), list.end(),
                             [&](int peer) { return peer != rank && peer != MPI_PROC_NULL; });
    };
    return others(neighbours.sources) + others(neighbours.destinations);
}

Graph *graph_of(MPI_Comm comm)
{
    void *graph = nullptr;
    int found = 0;
    if (!notes_graphs() || comm == MPI_COMM_NULL)
        return nullptr;
    PMPI_Comm_get_attr(comm, key(), static_cast<void *>(&graph), &found);
    return found != 0 ? static_cast<Graph *>(graph) : nullptr;
}

std::string list_of(const std::array<std::atomic<std::int64_t>, kCollectives> &numbers)
{
    std::string text;
    for (const std::atomic<std::int64_t> &number : numbers)
        text += (text.empty() ? "[" : ", ") + std::to_string(number.load());
    return text + "]";
}

std::string json_of(const Graph &graph)
{
    return "{\"group\": " + std::to_string(graph.group) + ", \"creation\": "
           + std::to_string(graph.creation) + ", \"edges\": " + std::to_string(graph.edges)
           + ", \"transposed\": " + std::to_string(graph.transposed) + ", \"neighbours\": "
           + std::to_string(graph.neighbours) + ", \"calls\": " + list_of(graph.calls)
           + ", \"starts\": " + list_of(graph.starts) + "}";
}

const char *directory()
{
    static const char *const name = std::getenv("NBRHOOD_GRAPHS_DIR");
    return name != nullptr && *name != '\0' ? name : nullptr;
}

} // namespace

bool notes_graphs()
{
    return directory() != nullptr;
}

void note_creation(MPI_Comm comm)
{
    if (!notes_graphs() || comm == MPI_COMM_NULL)
        return;
    const Neighbours neighbours = neighbours_of(comm);
    const std::uint64_t group = hash_of_group(comm);
    Graphs &noted = graphs();
    const std::lock_guard<std::mutex> lock(noted.mutex);
    Graph &graph = noted.all.emplace_back();
    graph.group = group;
    graph.creation = noted.creations[group]++;
    graph.edges = hash(neighbours.destinations, hash(neighbours.sources));
    graph.transposed = hash(neighbours.sources, hash(neighbours.destinations));
    graph.neighbours = count_others(comm, neighbours);
    PMPI_Comm_set_attr(comm, key(), &graph);
}

void note_call(MPI_Comm comm, std::size_t collective)
{
    if (Graph *const graph = graph_of(comm))
        graph->calls[collective].fetch_add(1, std::memory_order_relaxed);
}

std::atomic<std::int64_t> *starts_of(MPI_Comm comm, std::size_t collective)
{
    Graph *const graph = graph_of(comm);
    return graph != nullptr ? &graph->starts[collective] : nullptr;
}

std::string begin_json()
{
    return "{\"program\": \"neighbour-times\", \"schema_version\": "
           + std::to_string(nbrhood_tools::schema_version) + ", ";
}

void write_graphs(int rank)
{
    if (!notes_graphs())
        return;
    std::string text = begin_json() + "\"graphs\": [";
    const char *separator = "";
    for (const Graph &graph : graphs().all) {
        text += separator + json_of(graph);
        separator = ",\n";
    }
    text += "], \"complete\": true}\n";
    const std::string name = std::string(directory()) + "/" + std::to_string(rank);
    std::FILE *const file = std::fopen(name.c_str(), "w");
    bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file != nullptr)
        written = std::fclose(file) == 0 && written;
    if (!written)
        std::fprintf(stderr, "neighbour-times: cannot write %s: %s\n", name.c_str(),
                     std::strerror(errno));
}

} // namespace neighbour_times
