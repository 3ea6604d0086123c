/* Whether the component is the same in all processes of a communicator. What one rank does without
 * it, or with another version of it, would not match what the others do, so each process tells the
 * others what it has when it initialises MPI, through the run-time system and not by messages. A
 * topology is created with the component only where all have the same.
 */
#include "coll_nbrhood.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ompi/mca/topo/base/base.h"
#include "ompi/proc/proc.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/util/output.h"

/* What processes tell each other is one line of text; the format is its first number. */
#define KEY "coll.nbrhood"
#define FORMAT 3
#define NO_TOPO (-1000) /* in place of topo/nbrhood's priority where it is missing or excluded */

typedef struct offer_t {
    int format, core, hook;
    int coll_priority, topo_priority;
    int at_creation; /* whether the parameters let creations exchange messages */
    uint64_t parameters;
} offer_t;

static offer_t own;
static char own_text[128];

/* The most processes that are all asked for the sake of allgathers: some 30 ms. */
enum { MOST_ASKED = 1024 };

/* The most processes that are all asked in MPI_Init. */
enum { ASKED_AT_ONCE = 64 };

/* What is known of the processes of this job, by their number in it. */
enum { NOT_ASKED, SAME, DIFFERENT };
static unsigned char *known;
static uint32_t known_room;
static opal_mutex_t lock;
static bool told;

void nbrhood_topo_initialised(int priority)
{
    own.topo_priority = priority;
}

static uint64_t add_text(uint64_t checksum, const char *text)
{
    for (; '\0' != *text; ++text) {
        checksum = (checksum ^ (unsigned char) *text) * UINT64_C(0x100000001b3); /* FNV-1a */
    }
    return checksum;
}

static bool begins_with(const char *text, const char *beginning)
{
    return 0 == strncmp(text, beginning, strlen(beginning));
}

/* Whether a variable can change which functions a communicator has. */
static bool selects(const char *name)
{
    const char *verbose = strstr(name, "verbose");
    return (begins_with(name, "coll") || begins_with(name, "topo"))
           && !begins_with(name, "coll_nbrhood_") && NULL == verbose;
}

/* The numbers and texts that users gave the variables of the coll and topo frameworks, in whichever
 * order they are. Where another component comes first on some ranks only, calls of these would not
 * meet those of the others. */
static uint64_t checksum_of_frameworks(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < mca_base_var_get_count(); ++i) {
        const mca_base_var_t *variable;
        const mca_base_var_storage_t *value = NULL;
        char text[64] = "";
        if (OPAL_SUCCESS != mca_base_var_get(i, &variable)
            || MCA_BASE_VAR_SOURCE_DEFAULT == variable->mbv_source
            || !selects(variable->mbv_full_name)
            || OPAL_SUCCESS != mca_base_var_get_value(i, &value, NULL, NULL) || NULL == value) {
            continue;
        }
        uint64_t checksum = add_text(1, variable->mbv_full_name);
        switch (variable->mbv_type) {
        case MCA_BASE_VAR_TYPE_STRING:
        case MCA_BASE_VAR_TYPE_VERSION_STRING:
            checksum = add_text(checksum, NULL != value->stringval ? value->stringval : "");
            break;
        case MCA_BASE_VAR_TYPE_BOOL:
            snprintf(text, sizeof text, "%d", value->boolval);
            break;
        case MCA_BASE_VAR_TYPE_DOUBLE:
            snprintf(text, sizeof text, "%a", value->lfval);
            break;
        default: /* of numbers the lower half will do */
            snprintf(text, sizeof text, "%d", value->intval);
            break;
        }
        sum += add_text(checksum, text);
    }
    return sum;
}

static uint64_t checksum_of_parameters(void)
{
    nbrhood_settings settings = {.costs = nbrhood_state.costs};
    memcpy(settings.values, nbrhood_state.values, sizeof settings.values);
    memcpy(settings.choice, nbrhood_state.algorithm, sizeof settings.choice);
    nbrhood_gpu_file_settings(&settings);
    return nbrhood_settings_checksum(&settings) + checksum_of_frameworks();
}

void nbrhood_presence_open(void)
{
    OBJ_CONSTRUCT(&lock, opal_mutex_t);
    own = (offer_t){.format = FORMAT,
                    .core = nbrhood_core_version(),
                    .hook = MCA_COLL_NBRHOOD_HOOK_VERSION,
                    .coll_priority = nbrhood_number(NBRHOOD_PARAMETER_PRIORITY),
                    .topo_priority = NO_TOPO};
    own.at_creation = nbrhood_builds_at_creation(nbrhood_state.algorithm,
                                                 nbrhood_number(NBRHOOD_PARAMETER_BUILD_AFTER));
    told = false;
    if (own.coll_priority >= 0) {
        /* Open MPI would do it at the first topology, when it is too late to tell anybody. Where it
         * fails, it fails then, too. */
        (void) mca_topo_base_lazy_init();
    }
    own.parameters = checksum_of_parameters();
    snprintf(own_text, sizeof own_text, "%d %d %d %d %d %d %" PRIx64, own.format, own.core,
             own.hook, own.coll_priority, own.topo_priority, own.at_creation, own.parameters);
    if (!nbrhood_modex_put(KEY, own_text)) {
        own.coll_priority = -1; /* as the others will see it */
    }
}

void nbrhood_presence_close(void)
{
    free(known);
    known = NULL;
    known_room = 0;
    OBJ_DESTRUCT(&lock);
}

/* Where to remember what is known of a process of this job; NULL when there is no memory. */
static unsigned char *known_of(uint32_t number)
{
    if (number >= known_room) {
        const uint32_t room = number + number / 2 + 64;
        unsigned char *more = realloc(known, room);
        if (NULL == more) {
            return NULL;
        }
        memset(more + known_room, NOT_ASKED, room - known_room);
        known = more;
        known_room = room;
    }
    return &known[number];
}

static bool is_same(opal_process_name_t name)
{
    unsigned char *remembered = known_of(name.vpid);
    if (NULL != remembered && NOT_ASKED != *remembered) {
        return SAME == *remembered;
    }
    char *text = nbrhood_modex_get(name, KEY, false);
    const bool same = NULL != text && 0 == strcmp(text, own_text);
    free(text);
    if (NULL != remembered) {
        *remembered = same ? SAME : DIFFERENT;
    }
    return same;
}

/* Understands what a process told; false where it told nothing, or in a format of another version.
 */
static bool parse(const char *text, offer_t *offer)
{
    return NULL != text
           && 7
                  == sscanf(text, "%d %d %d %d %d %d %" SCNx64, &offer->format, &offer->core,
                            &offer->hook, &offer->coll_priority, &offer->topo_priority,
                            &offer->at_creation, &offer->parameters)
           && FORMAT == offer->format;
}

/* Whether a process with this offer looks at those of others. */
static bool takes_part(const offer_t *offer)
{
    return offer->coll_priority >= 0 && offer->topo_priority >= 0;
}

static opal_process_name_t name_of(ompi_group_t *group, int rank)
{
    return ompi_group_get_proc_name(group, rank);
}

static void describe(const char *text, char *description, size_t room)
{
    offer_t offer;
    if (NULL == text) {
        snprintf(description, room, "coll/nbrhood is missing or excluded");
    } else if (!parse(text, &offer)) {
        snprintf(description, room, "another version of coll/nbrhood");
    } else if (NO_TOPO == offer.topo_priority && offer.coll_priority >= 0) {
        snprintf(description, room,
                 "version %d.%d of coll/nbrhood with priority %d, topo/nbrhood is "
                 "missing or excluded",
                 offer.core, offer.hook, offer.coll_priority);
    } else if (offer.coll_priority < 0) {
        snprintf(description, room, "coll_nbrhood_priority is %d", offer.coll_priority);
    } else {
        snprintf(description, room,
                 "version %d.%d, coll_nbrhood_priority %d, topo_nbrhood_priority %d,\n"
                 "  patterns are built %s, parameters with checksum %08x",
                 offer.core, offer.hook, offer.coll_priority, offer.topo_priority,
                 0 != offer.at_creation ? "when a topology is created" : "later",
                 (unsigned) (offer.parameters ^ (offer.parameters >> 32)));
    }
}

static void tell_pair(const char *topic, ompi_group_t *group, int rank, const char *has, int other,
                      const char *other_has)
{
    char *host = nbrhood_modex_get(name_of(group, rank), NBRHOOD_HOST_KEY, true);
    char *other_host = nbrhood_modex_get(name_of(group, other), NBRHOOD_HOST_KEY, true);
    opal_show_help("help-mpi-coll-nbrhood.txt", topic, true, ompi_group_size(group), rank,
                   NULL != host ? host : "unknown", has, other,
                   NULL != other_host ? other_host : "unknown", other_has);
    free(host);
    free(other_host);
}

void nbrhood_tell_not_everywhere(ompi_group_t *group, bool *told_before, int rank, const char *has,
                                 int other, const char *other_has)
{
    if (!*told_before) {
        *told_before = true;
        tell_pair("not everywhere", group, rank, has, other, other_has);
    }
}

/* The lowest rank that looks at the offers tells the user that `odd` has another than it. */
static void tell_difference(ompi_group_t *group, int odd)
{
    const int rank = ompi_group_rank(group);
    if (told || (odd > 0 && rank > 0)) {
        return; /* rank 0 has what this one has, so it tells */
    }
    for (int lower = 0; lower < rank; ++lower) {
        offer_t offer;
        char *text = nbrhood_modex_get(name_of(group, lower), KEY, true);
        const bool tells = parse(text, &offer) && takes_part(&offer);
        free(text);
        if (tells) {
            return;
        }
    }
    char description[2][192];
    char *text = nbrhood_modex_get(name_of(group, odd), KEY, false);
    describe(own_text, description[0], sizeof description[0]);
    describe(text, description[1], sizeof description[1]);
    free(text);
    nbrhood_tell_not_everywhere(group, &told, rank, description[0], odd, description[1]);
}

/* Processes of another job (MPI_Comm_spawn, MPI_Comm_connect) took no part in the exchange in which
 * those of this one told each other; whether a process could ask them, and each of them the other
 * way round, depends on the run-time system. */
static bool one_job(ompi_group_t *group)
{
    const opal_jobid_t job = OMPI_PROC_MY_NAME->jobid;
    int rank = 0;
    while (rank < ompi_group_size(group) && name_of(group, rank).jobid == job) {
        ++rank;
    }
    return rank == ompi_group_size(group);
}

/* Asks all processes. All ranks find the same, and where one of them is different stay out. */
static bool all_are_same(ompi_group_t *group)
{
    const int size = ompi_group_size(group), rank = ompi_group_rank(group);
    int odd = 0;
    while (odd < size && (odd == rank || is_same(name_of(group, odd)))) {
        ++odd;
    }
    if (odd < size) {
        tell_difference(group, odd);
    }
    return odd == size;
}

/* One of the two ranks beside this one. */
static int beside(ompi_group_t *group, int side)
{
    const int size = ompi_group_size(group);
    return (ompi_group_rank(group) + (0 == side ? 1 : size - 1)) % size;
}

/* Asks the two ranks beside this one: where not all ranks of the group are the same, some rank with
 * the component is beside one that is different, and ends the program, as it cannot tell the
 * others. Asking takes some 30 microseconds for each process, so a program that creates topologies
 * in no time, and perhaps on many ranks, must not ask all of them. */
static void insist_on_same(ompi_group_t *group)
{
    for (int side = 0; side < 2; ++side) {
        const int rank = ompi_group_rank(group), other = beside(group, side);
        if (other == rank || is_same(name_of(group, other))) {
            continue;
        }
        char description[2][192];
        char *text = nbrhood_modex_get(name_of(group, other), KEY, false);
        describe(own_text, description[0], sizeof description[0]);
        describe(text, description[1], sizeof description[1]);
        free(text);
        tell_pair("stops", group, rank, description[0], other, description[1]);
        ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_OTHER);
    }
}

/* All of them where their first allgather will want that, and they are few. To ask them then, while
 * others poll for messages on the cores that they share, took 40 ms with 16 ranks on two cores. */
void nbrhood_presence_ask(ompi_group_t *group)
{
    const int size = ompi_group_size(group);
    const bool all =
        size <= ASKED_AT_ONCE
        && NBRHOOD_ALLGATHER_DEFAULT != nbrhood_number(NBRHOOD_PARAMETER_ALLGATHER_ALGORITHM);
    OPAL_THREAD_LOCK(&lock);
    for (int other = 0; takes_part(&own) && !own.at_creation && other < size; ++other) {
        const bool near = other == beside(group, 0) || other == beside(group, 1);
        if (other != ompi_group_rank(group) && (all || near)) {
            (void) is_same(name_of(group, other));
        }
    }
    OPAL_THREAD_UNLOCK(&lock);
}

static bool everywhere(ompi_group_t *group, bool ask_all)
{
    bool same = true;
    if (!takes_part(&own)) {
        return false;
    }
    if (!one_job(group)) {
        opal_output_verbose(1, nbrhood_state.output,
                            "nbrhood: stays out of a communicator with processes of several jobs");
        return false;
    }
    OPAL_THREAD_LOCK(&lock);
    if (ask_all) {
        same = all_are_same(group);
    } else {
        insist_on_same(group);
    }
    OPAL_THREAD_UNLOCK(&lock);
    return same;
}

bool nbrhood_everywhere(ompi_group_t *group)
{
    return everywhere(group, own.at_creation);
}

/* Programs without topologies have nothing to do with the component and shall not be ended by it,
 * unless they are so large that asking would take them longer than an allgather gains. */
bool nbrhood_everywhere_for_allgathers(ompi_group_t *group)
{
    return everywhere(group, own.at_creation || ompi_group_size(group) <= MOST_ASKED);
}
