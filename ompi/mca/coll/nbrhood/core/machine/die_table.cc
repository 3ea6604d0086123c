// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "machine/die_table.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <tuple>

namespace nbrhood {
namespace {

auto key_of(const PciAddress &address)
{
    return std::tie(address.domain, address.bus, address.device, address.function);
}

std::size_t at(int die)
{
    return static_cast<std::size_t>(die);
}

std::string name_of(std::size_t die)
{
    return "die " + std::to_string(die);
}

void refuse_twice(std::vector<PciAddress> addresses)
{
    std::sort(addresses.begin(), addresses.end());
    const auto twice = std::adjacent_find(addresses.begin(), addresses.end());
    if (twice != addresses.end()) {
        throw std::invalid_argument("two dies have the PCI address " + twice->text());
    }
}

} // namespace

std::string PciAddress::text() const
{
    char text[48];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", domain, bus, device, function);
    return text;
}

bool operator==(const PciAddress &a, const PciAddress &b)
{
    return key_of(a) == key_of(b);
}

bool operator<(const PciAddress &a, const PciAddress &b)
{
    return key_of(a) < key_of(b);
}

int DieTable::find(const PciAddress &address) const
{
    const auto found = std::find(pci.begin(), pci.end(), address);
    return found != pci.end() ? static_cast<int>(found - pci.begin()) : -1;
}

std::vector<int> packages_by_links(const std::vector<std::vector<int>> &links)
{
    const auto dies = static_cast<int>(links.size());
    int most = 0;
    for (const std::vector<int> &row : links) {
        most = row.empty() ? most : std::max(most, *std::max_element(row.begin(), row.end()));
    }
    const auto joined = [&](int a, int b) { return a == b || links[at(a)][at(b)] == most; };
    std::vector<int> packages(links.size());
    bool complete = most > 0;
    for (int die = 0; die < dies; ++die) {
        int lowest = 0;
        while (!joined(die, lowest)) {
            ++lowest;
        }
        packages[at(die)] = lowest;
        for (int other = 0; other < dies; ++other) {
            complete = complete && joined(die, other) == joined(lowest, other);
        }
    }
    const bool all_in_one =
        std::all_of(packages.begin(), packages.end(), [](int package) { return package == 0; });
    for (int die = 0; die < dies && (!complete || all_in_one); ++die) {
        packages[at(die)] = die;
    }
    return in_order(packages);
}

std::vector<int> in_order(const std::vector<int> &packages)
{
    std::map<int, int> numbers;
    std::vector<int> ordered;
    ordered.reserve(packages.size());
    for (const int package : packages) {
        ordered.push_back(numbers.emplace(package, static_cast<int>(numbers.size())).first->second);
    }
    return ordered;
}

void add_gpus(std::vector<Gpu> gpus, DieTable &table)
{
    const auto dies = at(table.links.dies());
    std::sort(gpus.begin(), gpus.end(), [](const Gpu &a, const Gpu &b) { return a.pci < b.pci; });
    if (gpus.size() != dies) {
        throw std::invalid_argument("it has " + std::to_string(gpus.size())
                                    + " GPUs, the table of links " + std::to_string(dies)
                                    + " dies");
    }
    std::vector<int> numa;
    for (std::size_t die = 0; die < dies; ++die) {
        const PciAddress &address = table.pci.empty() ? gpus[die].pci : table.pci[die];
        const auto gpu = std::find_if(gpus.begin(), gpus.end(),
                                      [&](const Gpu &each) { return each.pci == address; });
        if (gpu == gpus.end()) {
            throw std::invalid_argument("it has no GPU with the PCI address " + address.text()
                                        + ", where " + name_of(die) + " of the table of links is");
        }
        if (!table.numa.empty() && gpu->numa >= 0 && gpu->numa != table.numa[die]) {
            throw std::invalid_argument("the GPU with the PCI address " + address.text()
                                        + " is next to NUMA node " + std::to_string(gpu->numa)
                                        + ", " + name_of(die) + " of the table of links to "
                                        + std::to_string(table.numa[die]));
        }
        numa.push_back(gpu->numa);
    }
    if (table.pci.empty()) {
        for (const Gpu &gpu : gpus) {
            table.pci.push_back(gpu.pci);
        }
        refuse_twice(table.pci);
    }
    if (table.numa.empty() && std::find(numa.begin(), numa.end(), -1) == numa.end()) {
        table.numa = std::move(numa);
    }
}

DieTable make_table(const std::vector<std::vector<int>> &links, const std::vector<Gpu> &where)
{
    DieTable table;
    table.links = DieLinks(links, packages_by_links(links));
    for (const Gpu &gpu : where) {
        table.pci.push_back(gpu.pci);
        table.numa.push_back(gpu.numa);
    }
    refuse_twice(table.pci);
    if (std::find(table.numa.begin(), table.numa.end(), -1) != table.numa.end()) {
        table.numa.clear();
    }
    return table;
}

} // namespace nbrhood
