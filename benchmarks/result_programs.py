# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""The tables and pictures of docs/results about peers and whole programs, from the data of measure-results."""

import re
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


def program_speed_up(result, which):
    """How many times as fast a program is with the component, from pairs of runs: in all (elapsed), in its calls, in
    MPI_Init (init). None where it spent no time there."""
    found = paired(result["seconds"][which]["without"], result["seconds"][which]["with"])
    return found if found["speed_up"] else None


def programs_table(data):
    """Each program: its calls, and its speed-ups."""
    rows = []
    for run in data["runs"].values():
        result = run["result"]
        calls = sorted(((count, name) for name, count in result["calls"].items()
                        if count >= 1 and not re.search("create|dup|sub|Wait", name)), reverse=True)[:2]
        in_calls = program_speed_up(result, "calls")
        rows.append([result["what"], ", ".join(f"{name} {count:.0f}" for count, name in calls) or "none",
                     f"{result['served_per_rank']:.0f} of {result['calls_per_rank']:.0f}",
                     speed_up_text(program_speed_up(result, "elapsed")), speed_up_text(in_calls) if in_calls else ""])
    return ["program", "most frequent calls of a rank", "served by the component", "program", "in these calls"], rows


def programs_summary_table(data):
    """For README: programs with a difference, and the number of those without."""
    rows, same = [], 0
    for run in data["runs"].values():
        text = speed_up_text(program_speed_up(run["result"], "elapsed"))
        if text == "no difference":
            same += 1
        else:
            rows.append([run["result"]["what"], text])
    return ["whole programs, 4 x 4 ranks", "speed-up"], rows + [[f"{same} others", "no difference"]]


def init_table(data):
    """MPI_Init, over the pairs of runs of all programs, by release."""
    pairs = {}
    for run in data["runs"].values():
        seconds = run["result"]["seconds"]["init"]
        both = pairs.setdefault(run["result"]["environment"]["mpi_version"], ([], []))
        both[0].extend(seconds["without"])
        both[1].extend(seconds["with"])
    return ["`MPI_Init`, 16 ranks", "pairs of runs", "without the component, ms", "with it, ms", "speed-up"], [
        [release.replace(" v", " "), str(len(without)), *(f"{statistics.median(times) * 1e3:.0f}" for times in (without, with_it)),
         speed_up_text(paired(without, with_it))] for release, (without, with_it) in pairs.items()]


def programs_picture(data):
    """Speed-ups of the programs, and in their calls."""
    figure, panels = new_figure(1, "Measured: whole programs, 16 ranks on 4 nodes", columns=1)
    bars = {"program": [], "in its calls": []}
    for name, run in data["runs"].items():
        for (_, results), which in zip(bars.items(), ("elapsed", "calls")):
            found = program_speed_up(run["result"], which)
            results.append((name, found or {"speed_up": 1, "speed_up_interval": (1, 1)}))
    draw_bars(panels[0], "pairs of runs (lines: 95 % intervals)", bars, "times as fast as without the component")
    return figure


TABLES = {("programs", "speed_up"): programs_table, ("programs", "summary"): programs_summary_table,
          ("programs", "init"): init_table, ("peers", "speed_up"): peers_table,
          ("peers", "init"): peers_init_table}
PICTURES = {"peers": peers_picture, "programs": programs_picture}
