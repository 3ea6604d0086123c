#include "layout.h"

#include <algorithm>
#include <unistd.h>

namespace nbrhood_calibrate {

namespace {

/// The rank's node as the lowest rank on it.
int first_on_node(MPI_Comm comm, int rank)
{
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    int first = rank;
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    return first;
}

/// Ranks per core of the most crowded node, at least 1, when `ranks(node)` of its ranks are busy.
template <typename Ranks>
double most_crowded(const Layout &layout, const Ranks &ranks)
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
    case Kind::local:
        return nodes[node].size() > 1;
    case Kind::nonlocal:
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
    sharing.local = most_crowded(*this, all);
    sharing.nonlocal = most_crowded(*this, [this](std::size_t) { return crossing(); });
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

    // Counted as the component counts them, when it finds out whether a node is oversubscribed.
    const int mine[2] = {first_on_node(comm, layout.rank),
                         static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)))};
    std::vector<int> all(2 * static_cast<std::size_t>(ranks));
    MPI_Allgather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, comm);

    std::vector<int> firsts;
    for (int rank = 0; rank < ranks; ++rank) {
        const int first = all[2 * static_cast<std::size_t>(rank)];
        const auto found = std::find(firsts.begin(), firsts.end(), first);
        const auto node = static_cast<std::size_t>(found - firsts.begin());
        if (found == firsts.end()) {
            firsts.push_back(first);
            layout.nodes.emplace_back();
            layout.cores.push_back(all[2 * static_cast<std::size_t>(rank) + 1]);
        }
        if (rank == layout.rank) {
            layout.node = static_cast<int>(node);
            layout.place = static_cast<int>(layout.nodes[node].size());
        }
        layout.nodes[node].push_back(rank);
    }
    return layout;
}

Partners partners_of(const Layout &layout, Kind kind, int index)
{
    if (kind == Kind::local) {
        const std::vector<int> &ranks = layout.nodes[static_cast<std::size_t>(layout.node)];
        const int size = static_cast<int>(ranks.size());
        const int step = 1 + index % (size - 1);
        return {ranks[static_cast<std::size_t>((layout.place + step) % size)],
                ranks[static_cast<std::size_t>((layout.place - step + size) % size)]};
    }
    const int nodes = static_cast<int>(layout.nodes.size());
    const int size = kind == Kind::alone ? 1 : layout.crossing();
    const int step = 1 + index % (nodes - 1);
    const int turn = index / (nodes - 1) % size;
    const auto rank_at = [&layout](int node, int place) {
        return layout.nodes[static_cast<std::size_t>(node)][static_cast<std::size_t>(place)];
    };
    return {rank_at((layout.node + step) % nodes, (layout.place + turn) % size),
            rank_at((layout.node - step + nodes) % nodes, (layout.place - turn + size) % size)};
}

} // namespace nbrhood_calibrate
