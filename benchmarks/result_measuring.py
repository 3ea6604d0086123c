# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Executes the runs of result_runs, for measure-results and reproduce."""

import datetime
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time

from compared_programs import Unavailable, find_program
from result_files import ResultError
from result_runs import EXPLAIN, PEERS, PROGRAMS, TOP, repeated

SMALLEST = {"--samples": "2", "--max-seconds": "0.1", "--first-calls": "10", "--ranks-per-node": "2", "--rows": "4096",
            "--machine": "node:2 socket:2 core:2", "--parts": "8", "--pairs": "1"}
PARAMETER = re.compile(r"OMPI_MCA_(pml|btl|coll|mpi_yield)")  # those that matter for speed


class Left(ResultError):
    """A run that this machine, or this release of Open MPI, cannot make; the message says why."""


def machine():
    """The machine in words, without names of hosts."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.M)
    gibibytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 ** 30
    return {"processor": model[1] if model else platform.machine(), "cores": os.cpu_count(),
            "memory_gib": round(gibibytes), "kernel": platform.release()}


def version_of_mpirun():
    """4.1.4, for example."""
    said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"Open MPI\) (\d+\.\d+\S*)", said)
    if not found:
        raise ResultError(f"mpirun is not Open MPI's: {said.splitlines()[:1]}")
    return found[1]


def release_of_mpirun():
    """4.1, 5.0 or 6.0."""
    return ".".join(version_of_mpirun().split(".")[:2])


def commit():
    """The last commit that changed ompi/, with a + if it was changed since; "unknown" without git."""
    def git(*arguments):
        return subprocess.run(["git", "-C", TOP, *arguments, "--", "ompi"], capture_output=True, text=True, check=False)
    if not shutil.which("git"):
        return "unknown"
    last = git("log", "-1", "--abbrev=12", "--format=%h")
    changed = git("status", "--porcelain")
    return (last.stdout.strip() or "unknown") + ("+" if changed.stdout else "")


def without_names(result):
    """A program's result without names of hosts and directories, and without the bytes over each link between dies."""
    result.pop("command", None)
    environment = result.get("environment", {"mca_parameters": []})
    environment.pop("host", None)
    environment["mca_parameters"] = [parameter for parameter in environment["mca_parameters"]
                                     if PARAMETER.match(parameter) and "/" not in parameter]
    for comparison in result.get("comparisons", []):
        if "graph" in comparison:
            comparison["graph"] = re.sub(r":.*/", ":", comparison["graph"])
    for graph in result.get("graphs", []):
        for size in (size for algorithm in graph["algorithms"] for size in algorithm["sizes"]):
            size.get("dies", {}).pop("links", None)
    return result


def rounded(value):
    """A result with numbers of six digits."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    return [rounded(inner) for inner in value] if isinstance(value, list) else value


def directories_for(matrices):
    """Where programs, component and matrices are."""
    build = os.environ.get("NBRHOOD_BUILD", os.path.join(TOP, "build", "quickstart"))
    return {"build": build, "matrices": os.path.abspath(matrices),
            "levels": os.path.join(TOP, "build", "levels"),
            "component": os.environ.get("NBRHOOD_COMPONENT_DIR", os.path.join(build, "install", "openmpi"))}


def circumstances():
    """What is known of all results that are measured now."""
    return {"date": datetime.date.today().isoformat(), "commit": commit(), "machine": machine()}


def of_program(content):
    """The result of compare-programs for its only program: seconds of each run, and calls of a rank with the component."""
    (program,) = content["programs"]
    last = program["runs"]["with"][-1]
    calls = {function["name"]: function["calls"]["total"] / last["ranks"] for function in last["functions"]}
    return {"environment": {"mpi_version": f"Open MPI v{version_of_mpirun()}"}, "what": program["what"],
            "order": program["order"], "seconds": program["seconds"], "calls": calls,
            "calls_per_rank": program["calls_per_rank"], "served_per_rank": last["served_calls"] / last["ranks"]}


def check_available(run, directories):
    """Raises Left if the run needs another release of Open MPI, or something that is not here."""
    if run.release not in (None, release_of_mpirun()):
        raise Left(f"for Open MPI {run.release} (contrib/debian)")
    if run.program == PROGRAMS:
        try:
            find_program(run.options[0]).check(run.nodes * run.ranks_per_node)
        except Unavailable as error:
            raise Left(str(error)) from error
    if run.program == PEERS and not os.access(os.path.join(directories["build"], run.program), os.X_OK):
        raise Left("nbrhood-peers was not built (configure --with-mpi-advance=DIR)")


def execute(run, directories):
    """The result of one run, as its program wrote it."""
    program = os.path.join(TOP if run.program == PROGRAMS else directories["build"], run.program)
    if not os.access(program, os.X_OK):
        raise ResultError(f"there is no {program}: run contrib/quickstart first")
    options = [option.format(**directories) for option in run.options]
    if "--export" in options:
        shutil.rmtree(directories["levels"], ignore_errors=True)
        os.makedirs(directories["levels"])
    if "*" in options[-1]:
        kind, _, files = options.pop().partition(":")
        options += repeated("--graph", [f"{kind}:{file}" for file in sorted(glob.glob(files), key=lambda f: (len(f), f))])[1:]
    for option in options:
        if option.startswith("matrix:") and not os.access(option[7:], os.R_OK):
            raise ResultError(f"there is no {option[7:]}: --matrices names the directory")
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "result.json")
        command = [program, *options, "--json", path]
        if run.program == PROGRAMS:
            command += ["--nodes", str(run.nodes), "--ranks-per-node", str(run.ranks_per_node)]
        elif run.program != EXPLAIN:
            command = [os.path.join(TOP, "contrib", "cluster"), "once", "--nodes", str(run.nodes),
                       "--ranks-per-node", str(run.ranks_per_node), "--cores", "own", "--timeout", "1800", *run.cluster,
                       "--", *command]
        environment = dict(os.environ, NBRHOOD_BUILD=directories["build"], NBRHOOD_COMPONENT_DIR=directories["component"])
        status = subprocess.run(command, check=False, env=environment).returncode
        if status != 0:
            raise ResultError(f"run {run.name}: exit status {status}")
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        return rounded(of_program(result) if run.program == PROGRAMS else without_names(result))


def smallest(run):
    """The run on 2 nodes with 2 ranks each, for seconds."""
    options = [option.replace("rsg:0.0", "rsg:0.") for option in run.options]  # four ranks need edges
    for place, option in enumerate(options[:-1]):
        options[place + 1] = SMALLEST.get(option, options[place + 1])
    return run._replace(nodes=2, ranks_per_node=2, options=options)


def measured(run, smoke, directories):
    """A run with its result, for a file of results; smoke: its smallest form."""
    began = time.monotonic()
    result = execute(smallest(run) if smoke else run, directories)
    return {"nodes": run.nodes, "ranks_per_node": run.ranks_per_node,
            "options": " ".join(run.options).replace("{matrices}/", "").replace("{levels}", "levels").replace(TOP + "/", ""),
            "cluster": " ".join(run.cluster).replace(TOP + "/", ""),
            "seconds": round(time.monotonic() - began), "result": result}
