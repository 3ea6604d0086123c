// The links between GPU dies for the glue.
#include "capi/die_links.h"

void nbrhood_die_links_destroy(nbrhood_die_links *links)
{
    delete links;
}
