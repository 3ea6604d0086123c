// SPDX-License-Identifier: BSD-3-Clause-Open-MPI
// Copyright (c) The coll/nbrhood authors.

// The opaque nbrhood_die_links of the C interface.
#pragma once

#include <memory>

#include "capi/nbrhood_die_links.h"
#include "machine/die_table.h"

struct nbrhood_die_links {
    explicit nbrhood_die_links(nbrhood::DieTable given)
        : table(std::move(given)), data(std::make_shared<const nbrhood::DieLinks>(table.links))
    {}
    nbrhood::DieTable table;
    std::shared_ptr<const nbrhood::DieLinks> data;
};
