// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "layout.h"

#include <algorithm>
#include <map>
#include <unistd.h>

namespace nbrhood_tools::calibrate {

namespace {

/// The rank's node, or socket, named by the lowest rank on it.
int first_on(MPI_Comm comm, int rank, int split_type)
{
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split_type(comm, split_type, rank, MPI_INFO_NULL, &part);
    int first = rank;
    MPI_Bcast(&first, 1, MPI_INT, 0, part);
    MPI_Comm_free(&part);
    return first;
}

/// A node's ranks by socket; first_of[rank] is the lowest rank of its socket.
std::vector<std::vector<int>> split(const std::vector<int> &ranks, const std::vector<int> &first_of)
{
    std::map<int, std::vector<int>> sockets;
    for (int rank : ranks)
        sockets[first_of[static_cast<std::size_t>(rank)]].push_back(rank);
    std::vector<std::vector<int>> all;
    all.reserve(sockets.size());
    for (auto &socket : sockets)
        all.push_back(std::move(socket.second));
    return all;
}

/// Whether messages inside sockets can be measured separately from messages between the sockets of
/// a node.
bool usable(const std::vector<std::vector<int>> &sockets)
{
    return sockets.size() > 1 && sockets.front().size() > 1
           && std::all_of(sockets.begin(), sockets.end(), [&](const std::vector<int> &ranks) {
                  return ranks.size() == sockets.front().size();
              });
}

/// The partners for message `index` in a group that exchanges within itself.
Partners partners_within(const std::vector<int> &ranks, int place, int index)
{
    const int size = static_cast<int>(ranks.size());
    const int step = 1 + index % (size - 1);
    return {ranks[static_cast<std::size_t>((place + step) % size)],
            ranks[static_cast<std::size_t>((place - step + size) % size)]};
}

/// The partners for message `index` in other groups; the first `size` ranks of each group take
/// part.
Partners partners_across(const std::vector<std::vector<int>> &groups, int size, int group,
                         int place, int index)
{
    const int count = static_cast<int>(groups.size());
    const int step = 1 + index % (count - 1);
    const int turn = index / (count - 1) % size;
    const auto rank_at = [&groups](int of_group, int at) {
        return groups[static_cast<std::size_t>(of_group)][static_cast<std::size_t>(at)];
    };
    return {rank_at((group + step) % count, (place + turn) % size),
            rank_at((group - step + count) % count, (place - turn + size) % size)};
}

/// Ranks per core of the most oversubscribed node, at least 1, when `ranks(node)` of its ranks are
/// busy.
template <typename Ranks>
double most_oversubscribed(const Layout &layout, const Ranks &ranks)
{
    double most = 1;
    for (std::size_t node = 0; node < layout.nodes.size(); ++node)
        most = std::max(most, static_cast<double>(ranks(node)) / layout.cores[node]);
    return most;
}

} // namespace

int Layout::crossing() const
{
    std::size_t fewest = nodes.front().size();
    for (const std::vector<int> &ranks : nodes)
        fewest = std::min(fewest, ranks.size());
    return static_cast<int>(fewest);
}

bool Layout::takes_part(Kind kind) const
{
    switch (kind) {
    case Kind::socket:
        return !sockets.empty();
    case Kind::node:
        return nodes[node].size() > 1;
    case Kind::network:
        return place < crossing();
    case Kind::alone:
        return place == 0;
    case Kind::copy:
        break;
    }
    return true;
}

Sharing Layout::sharing() const
{
    Sharing sharing;
    const auto all = [this](std::size_t node) { return nodes[node].size(); };
    sharing.local = most_oversubscribed(*this, all);
    sharing.nonlocal = most_oversubscribed(*this, [this](std::size_t) { return crossing(); });
    sharing.copy = sharing.local;
    sharing.crossing = crossing();
    return sharing;
}

Layout find_layout(MPI_Comm comm)
{
    Layout layout;
    int ranks = 0;
    MPI_Comm_rank(comm, &layout.rank);
    MPI_Comm_size(comm, &ranks);

    // Counted as in the component's test whether a node is oversubscribed.
    constexpr int told = 3;
    const int mine[told] = {first_on(comm, layout.rank, MPI_COMM_TYPE_SHARED),
                            static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))),
                            first_on(comm, layout.rank, OMPI_COMM_TYPE_SOCKET)};
    std::vector<int> all(told * static_cast<std::size_t>(ranks));
    MPI_Allgather(mine, told, MPI_INT, all.data(), told, MPI_INT, comm);

    std::vector<int> firsts;
    std::vector<int> sockets;
    for (int rank = 0; rank < ranks; ++rank) {
        const int *of_rank = &all[told * static_cast<std::size_t>(rank)];
        const int first = of_rank[0];
        sockets.push_back(of_rank[2]);
        const auto found = std::find(firsts.begin(), firsts.end(), first);
        const auto node = static_cast<std::size_t>(found - firsts.begin());
        if (found == firsts.end()) {
            firsts.push_back(first);
            layout.nodes.emplace_back();
            layout.cores.push_back(of_rank[1]);
        }
        if (rank == layout.rank) {
            layout.node = static_cast<int>(node);
            layout.place = static_cast<int>(layout.nodes[node].size());
        }
        layout.nodes[node].push_back(rank);
    }
    for (const std::vector<int> &of_node : layout.nodes)
        layout.sockets.push_back(split(of_node, sockets));
    if (!std::all_of(layout.sockets.begin(), layout.sockets.end(), usable))
        layout.sockets.clear();
    return layout;
}

Partners partners_of(const Layout &layout, Kind kind, int index)
{
    const auto node = static_cast<std::size_t>(layout.node);
    if (kind == Kind::network || kind == Kind::alone)
        return partners_across(layout.nodes, kind == Kind::alone ? 1 : layout.crossing(),
                               layout.node, layout.place, index);
    if (layout.sockets.empty())
        return partners_within(layout.nodes[node], layout.place, index);
    const std::vector<std::vector<int>> &sockets = layout.sockets[node];
    int socket = 0;
    auto found = sockets.front().begin();
    while ((found = std::find(sockets[static_cast<std::size_t>(socket)].begin(),
                              sockets[static_cast<std::size_t>(socket)].end(), layout.rank))
           == sockets[static_cast<std::size_t>(socket)].end())
        ++socket;
    const std::vector<int> &own = sockets[static_cast<std::size_t>(socket)];
    const int place = static_cast<int>(found - own.begin());
    return kind == Kind::socket
               ? partners_within(own, place, index)
               : partners_across(sockets, static_cast<int>(own.size()), socket, place, index);
}

} // namespace nbrhood_tools::calibrate
