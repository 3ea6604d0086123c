# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Runs of nbrhood-explain, and their reports, for model-papers."""

import concurrent.futures
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

from result_files import read_result

NO_MEMORY = "there is not enough memory"


class ExplainError(Exception):
    """A message for the user."""


class Run:
    """The report of nbrhood-explain on one algorithm; nothing if it did not run, or needed too much memory."""

    def __init__(self, future):
        self.future = future

    @property
    def row(self):
        """The algorithm's part of the report."""
        report = self.future.result()
        return report and report["graphs"][0]["algorithms"][0]

    @property
    def ranks(self):
        """The number of ranks."""
        return self.future.result()["machine"]["ranks"]

    def of_size(self, size):
        """The numbers for blocks of one size; None if the size was not asked for, or there was too little memory."""
        return next((found for found in self.row["sizes"] if found["bytes"] == size), None) if self.row else None

    def seconds(self, size):
        """The evaluated time of a call; None if it is not known."""
        found = self.of_size(size)
        return found and found["seconds"]["events"]

    def bound(self, size):
        """A lower bound on the seconds of any pattern."""
        graph = self.future.result()["graphs"][0]
        return graph["lower_bounds"][[found["bytes"] for found in self.row["sizes"]].index(size)]["seconds_of_any_pattern"]


class Explainer:
    """Runs nbrhood-explain for neighbor_allgather, several at a time, and each command once.

    name: the name of the program, for progress reports. options: costs, nodes, jobs, memory, keep and only_kept of its
    command line.
    """

    def __init__(self, name, program, options):
        if not os.access(program, os.X_OK):
            raise ExplainError(f"there is no {program}: run contrib/quickstart first")
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        self.name, self.program, self.options = name, program, options
        self.pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
        self.runs = {}
        self.finished = 0

    def machine(self, nodes, cores):
        """Nodes of two sockets with that many cores each, but no more nodes than the command line allows."""
        return f"node:{min(nodes, self.options.nodes)} socket:2 core:{cores}"

    def ranks(self, nodes, cores):
        """One rank for each core."""
        return min(nodes, self.options.nodes) * 2 * cores

    def ask(self, machine, graph, algorithm, sizes, *parameters):
        """A Run, which may not be finished yet."""
        command = [self.program, "--machine", machine, "--graph", graph, "--op", "neighbor_allgather", "--algorithms",
                   algorithm, "--block-bytes", ",".join(map(str, sizes)), "--costs", self.options.costs, *parameters]
        key = " ".join(command[1:])
        if key not in self.runs:
            self.runs[key] = Run(self.pool.submit(self.explain, command, key))
        return self.runs[key]

    def explain(self, command, key):
        """The output of a command; None if it must not run, or needed too much memory."""
        kept = self.options.keep and os.path.join(self.options.keep, hashlib.sha256(key.encode()).hexdigest()[:24] + ".json")
        if kept and os.path.exists(kept):
            return read_result(kept, "nbrhood-explain")
        if self.options.only_kept:
            return None
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as directory:
            name = os.path.join(directory, "report.json")
            limited = ["bash", "-c", 'ulimit -v "$1" && shift && exec "$@"', "bash", str(int(self.options.memory * (1 << 20))),
                       *command, "--json", name]
            done = subprocess.run(limited, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            no_memory = done.returncode == 3 and NO_MEMORY in done.stdout
            if done.returncode != 0 and not no_memory:
                raise ExplainError(f"this failed with status {done.returncode}: {' '.join(command)}\n{done.stdout[-2000:]}")
            report = None if no_memory else read_result(name, "nbrhood-explain")
            if kept and report:
                shutil.copyfile(name, kept)
        self.finished += 1
        print(f"{self.name}: {self.finished} of {len(self.runs)} runs, {time.monotonic() - begin:.0f} s"
              f"{', too little memory' if no_memory else ''}: {key}", file=sys.stderr, flush=True)
        return report
