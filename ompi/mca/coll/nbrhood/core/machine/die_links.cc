// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "machine/die_links.h"

#include <deque>
#include <stdexcept>
#include <string>
#include <utility>

#include "graph/neighbourhood.h"

namespace nbrhood {

DieLinks::DieLinks(std::vector<std::vector<int>> links, std::vector<int> packages)
    : packages_(std::move(packages)), links_(packages_.size() * packages_.size()),
      hops_(links_.size(), dies())
{
    if (links.size() != packages_.size()) {
        throw std::invalid_argument("there are " + std::to_string(links.size())
                                    + " rows of links, and packages of "
                                    + std::to_string(packages_.size()) + " dies");
    }
    for (int a = 0; a < dies(); ++a) {
        const std::vector<int> &row = links[static_cast<std::size_t>(a)];
        const std::string die = "die " + std::to_string(a);
        if (row.size() != packages_.size()) {
            throw std::invalid_argument(die + " has links to " + std::to_string(row.size())
                                        + " dies, of " + std::to_string(dies()));
        }
        if (row[static_cast<std::size_t>(a)] != 0) {
            throw std::invalid_argument(die + " is linked to itself");
        }
        for (int b = 0; b < dies(); ++b) {
            const int count = row[static_cast<std::size_t>(b)];
            if (count < 0) {
                throw std::invalid_argument(die + " has a negative number of links");
            }
            if (b < a && links_[index(b, a)] != count) {
                throw std::invalid_argument(die + " has " + std::to_string(count) + " links to die "
                                            + std::to_string(b) + ", which has "
                                            + std::to_string(links_[index(b, a)]) + " to it");
            }
            links_[index(a, b)] = count;
        }
    }
    for (int from = 0; from < dies(); ++from) {
        hops_[index(from, from)] = 0;
        std::deque<int> reached{from};
        for (; !reached.empty(); reached.pop_front()) {
            for (int to = 0; to < dies(); ++to) {
                if (hops_[index(from, to)] == dies() && this->links(reached.front(), to) > 0) {
                    hops_[index(from, to)] = hops_[index(from, reached.front())] + 1;
                    reached.push_back(to);
                }
            }
        }
    }
}

std::uint64_t DieLinks::hash() const
{
    std::uint64_t hash = packages_.size();
    for (const std::vector<int> *part : {&packages_, &links_}) {
        for (const int value : *part) {
            hash = mix(hash ^ static_cast<std::uint32_t>(value));
        }
    }
    return hash;
}

} // namespace nbrhood
