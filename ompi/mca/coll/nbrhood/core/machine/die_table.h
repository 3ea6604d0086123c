// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The GPU dies of a node as files and libraries describe them: the links, and where each die is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/die_links.h"

namespace nbrhood {

// More dies than any node has.
constexpr int kMostDies = 64;

// Address of a device on the PCI bus, "0000:c1:00.0".
struct PciAddress {
    std::uint32_t domain = 0;
    std::uint32_t bus = 0;
    std::uint32_t device = 0;
    std::uint32_t function = 0;

    std::string text() const;
};
bool operator==(const PciAddress &a, const PciAddress &b);
bool operator<(const PciAddress &a, const PciAddress &b);

// A GPU, or a die of a GPU: a device on the PCI bus.
struct Gpu {
    PciAddress pci;
    int numa = -1; // the nearest NUMA node, in the operating system's numbers; -1: not known
};

struct DieTable {
    DieLinks links;
    // By die; both empty if not known.
    std::vector<PciAddress> pci;
    std::vector<int> numa;

    // The die with this address; -1: none.
    int find(const PciAddress &address) const;
};

// The package of each die, from the links alone: more links join the dies of a package than any
// other dies. So a set of dies is a package if the greatest number of links joins all of its pairs.
// If that gives no such sets, or a single set of all dies, each die is a package of its own.
std::vector<int> packages_by_links(const std::vector<std::vector<int>> &links);

// The same packages, numbered in the order of their lowest dies.
std::vector<int> in_order(const std::vector<int> &packages);

// Adds the places of the node's GPUs from another source, in any order. If the table does not say
// where its dies are, they are these GPUs in the order of their addresses. Throws
// std::invalid_argument if the two sources contradict each other.
void add_gpus(std::vector<Gpu> gpus, DieTable &table);

// The table from a library's answers; where: the place of each die. Throws what DieLinks throws,
// and std::invalid_argument if two dies are in one place.
DieTable make_table(const std::vector<std::vector<int>> &links, const std::vector<Gpu> &where);

} // namespace nbrhood
