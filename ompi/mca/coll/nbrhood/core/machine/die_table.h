// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The GPU dies of a node as files and libraries tell of them: the links, and where each die is.
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

// A GPU, or a die of one, as the PCI bus shows it.
struct Gpu {
    PciAddress pci;
    int numa = -1; // the NUMA node next to it, as the operating system numbers them; -1: not known
};

struct DieTable {
    DieLinks links;
    // By die; both empty where nothing is known.
    std::vector<PciAddress> pci;
    std::vector<int> numa;

    // The die with this address; -1: none.
    int find(const PciAddress &address) const;
};

// The package of each die, from the links alone: dies of one package are joined by more links than
// any others. So the dies that the greatest number of links joins make a package, where all of them
// are joined so, and do not make one of all dies. Otherwise each die is a package of its own.
std::vector<int> packages_by_links(const std::vector<std::vector<int>> &links);

// The same packages, numbered in the order of their lowest dies.
std::vector<int> in_order(const std::vector<int> &packages);

// Adds what another source tells of the node's GPUs, in whichever order. Where the table does not
// say where its dies are, they are these GPUs in the order of their addresses. Throws
// std::invalid_argument where the two contradict each other.
void add_gpus(std::vector<Gpu> gpus, DieTable &table);

// The table of what a library tells; where: of each die. Throws what DieLinks throws, and
// std::invalid_argument where there are two dies in one place.
DieTable make_table(const std::vector<std::vector<int>> &links, const std::vector<Gpu> &where);

} // namespace nbrhood
