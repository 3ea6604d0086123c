# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

"""Runs of a program with and without the component, in pairs: their order and their statistics."""

import random
import statistics

# With fewer pairs not even their smallest and largest ratios are a 95 % interval of the median.
FEWEST_FOR_INTERVAL = 5


def order_of(pairs):
    """Without, with, with, without, and so on: slow changes of the machine affect both equally."""
    order = []
    for pair in range(pairs):
        order += ["without", "with"] if pair % 2 == 0 else ["with", "without"]
    return order


def interval(samples, seed=1, rounds=2000):
    """The 95 % bootstrap interval of the median, or None where there are too few samples."""
    if len(samples) < FEWEST_FOR_INTERVAL:
        return None
    chance = random.Random(seed)
    medians = sorted(statistics.median(chance.choices(samples, k=len(samples))) for _ in range(rounds))
    return [medians[int(0.025 * rounds)], medians[int(0.975 * rounds)]]


def ratios_of(without, with_it):
    """The medians of a time in both ways, in seconds, and of the ratio of its pairs with its interval; the ratio is None
    if some run spent no time."""
    ratios = [after / before for before, after in zip(without, with_it) if before > 0]
    complete = len(ratios) == len(without)
    return {"without_seconds": statistics.median(without), "with_seconds": statistics.median(with_it),
            "ratio": statistics.median(ratios) if complete else None, "interval": interval(ratios) if complete else None}
