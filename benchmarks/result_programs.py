# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""The tables and pictures of docs/results about peers, from the data of measure-results."""

import statistics

from paired_runs import ratios_of
from pictures import new_figure
from result_pages import algorithm, bytes_text, comparisons, draw_bars, graph_text, speed_up_text, version

PEERS = {"blocking": "Open MPI's blocking call", "nonblocking": "its nonblocking call (libnbc)", "advance": "MPI Advance",
         "advance_indices": "MPI Advance, indices", "auto": "component", "auto_indices": "component, indices"}


def paired(slower, faster):
    """A speed-up with its interval, from samples of which each pair was taken in one round."""
    times = ratios_of(faster, slower)
    return {"speed_up": times["ratio"], "speed_up_interval": times["interval"]}


def over_advance(comparison):
    """How many times as fast as MPI Advance the component is; with the indices of values where both have them."""
    names = {one["algorithm"] for one in comparison["algorithms"]}
    suffix = "_indices" if "auto_indices" in names else ""
    return paired(*(algorithm(comparison, name + suffix)["call_seconds"] for name in ("advance", "auto")))


def peers_table(data):
    """Speed-ups over Open MPI's persistent call, and over MPI Advance."""
    rows = []
    for run in data["runs"]:
        for one in comparisons(data, run):
            names = {result["algorithm"] for result in one["algorithms"]}
            rows.append([run, graph_text(one["graph_name"]), bytes_text(one["entry_bytes"]),
                         *(speed_up_text(algorithm(one, name)) if name in names else "" for name in PEERS),
                         speed_up_text(over_advance(one))])
    return ["nodes x ranks", "graph", "entry", *PEERS.values(), "component over MPI Advance"], rows


def peers_init_table(data):
    """The time of an init of matrices."""
    run = next(iter(data["runs"]))
    rows = [[graph_text(one["graph_name"]),
             *(f"{statistics.median(algorithm(one, name)['init_seconds']) * 1e3:.2f}"
               for name in ("stock", "advance", "advance_indices", "auto", "auto_indices"))]
            for one in comparisons(data, run) if any(result["algorithm"] == "auto_indices" for result in one["algorithms"])]
    return ["matrix", "Open MPI's own, ms", "MPI Advance, ms", "with indices, ms", "component, ms", "with indices, ms"], rows


def peers_picture(data):
    """Matrices, and computed graphs with 8 bytes."""
    run = next(iter(data["runs"]))
    found = {True: [], False: []}
    for one in comparisons(data, run):
        with_indices = any(result["algorithm"] == "auto_indices" for result in one["algorithms"])
        if one["entry_bytes"] == 8:
            found[with_indices].append(one)
    figure, panels = new_figure(2, f"Measured: MPI_Neighbor_alltoallv, Open MPI {version(data, run)}, 64 ranks on 4 emulated "
                                "nodes (lines: 95 % intervals)", columns=2)
    for panel, with_indices, title in zip(panels, (True, False), ("matrices, 8 bytes an entry", "8 bytes")):
        names = [name for name in PEERS if with_indices or not name.endswith("_indices")]
        draw_bars(panel, title, {PEERS[name]: [(graph_text(one["graph_name"]), algorithm(one, name))
                                               for one in found[with_indices]] for name in names},
                  "times as fast as Open MPI's persistent call")
    return figure


TABLES = {("peers", "speed_up"): peers_table, ("peers", "init"): peers_init_table}
PICTURES = {"peers": peers_picture}
