# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""The tables and pictures of docs/papers, from the data of measure-results."""

from pictures import new_figure
from result_pages import (algorithm, bytes_text, comparisons, draw_bars, draw_speed_ups, geometric_mean, graph_text,
                          speed_up_text, version)


def title_of(data, run, text):
    """The title of a picture of measurements."""
    return f"Measured: {text}, Open MPI {version(data, run)}, 4 emulated nodes (lines: 95 % intervals)"


def halving_table(data):
    """Distance halving and common neighbours, by density and size."""
    runs = list(data["runs"])
    default = comparisons(data, runs[0])
    sizes = list(dict.fromkeys(one["entry_bytes"] for one in default))
    rows = []
    for graph in dict.fromkeys(one["graph_name"] for one in default):
        for text, run, name in (("distance_halving", runs[0], "distance_halving"),
                                ("by the paper's rules", runs[1], "distance_halving"),
                                ("common_neighbor", runs[0], "common_neighbor")):
            found = [algorithm(one, name) for one in comparisons(data, run, graph_name=graph)]
            rows.append([graph.removeprefix("rsg:"), text, *map(speed_up_text, found),
                         f"{geometric_mean([one['speed_up'] for one in found]):.2f}"])
    return ["density", "algorithm", *map(bytes_text, sizes), "mean of sizes"], rows


def halving_picture(data):
    """Speed-up over the size of blocks, by density, with both sets of rules."""
    figure, panels = new_figure(2, title_of(data, next(iter(data["runs"])), "distance_halving, 64 ranks"), columns=2)
    for panel, run in zip(panels, data["runs"]):
        graphs = dict.fromkeys(one["graph_name"] for one in comparisons(data, run))
        draw_speed_ups(panel, run, {f"density {graph.removeprefix('rsg:')}":
                                    [(one["entry_bytes"], algorithm(one, "distance_halving"))
                                     for one in comparisons(data, run, graph_name=graph)] for graph in graphs})
    return figure


def friends_table(data):
    """Common neighbours, by k."""
    graphs = [one["graph_name"] for one in comparisons(data, "k = 2")]
    rows = [[graph, *(speed_up_text(algorithm(comparisons(data, run, graph_name=graph)[0], "common_neighbor"))
                      for run in data["runs"])] for graph in graphs]
    return ["graph", *(run if run != "k = 0" else "k chosen by each node (default)" for run in data["runs"])], rows


def friends_picture(data):
    """Common neighbours, by k."""
    figure, panels = new_figure(1, title_of(data, "k = 2", "common_neighbor, 64 ranks, 4 bytes"), columns=1)
    draw_bars(panels[0], "MPI_Ineighbor_allgather",
              {run if run != "k = 0" else "chosen k": [(one["graph_name"], algorithm(one, "common_neighbor"))
                                                       for one in comparisons(data, run)] for run in data["runs"]})
    return figure


def scatter_table(data):
    """Leader scatter over a slow network."""
    names = ["direct", "two_step", "leader_scatter"]
    rows = [[one["graph_name"], bytes_text(one["entry_bytes"]), *(speed_up_text(algorithm(one, name)) for name in names)]
            for one in comparisons(data, "32 ranks, 1 Gbit/s")]
    return ["graph", "block", *(f"`{name}`" for name in names)], rows


def scatter_picture(data):
    """Leader scatter over a slow network."""
    run = "32 ranks, 1 Gbit/s"
    names = ["direct", "two_step", "leader_scatter"]
    figure, panels = new_figure(1, title_of(data, run, "MPI_Neighbor_allgather, 32 ranks, 1 Gbit/s"), columns=1)
    draw_bars(panels[0], "large blocks", {name: [(f"{one['graph_name']}, {bytes_text(one['entry_bytes'])}",
                                                  algorithm(one, name)) for one in comparisons(data, run)]
                                          for name in names})
    return figure


AMG_METHODS = ["openmpi", "aggregated", "indices", "addresses"]


def levels_table(data):
    """The levels of the hierarchy: how many times as fast as hypre's point-to-point messages."""
    rows = []
    for number, level in enumerate(data["runs"]["strong scaling"]["result"]["levels"]):
        found = {method["method"]: method for method in level["methods"] if method["verified"]}
        if not found:
            continue
        base = found["hypre"]
        rows.append([str(number), f"{level['rows']:,}", f"{level['mean_degree']:.1f}",
                     *(f"{base['seconds'] / found[name]['seconds']:.2f}" for name in AMG_METHODS),
                     ", ".join(str(found[name]["most_messages_nonlocal"]) for name in ("hypre", "aggregated")),
                     ", ".join(f"{found[name]['most_bytes_nonlocal']:,}" for name in ("hypre", "aggregated", "indices"))])
    return ["level", "rows", "neighbours", *(f"`{name}`" for name in AMG_METHODS),
            "messages between nodes, any rank: hypre, aggregated", "bytes: hypre, aggregated, indices"], rows


def totals_table(data):
    """Sums over the levels, and exchanges that make up for the init."""
    rows = []
    for total in data["runs"]["strong scaling"]["result"]["totals"]:
        if total["method"] in AMG_METHODS:
            exchanges = total["break_even"]
            rows.append([f"`{total['method']}`", f"{total['speed_up']:.2f}", f"{total['best_of_both_speed_up']:.2f}",
                         exchanges if isinstance(exchanges, str) else f"{exchanges:.0f}"])
    return ["method", "sum of levels", "the better of it and hypre on each level", "exchanges that pay for the init"], rows


def copies_table(data):
    """Removal of duplicate data on matrices."""
    rows = []
    for one in comparisons(data, "copies"):
        found = {result["values"]: result for result in one["algorithms"] if result["verified"] and not result["stock"]}
        rows.append([graph_text(one["graph_name"]), f"{100 * one['duplicate_share']:.0f} %",
                     *(speed_up_text(found[values]) for values in ("packed", "indexed", "typed"))])
    return ["matrix", "copies between nodes", "`aggregated`", "`indexed`: copies removed", "`typed`: copies removed"], rows


def levels_picture(data):
    """The time of an exchange by level, and the bytes."""
    levels = [level for level in data["runs"]["strong scaling"]["result"]["levels"] if level["methods"]]
    figure, panels = new_figure(2, title_of(data, "strong scaling", "BoomerAMG, 524,288 rows, 64 ranks").replace(
        " (lines: 95 % intervals)", ""), columns=2)
    bars = {}
    for name in AMG_METHODS:
        bars[name] = []
        for number, level in enumerate(levels):
            found = {method["method"]: method for method in level["methods"]}
            ratio = found["hypre"]["seconds"] / found[name]["seconds"]
            bars[name].append((str(number), {"speed_up": ratio, "speed_up_interval": (ratio, ratio)}))
    draw_bars(panels[0], "time of an exchange, by level", bars, "times as fast as hypre's messages")
    for name, colour in zip(("hypre", "aggregated", "indices"), ("#999999", "#d55e00", "#009e73")):
        panels[1].plot(range(len(levels)), [next(method["most_bytes_nonlocal"] for method in level["methods"]
                                                 if method["method"] == name) for level in levels],
                       color=colour, marker="o", markersize=3, label=name)
    panels[1].set(title="most bytes of a rank between nodes", xlabel="level", ylabel="bytes")
    panels[1].legend(fontsize=8, frameon=False)
    return figure


BRUCK = ["bruck", "locality_bruck", "hierarchical", "multilane", "ring"]


def gathers_table(data):
    """MPI_Allgather by the ranks of a node, then by size."""
    rows = []
    for run in data["runs"]:
        for one in comparisons(data, run):
            rows.append([f"{one['nodes']} x {one['ranks'] // one['nodes']}", bytes_text(one["bytes"]),
                         *(speed_up_text(algorithm(one, name)) for name in BRUCK)])
    return ["nodes x ranks", "bytes", *(f"`{name}`" for name in BRUCK)], rows


def gathers_picture(data):
    """MPI_Allgather by the ranks of a node."""
    found = comparisons(data, "ranks of a node")
    figure, panels = new_figure(1, title_of(data, "ranks of a node", "MPI_Allgather, 8 bytes"), columns=1)
    draw_bars(panels[0], "ranks of each node", {name: [(str(one["ranks"] // one["nodes"]), algorithm(one, name))
                                                       for one in found] for name in BRUCK})
    return figure


TABLES = {("distance-halving", "measured"): halving_table, ("common-neighbour", "measured"): friends_table,
          ("leader-scatter", "measured"): scatter_table, ("locality-aware-alltoallv", "levels"): levels_table,
          ("locality-aware-alltoallv", "totals"): totals_table, ("locality-aware-alltoallv", "copies"): copies_table,
          ("locality-aware-bruck", "measured"): gathers_table}
PICTURES = {"distance-halving": halving_picture, "common-neighbour": friends_picture, "leader-scatter": scatter_picture,
            "locality-aware-alltoallv": levels_picture, "locality-aware-bruck": gathers_picture}
