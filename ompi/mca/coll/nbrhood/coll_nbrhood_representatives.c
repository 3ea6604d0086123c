/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The representatives of a job: the first process of each node and of each app context. The
 * run-time system has told all processes the same facts, so all of them find the same
 * representatives.
 */
#include "coll_nbrhood_presence.h"

#include <stdlib.h>

static bool add_representative(nbrhood_representatives_t *to, uint32_t number)
{
    for (int i = 0; i < to->count; ++i) {
        if (to->numbers[i] == number) {
            return true;
        }
    }
    if (to->count == to->room) {
        const int room = 2 * to->room + 16;
        uint32_t *more = realloc(to->numbers, (size_t) room * sizeof *more);
        if (NULL == more) {
            return false;
        }
        to->numbers = more;
        to->room = room;
    }
    to->numbers[to->count++] = number;
    return true;
}

/* Adds the first process of each node. */
static bool add_nodes(nbrhood_representatives_t *to)
{
    char *nodes = nbrhood_job_nodes(), *rest = NULL;
    bool complete = true;
    for (char *node = NULL != nodes ? strtok_r(nodes, ",", &rest) : NULL; NULL != node && complete;
         node = strtok_r(NULL, ",", &rest)) {
        uint32_t number;
        if (nbrhood_first_on_node(node, &number)) {
            complete = add_representative(to, number);
        }
    }
    free(nodes);
    return complete;
}

/* Adds the first process of each app context, since mpirun gives each its own environment and
 * parameters. The processes of an app context have consecutive numbers. */
static bool add_app_contexts(nbrhood_representatives_t *to)
{
    uint32_t last = UINT32_MAX;
    bool complete = true;
    if (1 >= nbrhood_job_number(OPAL_VPID_WILDCARD, NBRHOOD_APPS_KEY, 1)) {
        return true;
    }
    for (uint32_t number = 0; complete && number < nbrhood_job_size(); ++number) {
        const uint32_t app = nbrhood_job_number(number, NBRHOOD_APP_KEY, last);
        if (app != last) {
            complete = add_representative(to, number);
            last = app;
        }
    }
    return complete;
}

bool nbrhood_find_representatives(nbrhood_representatives_t *to)
{
    *to = (nbrhood_representatives_t){NULL, 0, 0};
    return add_nodes(to) && add_app_contexts(to);
}
