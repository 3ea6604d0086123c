// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The GPU dies of a node, and the links that join them.
#pragma once

#include <cstdint>
#include <vector>

namespace nbrhood {

// How fast one die of a node reaches another: the matrices T_l and T_h of Temucin, Gazimirsaeed,
// Grant, Afsahi, "ROCm-Aware Leader-based Designs for MPI Neighbourhood Collectives", section V-A.
// Dies and packages (GPUs, of one or more dies) are numbered from 0, in the order in which
// Place::domain() numbers them from 1.
class DieLinks {
public:
    // The links of a node without GPUs, or with unknown links.
    DieLinks() = default;
    // links[a][b]: how many links join dies a and b, the same in both directions; packages[a]: the
    // package of die a. Throws std::invalid_argument if the matrix is not square or not symmetric,
    // a die is linked to itself, or the number of packages is not that of the dies.
    DieLinks(std::vector<std::vector<int>> links, std::vector<int> packages);

    int dies() const { return static_cast<int>(packages_.size()); }
    int package_of(int die) const { return packages_[static_cast<std::size_t>(die)]; }
    // T_l: the links between two dies; 0 if they reach each other only through others.
    int links(int a, int b) const { return links_[index(a, b)]; }
    // T_h: the number of links on the shortest path; 0 from a die to itself. Dies that no links
    // join reach each other through the host, which counts as more than any path over links: the
    // number of dies.
    int hops(int a, int b) const { return hops_[index(a, b)]; }

    // A hash, by which the ranks of a node compare their links.
    std::uint64_t hash() const;

private:
    std::size_t index(int a, int b) const
    {
        return static_cast<std::size_t>(a) * packages_.size() + static_cast<std::size_t>(b);
    }

    std::vector<int> packages_;
    std::vector<int> links_; // by index()
    std::vector<int> hops_;
};

} // namespace nbrhood
