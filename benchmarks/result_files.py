# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Reads and writes the JSON files of the programs here: those of nbrhood-bench and nbrhood-amg for
plot-bench and auto-against-best, which check all their contents, and files that the scripts here write for each
other."""

import json
import re

# Results have a few hundred kilobytes; a much larger file is no result, or makes no readable picture.
MOST_FILE_BYTES = 1 << 26
MOST_POINTS = 10000


# The version for all programs here; common/schema.h has it, too.
SCHEMA_VERSION = 1


class ResultError(Exception):
    """A message for the user, in one line."""


class PlotError(ResultError):
    """The same for data to be drawn."""


def shown(path):
    """A path as one line for messages."""
    return path if path.isprintable() else ascii(path)


def text(value):
    """A string."""
    if not isinstance(value, str):
        raise ValueError("text")
    return value


def flag(value):
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def number(value):
    """A number that can be drawn: not negative, finite, and not too large for an axis."""
    # The comparison is false for NaN, and right for integers of any length, on which float() would fail.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1e30:
        raise ValueError("a number from 0 to 1e30")
    return float(value) if value >= 1e-30 else 0.0


def count(value):
    """A count of at least one."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1 << 31:
        raise ValueError("a number of things")
    return value


def check_whole(content):
    """Stops unless an object is the complete output of a program of this release."""
    version = content.get("schema_version")
    if isinstance(version, bool) or version != SCHEMA_VERSION:
        found = f"schema version {str(version)[:20]}" if "schema_version" in content else "no schema version"
        raise ResultError(f"has {found}, and this program reads {SCHEMA_VERSION}: another release of it wrote the file")
    if content.get("complete") is not True:
        raise ResultError("is not complete: its program still runs, or was stopped")


def read_result(path, program):
    """Returns the whole content of a file that a program of that name wrote."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        if not isinstance(content, dict) or content.get("program") != program:
            raise ResultError(f"not a result of {program}")
        check_whole(content)
        return content
    except OSError as error:
        raise ResultError(f"{shown(path)}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{shown(path)}: not JSON: {error}") from error
    except ResultError as error:
        raise ResultError(f"{shown(path)}: {error}") from error


def write_result(path, program, content, complete=True):
    """Writes a file that read_result() takes; complete: whether nothing more will be added. Raises OSError."""
    whole = {"program": program, "schema_version": SCHEMA_VERSION, **content, "complete": complete}
    text_of_all = re.sub(r"\[[-+0-9.eE,\s]*\]", lambda found: re.sub(r"\s+", " ", found[0]), json.dumps(whole, indent=1))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text_of_all + "\n")


def lines_of(heads, rows):
    """A table in Markdown."""
    return "".join("| " + " | ".join(row) + " |\n" for row in [heads, ["---"] * len(heads), *rows])


class OrNull:
    """A shape for a value that may be null, or missing."""

    def __init__(self, shape):
        self.shape = shape


# The shape of the data read from a file: {field: shape} for an object, [shape] for a list, (shape, ...) for a list of
# that length, a function that checks and returns the value for anything else. More fields may be there.
ENVIRONMENT = {"mpi_version": text, "ranks": count, "nodes": count}
ALGORITHM = {"algorithm": text, "verified": flag, "speed_up": OrNull(number),
             "speed_up_interval": OrNull((OrNull(number), OrNull(number)))}
COMPARISON = {"graph_name": text, "operation": text, "variant": text, "bytes_per_edge_mean": number,
              "algorithms": [ALGORITHM]}
METHOD = {"method": text, "verified": flag, "seconds": OrNull(number), "most_messages_local": number,
          "most_messages_nonlocal": number, "most_bytes_nonlocal": number}
RESULTS = {
    "nbrhood-bench": {"program": text, "environment": ENVIRONMENT, "comparisons": [COMPARISON]},
    "nbrhood-amg": {"program": text, "environment": ENVIRONMENT, "levels": [{"methods": [METHOD]}]},
}


def checked(value, shape, where=""):
    """Returns the part of `value` that `shape` describes; raises PlotError that names the place of a difference."""
    if isinstance(shape, OrNull):
        return None if value is None else checked(value, shape.shape, where)
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise PlotError(f"{where} is not an object")
        for field, inner in shape.items():
            if field not in value and not isinstance(inner, OrNull):
                raise PlotError(f"{where + ' ' if where else ''}lacks the field {field}")
        return {field: checked(value.get(field), inner, f"{where}.{field}" if where else field)
                for field, inner in shape.items()}
    if isinstance(shape, (list, tuple)):
        if not isinstance(value, list) or (isinstance(shape, tuple) and len(value) != len(shape)):
            raise PlotError(f"{where} is not a list{f' of {len(shape)}' if isinstance(shape, tuple) else ''}")
        shapes = shape if isinstance(shape, tuple) else shape * len(value)
        return [checked(element, inner, f"{where}[{place}]")
                for place, (element, inner) in enumerate(zip(value, shapes))]
    try:
        return shape(value)
    except ValueError as error:
        raise PlotError(f"{where} is not {error}") from error


def load(path, shapes=None):
    """Returns the parts of one result file that `shapes` describes for its program; by default the parts that are
    drawn."""
    shapes = shapes or RESULTS
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_FILE_BYTES + 1)
        if len(content) > MOST_FILE_BYTES:
            raise PlotError(f"larger than {MOST_FILE_BYTES >> 20} MiB: not a result")
        content = json.loads(content.decode("utf-8"))
        program = content.get("program") if isinstance(content, dict) else None
        if not isinstance(program, str) or program not in shapes:
            *others, last = shapes
            raise PlotError(f"not a result of {', '.join(others) + ' or ' if others else ''}{last}")
        check_whole(content)
        result = checked(content, shapes[program])
        points = sum(len(comparison["algorithms"]) for comparison in result.get("comparisons", []))
        points += sum(len(level["methods"]) for level in result.get("levels", []))
        if points > MOST_POINTS:
            raise PlotError(f"{points} points are more than a picture can show (at most {MOST_POINTS})")
        return result
    except OSError as error:
        raise PlotError(f"{shown(path)}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise PlotError(f"{shown(path)}: not JSON: {error}") from error
    except ResultError as error:
        raise PlotError(f"{shown(path)}: {error}") from error
