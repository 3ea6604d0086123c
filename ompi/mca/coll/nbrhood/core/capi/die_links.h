// What the opaque nbrhood_die_links of the C interface holds.
#pragma once

#include <memory>

#include "capi/nbrhood_core.h"
#include "machine/die_links.h"

struct nbrhood_die_links {
    std::shared_ptr<const nbrhood::DieLinks> data;
};
