# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""The tables and pictures of docs/results, from the data of measure-results."""

import math

from pictures import COLOURS, add_legend, label, new_figure
from result_files import ResultError

GRAPHS = {"ring:2": "ring, 4 neighbours", "moore:2,1": "2D stencil, 8 neighbours", "moore:3,1": "3D stencil, 26 neighbours",
          "rsg:0.05": "random, 3 neighbours", "rsg:0.1": "random, 6 neighbours", "rsg:0.3": "random, 19 neighbours",
          "rsg:0.7": "random, 44 neighbours", "rsg:1": "all 63"}  # of 64 ranks
OPERATIONS = {"neighbor_alltoallv": "MPI_Neighbor_alltoallv", "neighbor_allgather": "MPI_Neighbor_allgather",
              "mpi_alltoallv": "MPI_Alltoallv"}


def graph_text(name):
    """A graph in words; a matrix by its name."""
    return GRAPHS.get(name, name.removesuffix(".mtx"))


def bytes_text(size):
    """8 bytes, 4 KiB, 1 MiB."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} bytes"


def algorithm(comparison, name):
    """The results of one algorithm; ResultError if it is missing, or delivered wrong data."""
    for result in comparison["algorithms"]:
        if result["algorithm"] == name and result["verified"]:
            return result
    raise ResultError(f"the data has no verified result of {name} for {comparison.get('graph_name', 'a comparison')}")


def speed_up_text(result):
    """The speed-up with its interval; "no difference" if the interval contains 1."""
    low, high = result["speed_up_interval"]
    if low <= 1 <= high:
        return "no difference"
    return f"{result['speed_up']:.2f} [{low:.2f}, {high:.2f}]"


def geometric_mean(values):
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def first_calls_text(comparison):
    """How many times as fast as Open MPI's own the first calls were, with the build and the trial."""
    stock, auto = (algorithm(comparison, name)["first_calls_seconds"] for name in ("stock", "auto"))
    return f"{stock[-1] / auto[-1]:.2f}"


def comparisons(data, run, **wanted):
    """The comparisons of a run whose fields have the given values."""
    return [comparison for comparison in data["runs"][run]["result"]["comparisons"]
            if all(comparison[field] == value for field, value in wanted.items())]


def by_size(data, run):
    """{(operation, graph): {bytes of a block: comparison}}, in the order of the file."""
    found = {}
    for comparison in comparisons(data, run):
        key = comparison["operation"], comparison["graph_name"]
        found.setdefault(key, {})[comparison["entry_bytes"]] = comparison
    return found


def neighbours_table(data):
    """Neighbourhood collectives on computed graphs, by size."""
    rows = by_size(data, "neighbours by size")
    sizes = list(next(iter(rows.values())))
    heads = ["collective", "graph", *map(bytes_text, sizes), f"first 240 calls, {bytes_text(sizes[0])}"]
    return heads, [[OPERATIONS[operation], graph_text(graph),
                    *(speed_up_text(algorithm(found[size], "auto")) for size in sizes), first_calls_text(found[sizes[0]])]
                   for (operation, graph), found in rows.items()]


def sparse_table(data):
    """Neighbourhood collectives and MPI_Alltoallv on the same graphs, then MPI_Allgather."""
    neighbours = {comparison["graph_name"]: comparison for comparison in comparisons(data, "neighbours of matrices")}
    rows = []
    for comparison in comparisons(data, "MPI_Alltoallv"):
        graph = comparison["graph_name"]
        size = comparison["bytes_per_edge_mean"]
        same = neighbours.get(graph)
        rows.append([graph_text(graph), f"{comparison['mean_degree']:.0f}", bytes_text(round(size)),
                     speed_up_text(algorithm(comparison, "auto")),
                     speed_up_text(algorithm(same, "auto")) if same else ""])
    return ["exchange", "neighbours", "block, mean", "MPI_Alltoallv", "MPI_Neighbor_alltoallv"], rows


def alltoallv_cell(comparison, name):
    """A speed-up of MPI_Alltoallv; that of all calls from the first one on where the pairs change after some hundred calls."""
    first = [algorithm(comparison, one)["first_calls_seconds"] for one in ("stock", "auto")]
    if name == "auto" and len(first[0]) > 200:
        return f"{first[0][-1] / first[1][-1]:.1f}"
    found = next((one for one in comparison["algorithms"] if one["algorithm"] == name), None)
    return speed_up_text(algorithm(comparison, name)) if found else ""


def over(comparison, name):
    """How many times as fast as `name` auto is, from the medians; empty where it was not measured."""
    times = {one["algorithm"]: one["call_seconds_median"] for one in comparison["algorithms"]}
    return f"{times[name] / times['auto']:.2f}" if name in times else ""


def alltoallv_table(data):
    """MPI_Alltoallv on all releases, and over the same exchange by other calls."""
    found = {}
    for run in data["runs"]:
        cluster, what = run.rsplit(", ", 1)
        for comparison in comparisons(data, run):
            key = comparison["graph_name"], round(comparison["bytes_per_edge_mean"]), what
            found.setdefault(key, {})[cluster] = comparison
    rows = []
    for (graph, size, what), at in found.items():
        name = what if what.startswith("other") else graph_text(graph)
        row = [name, bytes_text(size)]
        for cluster in ("4.1, 4 x 16", "4.1, 8 x 8"):
            row += [alltoallv_cell(at[cluster], "auto"), over(at[cluster], "linear"), over(at[cluster], "neighbor/auto")]
        rows.append(row + [alltoallv_cell(at[cluster], "auto") for cluster in ("5.0, 4 x 16", "6.0, 4 x 16")])
    releases = {run.split(",")[0]: version(data, run) for run in data["runs"]}
    return ["pairs", "block, mean", f"{releases['4.1']}, 4 x 16", "over linear", "over neighbour",
            f"{releases['4.1']}, 8 x 8", "over linear", "over neighbour", f"{releases['5.0']}, 4 x 16",
            f"{releases['6.0']}, 4 x 16"], rows


def allgather_table(data):
    """MPI_Allgather by size."""
    rows = comparisons(data, "MPI_Allgather")
    return ([bytes_text(row["bytes"]) for row in rows], [[speed_up_text(algorithm(row, "auto")) for row in rows]])


def summary_table(data):
    """Means and extremes, for README."""
    def row(text, found):
        values = [algorithm(comparison, "auto")["speed_up"] for comparison in found]
        return [text, f"{geometric_mean(values):.1f}", f"{min(values):.2f}, {max(values):.2f}"]
    graphs = len({comparison["graph_name"] for comparison in comparisons(data, "neighbours by size")})
    rows = []
    for operation in ("neighbor_alltoallv", "neighbor_allgather"):
        for size in (8, 4096, 65536):
            rows.append(row(f"`{OPERATIONS[operation]}`, {bytes_text(size)}, {graphs} graphs",
                            comparisons(data, "neighbours by size", operation=operation, entry_bytes=size)))
    matrices = comparisons(data, "neighbours of matrices")
    rows.append(row(f"`MPI_Neighbor_alltoallv`, exchange of {len(matrices)} SuiteSparse matrices", matrices))
    sparse = comparisons(data, "MPI_Alltoallv", counts_from_file=True)
    rows.append(row("`MPI_Alltoallv`, the same exchange", sparse))
    gathers = comparisons(data, "MPI_Allgather")
    rows.append(row(f"`MPI_Allgather`, {gathers[0]['bytes']} to {gathers[-1]['bytes']} bytes", gathers))
    return ["64 ranks, 4 x 16", "speed-up, geometric mean", "lowest, highest"], rows


def costs_table(data):
    """Creations and first calls."""
    rows = []
    found = comparisons(data, "neighbours by size", operation="neighbor_alltoallv", entry_bytes=8)
    for comparison in found + comparisons(data, "neighbours of matrices"):
        stock, auto = (algorithm(comparison, name) for name in ("stock", "auto"))
        calls, stock_calls = auto["first_calls_seconds"], stock["first_calls_seconds"]
        behind = max(mine - own for mine, own in zip(calls, stock_calls)) / stock["call_seconds_median"]
        rows.append([graph_text(comparison["graph_name"]), f"{stock['creation_seconds_median'] * 1e3:.1f}",
                     f"{auto['creation_seconds_median'] * 1e3:.1f}", f"{stock_calls[-1] / calls[-1]:.2f}",
                     f"{max(behind, 0):.0f}"])
    return ["graph", "creation, Open MPI's own, ms", "with the component, ms", "first 240 calls, speed-up",
            "most that they were behind, call times"], rows


def algorithms_table(data):
    """All algorithms of allgathers."""
    rows = []
    names = [result["algorithm"] for result in comparisons(data, "allgather")[0]["algorithms"]
             if not result["stock"]]
    for comparison in comparisons(data, "allgather"):
        cells = [speed_up_text(algorithm(comparison, name)) for name in names]
        rows.append([graph_text(comparison["graph_name"]), bytes_text(comparison["entry_bytes"]), *cells])
    return ["graph", "block", *(f"`{name}`" for name in names)], rows


def draw_speed_ups(panel, title, curves):
    """Speed-up over the size of a block; curves: {label: [(bytes, result)]}."""
    for colour, (name, points) in zip(COLOURS, curves.items()):
        sizes = [size for size, _ in points]
        panel.plot(sizes, [result["speed_up"] for _, result in points], color=colour, marker="o", markersize=3,
                   label=label(name))
        panel.vlines(sizes, *zip(*(result["speed_up_interval"] for _, result in points)), color=colour)
    panel.axhline(1, color="black", linestyle="--", linewidth=1)
    panel.set_xscale("log", base=2)
    panel.set_xticks(sizes, map(bytes_text, sizes))
    panel.set(title=title, ylabel="times as fast as Open MPI's own", xlabel="size of a block")
    add_legend(panel, columns=2)


def draw_bars(panel, title, bars, ylabel="times as fast as Open MPI's own"):
    """Speed-up of each of some exchanges; bars: {label: [(name, result)]}, the same names for all. Modelled results, which
    have no intervals, are hatched."""
    width = 0.8 / len(bars)
    for number, (name, results) in enumerate(bars.items()):
        places = [place + width * (number - (len(bars) - 1) / 2) for place in range(len(results))]
        measured = "speed_up_interval" in results[0][1]
        panel.bar(places, [result["speed_up"] for _, result in results], width, label=label(name),
                  **({"color": COLOURS[number]} if measured
                     else {"facecolor": "white", "edgecolor": COLOURS[number], "hatch": "////"}))
        if measured:
            panel.vlines(places, *zip(*(result["speed_up_interval"] for _, result in results)), color="black")
    panel.axhline(1, color="black", linestyle="--", linewidth=1)
    names = [label(name) for name, _ in results]
    slanted = len(names) > 4 or max(map(len, names)) > 16
    panel.set_xticks(range(len(names)), names, rotation=-20 if slanted else 0, ha="left" if slanted else "center")
    panel.set(title=title, ylabel=ylabel)
    panel.set_axisbelow(True)
    add_legend(panel, columns=3, below=0.35 if slanted else 0.2)


def gain_picture(data):
    """Neighbourhood collectives by size; matrices by collective."""
    rows = by_size(data, "neighbours by size")
    figure, panels = new_figure(3, f"Measured: Open MPI {version(data, 'neighbours by size')}, 64 ranks on 4 emulated "
                                "nodes, default settings (lines: 95 % intervals)", columns=3)
    for panel, operation in zip(panels, ("neighbor_alltoallv", "neighbor_allgather")):
        draw_speed_ups(panel, OPERATIONS[operation],
                       {graph_text(graph): [(size, algorithm(one, "auto")) for size, one in found.items()]
                        for (this, graph), found in rows.items() if this == operation})
    def bars(run):
        return [(graph_text(comparison["graph_name"]), algorithm(comparison, "auto"))
                for comparison in comparisons(data, run, counts_from_file=True)]
    draw_bars(panels[2], "products with a matrix, 8 bytes an entry",
              {"MPI_Neighbor_alltoallv": bars("neighbours of matrices"), "MPI_Alltoallv": bars("MPI_Alltoallv")})
    return figure


def algorithms_picture(data):
    """The algorithms of allgathers, by graph."""
    found = comparisons(data, "allgather")
    sizes = list(dict.fromkeys(comparison["entry_bytes"] for comparison in found))
    figure, panels = new_figure(len(sizes), f"Measured: Open MPI {version(data, 'allgather')}, MPI_Neighbor_allgather, 64 "
                                "ranks on 4 emulated nodes (lines: 95 % intervals)", columns=len(sizes))
    for panel, size in zip(panels, sizes):
        at_size = comparisons(data, "allgather", entry_bytes=size)
        names = [result["algorithm"] for result in at_size[0]["algorithms"] if not result["stock"]]
        draw_bars(panel, bytes_text(size),
                  {name: [(graph_text(one["graph_name"]), algorithm(one, name)) for one in at_size]
                   for name in names})
    return figure


def of_size(row, size):
    """The part of a modelled algorithm for blocks of one size."""
    return next(part for part in row["sizes"] if part["bytes"] == size)


def scale_table(data):
    """The fastest algorithm by graph and size, modelled."""
    rows = []
    for graph in data["runs"]["allgather"]["result"]["graphs"]:
        sizes = [part["bytes"] for part in graph["algorithms"][0]["sizes"]]
        cells = []
        for size in sizes:
            best = max(graph["algorithms"], key=lambda row: of_size(row, size)["speed_up"])
            cells.append(f"{of_size(best, size)['speed_up']:.1f} ({best['algorithm']})")
        rows.append([graph["graph"], str(graph["max_degree"]), *cells])
    return ["graph", "largest degree", *map(bytes_text, sizes)], rows


def scale_picture(data):
    """Modelled speed-ups of allgathers."""
    graphs = data["runs"]["allgather"]["result"]["graphs"]
    names = [row["algorithm"] for row in graphs[0]["algorithms"] if row["algorithm"] != "direct"]
    figure, panels = new_figure(2, "Modelled: MPI_Neighbor_allgather, 2,160 ranks on 60 nodes, Lassen's costs", columns=2)
    for panel, size in zip(panels, (8, 4096)):
        draw_bars(panel, bytes_text(size),
                  {name: [(graph["graph"], of_size(row, size)) for graph in graphs for row in graph["algorithms"]
                          if row["algorithm"] == name] for name in names}, "times as fast as direct messages")
    return figure


def version(data, run):
    """4.1.4."""
    return data["runs"][run]["result"]["environment"]["mpi_version"].split(",")[0].removeprefix("Open MPI v")


# By page and name. A table is a function of the data that returns heads and rows. result_papers has those of docs/papers.
TABLES = {("gain", "neighbours"): neighbours_table, ("gain", "sparse"): sparse_table,
          ("gain", "allgather"): allgather_table, ("alltoallv", "releases"): alltoallv_table, ("gain", "summary"): summary_table,
          ("gain", "costs"): costs_table, ("algorithms", "allgather"): algorithms_table, ("scale", "fastest"): scale_table}
PICTURES = {"gain": gain_picture, "algorithms": algorithms_picture, "scale": scale_picture}
