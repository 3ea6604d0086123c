# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""The tables and pictures of docs/papers, from the data of measure-results."""

import itertools
import math
import re

from pictures import COLOURS, add_legend, new_figure
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


def products_table(data):
    """Products of sparse matrices with 16 columns: an allgatherv of rows."""
    rows = []
    for one in comparisons(data, "products"):
        papers = comparisons(data, "products, the paper's rules", graph_name=one["graph_name"])[0]
        rows.append([graph_text(one["graph_name"]), f"{one['mean_degree']:.0f}", bytes_text(round(one["bytes_per_edge_mean"])),
                     speed_up_text(algorithm(one, "distance_halving")), speed_up_text(algorithm(papers, "distance_halving")),
                     speed_up_text(algorithm(one, "common_neighbor")), speed_up_text(algorithm(one, "auto"))])
    return ["matrix", "neighbours", "block, mean", "`distance_halving`", "by the paper's rules", "`common_neighbor`",
            "`auto`"], rows


def halving_creation_table(data):
    """Creation of a topology with its patterns."""
    rows = []
    runs = list(data["runs"])
    for one in comparisons(data, runs[0], entry_bytes=8):
        papers = comparisons(data, runs[1], graph_name=one["graph_name"], entry_bytes=8)[0]
        rows.append([one["graph_name"].removeprefix("rsg:"),
                     *(f"{algorithm(found, name)['creation_seconds_median'] * 1e3:.1f}"
                       for found, name in ((one, "stock"), (one, "distance_halving"), (papers, "distance_halving"),
                                           (one, "common_neighbor")))])
    return ["density", "Open MPI's own, ms", "`distance_halving`, ms", "by the paper's rules, ms", "`common_neighbor`, ms"], rows


def halving_picture(data):
    """Speed-up over the size of blocks, by density, with both sets of rules."""
    runs = [run for run in data["runs"] if not run.startswith("products")]
    figure, panels = new_figure(2, title_of(data, runs[0], "distance_halving, 64 ranks"), columns=2)
    for panel, run in zip(panels, runs):
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
    rows = []
    for one in comparisons(data, "32 ranks, 1 Gbit/s"):
        papers = comparisons(data, "32 ranks, 1 Gbit/s, the paper's rules", graph_name=one["graph_name"],
                             entry_bytes=one["entry_bytes"])[0]
        rows.append([one["graph_name"], bytes_text(one["entry_bytes"]), *(speed_up_text(algorithm(one, name)) for name in names),
                     speed_up_text(algorithm(papers, "leader_scatter"))])
    return ["graph", "block", *(f"`{name}`" for name in names), "`leader_scatter` by the paper's rules"], rows


def dies_table(data):
    """Leader scatter on GPU dies, modelled: over direct messages, and over the fastest other algorithm."""
    sizes = (262144, 1 << 20, 64 << 20)
    rows = []
    for run in data["runs"]:
        for graph in data["runs"][run]["result"]["graphs"]:
            if graph["graph"] not in ("rsg:0.4", "rsg:0.6", "moore:2,1"):
                continue
            row = [run, graph["graph"]]
            for size in sizes:
                times = {one["algorithm"]: part["dies"]["modelled_seconds"] for one in graph["algorithms"]
                         for part in one["sizes"] if part["bytes"] == size}
                mine = times.pop("leader_scatter")
                row.append(f"{times['direct'] / mine:.2f} / {min(times.values()) / mine:.2f}")
            rows.append(row)
    return ["cluster, dies", "graph", *map(bytes_text, sizes)], rows


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
    by_paper = data["runs"]["strong scaling, the paper's rules"]["result"]["levels"]
    for number, level in enumerate(data["runs"]["strong scaling"]["result"]["levels"]):
        found = {method["method"]: method for method in level["methods"] if method["verified"]}
        if not found:
            continue
        base = found["hypre"]
        papers = {method["method"]: method["seconds"] for method in by_paper[number]["methods"]}
        rows.append([str(number), f"{level['rows']:,}", f"{level['mean_degree']:.1f}",
                     *(f"{base['seconds'] / found[name]['seconds']:.2f}" for name in AMG_METHODS),
                     f"{papers['hypre'] / papers['aggregated']:.2f}",
                     ", ".join(str(found[name]["most_messages_nonlocal"]) for name in ("hypre", "aggregated")),
                     ", ".join(f"{found[name]['most_bytes_nonlocal']:,}" for name in ("hypre", "aggregated", "indices"))])
    return ["level", "rows", "neighbours", *(f"`{name}`" for name in AMG_METHODS),
            "`aggregated` by the paper's rules", "messages between nodes, any rank: hypre, aggregated", "bytes: hypre, aggregated, indices"], rows


def modelled_levels_table(data):
    """The levels among 2,048 ranks: messages and bytes of the rank with the most, and times."""
    def of(run, graph, name):
        graphs = {one["graph"]: one for one in data["runs"][run]["result"]["graphs"]}
        return next(one["sizes"][0] for one in graphs[graph]["algorithms"] if one["algorithm"] == name)

    def most(size, what, where="between_nodes"):
        return size[what][where]["max"]
    rows, seconds = [], []
    for level in data["runs"]["levels"]["result"]["graphs"]:
        direct = of("levels", level["graph"], "direct")
        papers, ours = (of(run, level["graph"], "aggregated") for run in ("levels, the paper's rules", "levels"))
        once = 8 * most(papers, "distinct_entries_per_rank")
        rows.append([re.sub(r"\D", "", level["graph"]), f"{level['edges']:,}",
                     *(", ".join(str(most(size, "messages_per_rank", where)) for size in (direct, papers))
                       for where in ("in_socket", "between_nodes")),
                     ", ".join(f"{value:,}" for value in (most(direct, "bytes_per_rank"), most(papers, "bytes_per_rank"), once)),
                     f"{100 * (1 - once / most(papers, 'bytes_per_rank')):.0f} %", f"{direct['seconds']['events'] * 1e6:.1f}",
                     f"{papers['speed_up']:.2f}", f"{ours['speed_up']:.2f}"])
        seconds.append([size["seconds"]["events"] for size in (direct, papers, ours)])
    direct, *others = zip(*seconds)
    blank = [""] * 4
    rows.append(["all", *blank, "", f"{sum(direct) * 1e6:.1f}", *(f"{sum(direct) / sum(other):.2f}" for other in others)])
    rows.append(["all, the faster of both on each", *blank, "", "",
                 *(f"{sum(direct) / sum(map(min, direct, other)):.2f}" for other in others)])
    return ["level", "pairs of ranks", "messages in a node: direct, aggregated", "between nodes",
            "bytes between nodes: direct, aggregated, without duplicates", "saved", "direct, us",
            "`aggregated` by the paper's rules", "`aggregated`"], rows


def totals_table(data):
    """Sums over the levels, and exchanges that make up for the init."""
    rows = []
    for run in ("strong scaling", "strong scaling, the paper's rules", "weak scaling"):
        for total in data["runs"][run]["result"]["totals"]:
            if total["method"] in AMG_METHODS:
                exchanges = total["break_even"]
                rows.append([run, f"`{total['method']}`", f"{total['speed_up']:.2f}", f"{total['best_of_both_speed_up']:.2f}",
                             exchanges if isinstance(exchanges, str) else f"{exchanges:.0f}"])
    return ["", "method", "sum of levels", "the better of it and hypre on each level", "exchanges that pay for the init"], rows


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
            shape = f"{one['nodes']} x {one['ranks'] // one['nodes']}"
            rows.append([shape + (", by the paper's rules" if "paper" in run else ""), bytes_text(one["bytes"]),
                         *(speed_up_text(algorithm(one, name)) for name in BRUCK)])
    return ["nodes x ranks", "bytes", *(f"`{name}`" for name in BRUCK)], rows


def modelled_gathers_table(data):
    """MPI_Allgather on Lassen: how many times as fast as plain Bruck."""
    rows = []
    for run in (run for run in data["runs"] if "paper" not in run):
        def times(of, name):
            return [part["seconds"]["events"] for one in data["runs"][of]["result"]["graphs"][0]["algorithms"]
                    if one["algorithm"] == name for part in one["sizes"]]
        base = times(run, "bruck")
        sizes = [part["bytes"] for part in data["runs"][run]["result"]["graphs"][0]["algorithms"][0]["sizes"]]
        others = [times(run, "locality_bruck"), times(f"{run}, the paper's rules", "locality_bruck"),
                  times(run, "hierarchical"), times(run, "multilane")]
        for place, size in enumerate(sizes):
            rows.append([run, bytes_text(size), f"{base[place] * 1e6:.1f}",
                         *(f"{base[place] / other[place]:.2f}" for other in others)])
    return ["nodes x ranks", "bytes", "`bruck`, us", "`locality_bruck`", "by the paper's rules", "`hierarchical`",
            "`multilane`"], rows


def gathers_picture(data):
    """MPI_Allgather by the ranks of a node."""
    found = comparisons(data, "ranks of a node")
    figure, panels = new_figure(1, title_of(data, "ranks of a node", "MPI_Allgather, 8 bytes"), columns=1)
    draw_bars(panels[0], "ranks of each node", {name: [(str(one["ranks"] // one["nodes"]), algorithm(one, name))
                                                       for one in found] for name in BRUCK})
    return figure


MODELLED = "papers-modelled"  # the page of model-papers


def modelled(data, name):
    """A table of model-papers."""
    return next(table for table in data["tables"] if table["name"] == name)


def modelled_table(name, keeps=lambda row: True):
    """A function for a table of model-papers with the rows that a function keeps."""
    def table(data):
        found = modelled(data, name)
        return found["header"], list(filter(keeps, found["rows"]))
    return table


def largest_machine(data):
    """The first rows of halving-sizes, up to those of fewer ranks: only the first row of each graph names the ranks."""
    found = modelled(data, "halving-sizes")
    ranks = found["rows"][0][0]
    return found["header"], list(itertools.takewhile(lambda row: row[0] in (ranks, ""), found["rows"]))


def modelled_picture(name):
    """A function for the picture of a table of model-papers."""
    def draw(data):
        panels = modelled(data, name)["panels"]
        figure, places = new_figure(len(panels), f"modelled with the costs of {data['costs']}")
        for place, panel in zip(places, panels):
            for number, (curve, points) in enumerate(panel["curves"].items()):
                place.plot([x for x, _ in points], [math.nan if y is None else y for _, y in points], color=COLOURS[number],
                           marker="os^Dv"[number], markersize=4, label=curve)
            place.axhline(1, color="black", linestyle="--", linewidth=1)
            values = sorted({x for points in panel["curves"].values() for x, _ in points})
            if values[-1] > 1000:
                place.set_xscale("log", base=2)
            place.set_yscale("log", base=2)
            place.yaxis.set_major_formatter("{x:g}")
            place.set_xticks(values, [bytes_text(value).removesuffix(" bytes") for value in values])
            place.set(title=panel["title"], xlabel=panel["axis"], ylabel="speed-up over direct, modelled")
            add_legend(place)
        return figure
    return draw


def in_paper(row):
    """The k that the paper found best, and the choice of each node."""
    return "best" in row[1] or "chosen" in row[1]


MODELLED_PICTURES = {name: modelled_picture(name) for name in ("halving-sizes", "friends-random")}
MODELLED_TABLES = {
    "halving-sizes": largest_machine,
    "halving-moore": modelled_table("halving-moore"),
    "halving-creation": modelled_table("halving-creation", lambda row: row[1] not in ("two_step", "aggregated")),
    "halving-samples": modelled_table("halving-samples"),
    "friends-random": modelled_table("friends-random", in_paper),
    "friends-moore": modelled_table("friends-moore", lambda row: row[1] != "16" and row[0] != "(4,1)"),
    "friends-sizes": modelled_table("friends-sizes"),
}
TABLES = {("distance-halving", "measured"): halving_table, ("distance-halving", "products"): products_table,
          ("distance-halving", "creation"): halving_creation_table, ("leader-scatter-modelled", "dies"): dies_table,
          ("common-neighbour", "measured"): friends_table,
          ("leader-scatter", "measured"): scatter_table, ("locality-aware-alltoallv", "levels"): levels_table,
          ("locality-aware-alltoallv-modelled", "levels"): modelled_levels_table,
          ("locality-aware-alltoallv", "totals"): totals_table, ("locality-aware-alltoallv", "copies"): copies_table,
          ("locality-aware-bruck", "measured"): gathers_table,
          ("locality-aware-bruck-modelled", "modelled"): modelled_gathers_table,
          **{(MODELLED, name): table for name, table in MODELLED_TABLES.items()}}
PICTURES = {"distance-halving": halving_picture, "common-neighbour": friends_picture, "leader-scatter": scatter_picture,
            "locality-aware-alltoallv": levels_picture, "locality-aware-bruck": gathers_picture}
