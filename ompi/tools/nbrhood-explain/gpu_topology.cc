// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

#include "gpu_topology.h"

#include "common/error.h"
#include "capi/die_links.h"
#include "machine/die_links_file.h"

#include <hwloc.h>

#include "coll_nbrhood_hwloc_gpus.h"

#include <cstdlib>
#include <map>
#include <memory>

namespace nbrhood_tools::explain {

namespace {

/// Objects of the core's C interface, which must be released.
template <auto Destroy>
struct Destroyer {
    template <typename Thing>
    void operator()(Thing *thing) const
    {
        Destroy(thing);
    }
};
using Links = std::unique_ptr<nbrhood_die_links, Destroyer<nbrhood_die_links_destroy>>;
using SyntheticNodes = std::unique_ptr<nbrhood_machine, Destroyer<nbrhood_machine_destroy>>;
using Text = std::unique_ptr<char, Destroyer<std::free>>;

void add_xml(nbrhood_die_links &links, const std::string &file)
{
    char why[1024] = "";
    std::size_t length = 0;
    const Text text(nbrhood_read_file(file.c_str(), &length, why, sizeof why));
    if (text == nullptr)
        throw InputError(why);
    // hwloc's messages on stderr are for its developers, so they are switched off; a user's own
    // setting remains.
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    if (!nbrhood_add_xml_gpus(&links, text.get(), length, why, sizeof why))
        throw InputError(file, 0, why);
}

} // namespace

nbrhood::DieTable read_gpu_topology(const std::string &names, const std::string &machine)
{
    char why[1024] = "";
    const std::size_t comma = names.find(',');
    const Links links(nbrhood_die_links_read(names.substr(0, comma).c_str(), why, sizeof why));
    if (links == nullptr)
        throw InputError(why);
    if (comma != std::string::npos)
        add_xml(*links, names.substr(comma + 1));
    if (!machine.empty()) {
        const SyntheticNodes nodes(nbrhood_machine_create(machine.c_str(), why, sizeof why));
        if (nodes == nullptr || !nbrhood_die_links_fit(links.get(), nodes.get(), why, sizeof why))
            throw InputError(names.substr(0, comma), 0,
                             "does not fit --machine \"" + machine + "\": " + why);
    }
    return links->table;
}

void put_on_dies(const nbrhood::DieTable &table, std::vector<nbrhood::Place> &places)
{
    using nbrhood::Level;
    std::map<std::int32_t, int> ranks_on;
    for (nbrhood::Place &place : places) {
        const int slot = ranks_on[place.node]++;
        std::int16_t &die = place.domain(Level::die);
        if (die <= 0)
            die = static_cast<std::int16_t>(slot % table.links.dies() + 1);
        place.domain(Level::gpu) = static_cast<std::int16_t>(table.links.package_of(die - 1) + 1);
    }
}

std::string gpu_topology_text(const nbrhood::DieTable &table)
{
    std::string text = nbrhood::write_die_table(table) + "# hops:\n";
    for (int die = 0; die < table.links.dies(); ++die) {
        text += '#';
        for (int other = 0; other < table.links.dies(); ++other)
            text += '\t' + std::to_string(table.links.hops(die, other));
        text += '\n';
    }
    return text;
}

} // namespace nbrhood_tools::explain
