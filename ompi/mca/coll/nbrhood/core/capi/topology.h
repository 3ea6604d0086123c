// What the opaque nbrhood_topology of the C interface holds.
#pragma once

#include "engine/engine.h"

struct nbrhood_topology {
    nbrhood::Topology data;
};
