/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The GPU dies of this node, from a file or from AMD's libraries, and the die of this process. */
#include "coll_nbrhood_machine.h"
#include "coll_nbrhood_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/output.h"

#if NBRHOOD_HAVE_HWLOC
#include "opal/mca/hwloc/base/base.h"

#include "coll_nbrhood_hwloc_gpus.h"
#endif
#include "coll_nbrhood_rocm.h"

/* The contents of coll_nbrhood_gpu_topology; NULL if they are not usable. */
static nbrhood_die_links *of_file;

/* The answer of the libraries, once they were asked; protected by the lock. */
static nbrhood_die_links *of_node;
static bool asked, told;
static bool real; /* the machine is real, so its GPUs are those of the ranks */
static opal_mutex_t lock;

/* ---- From a file ---- */

#if NBRHOOD_HAVE_HWLOC && HWLOC_API_VERSION >= 0x00020000

static bool add_xml(nbrhood_die_links *links, const char *file, char *why, size_t room)
{
    char reason[256] = "";
    size_t length;
    char *text = nbrhood_read_file(file, &length, why, room);
    if (NULL == text) {
        return false;
    }
    const bool good = nbrhood_add_xml_gpus(links, text, length, reason, sizeof reason);
    free(text);
    if (!good) {
        snprintf(why, room, "%s: %s", file, reason);
    }
    return good;
}

#else

static bool add_xml(nbrhood_die_links *links, const char *file, char *why, size_t room)
{
    (void) links;
    snprintf(why, room, "%s: there is no hwloc 2 to read it with", file);
    return false;
}

#endif

/* The links of "TABLE" or "TABLE,XML". */
static nbrhood_die_links *read_files(const char *names, const nbrhood_machine *machine, char *why,
                                     size_t room)
{
    char reason[256];
    char *const table = strdup(names);
    char *const comma = NULL != table ? strchr(table, ',') : NULL;
    if (NULL != comma) {
        *comma = '\0';
    }
    nbrhood_die_links *links = NULL != table ? nbrhood_die_links_read(table, why, room) : NULL;
    bool good = NULL != links;
    if (good && NULL != comma) {
        good = add_xml(links, comma + 1, why, room);
    }
    if (good && NULL != machine && !nbrhood_die_links_fit(links, machine, reason, sizeof reason)) {
        snprintf(why, room, "%s does not fit coll_nbrhood_machine \"%s\":\n  %s", table,
                 nbrhood_text(NBRHOOD_PARAMETER_MACHINE), reason);
        good = false;
    }
    if (!good) {
        nbrhood_die_links_destroy(links);
        links = NULL;
    }
    free(table);
    return links;
}

void nbrhood_gpu_open(const nbrhood_machine *machine)
{
    char why[PATH_MAX + 512] = "there is no memory";
    const char *const names = nbrhood_text(NBRHOOD_PARAMETER_GPU_TOPOLOGY);
    OBJ_CONSTRUCT(&lock, opal_mutex_t);
    asked = told = false;
    real = NULL == machine;
    of_node = NULL;
    of_file = NULL != names ? read_files(names, machine, why, sizeof why) : NULL;
    if (NULL != names && NULL == of_file) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "bad GPU topology", true, why);
    }
}

void nbrhood_gpu_close(void)
{
    nbrhood_die_links_destroy(of_file);
    nbrhood_die_links_destroy(of_node);
    of_file = of_node = NULL;
    OBJ_DESTRUCT(&lock);
}

/* ---- From the libraries ---- */

static void tell(const char *why)
{
    if (!told) {
        told = true;
        opal_output_verbose(10, nbrhood_state.output, "nbrhood: no GPU dies: %s", why);
    }
}

/* The current device is asked for each communicator, because programs may set it at any time.
 * The dies of the node are asked once, and only in programs that use GPUs. Returns the die; -1:
 * none. */
static int find_die(void)
{
    char why[256] = "";
    nbrhood_gpu gpu;
    if (!nbrhood_hip_current(&gpu, why, sizeof why)) {
        tell(why);
        return -1;
    }
    if (!asked) {
        asked = true;
        of_node = nbrhood_rocm_links(why, sizeof why);
        if (NULL == of_node) {
            tell(why);
        }
    }
    return NULL != of_node ? nbrhood_die_links_find(of_node, &gpu) : -1;
}

/* ---- Both ---- */

void nbrhood_gpu_place(nbrhood_place *place, int slot)
{
    if (NULL != of_file) {
        nbrhood_die_links_put(of_file, slot, place);
    } else if (real) {
        OPAL_THREAD_LOCK(&lock);
        const int die = find_die();
        if (die >= 0) {
            nbrhood_die_links_put_die(of_node, die, place);
        }
        OPAL_THREAD_UNLOCK(&lock);
    }
}

void nbrhood_gpu_file_settings(nbrhood_settings *settings)
{
    settings->die_links = of_file;
    settings->die_links_of_file = NULL != of_file;
}

void nbrhood_gpu_settings(nbrhood_settings *settings)
{
    nbrhood_gpu_file_settings(settings);
    if (NULL == of_file && real) {
        OPAL_THREAD_LOCK(&lock);
        (void) find_die();
        settings->die_links = of_node;
        OPAL_THREAD_UNLOCK(&lock);
    }
}
