/* The hook: what happens when a communicator gets its topology. */
#include "coll_nbrhood_agreement.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "opal/util/output.h"

/* Another component may sit on top of it in the function table, so it is looked up among all that
 * were selected. */
mca_coll_nbrhood_module_t *nbrhood_module_of(const ompi_communicator_t *comm)
{
    mca_coll_base_avail_coll_t *available;
    OPAL_LIST_FOREACH(available, comm->c_coll->module_list, mca_coll_base_avail_coll_t)
    {
        if (0 == strcmp(available->ac_component_name, "nbrhood")) {
            return (mca_coll_nbrhood_module_t *) available->ac_module;
        }
    }
    return NULL;
}

/* What serves a collective, for the report. */
static void note_choice(nbrhood_record_t *record, int c, const nbrhood_topology *topology)
{
    record->choice[c] = nbrhood_served_choice(topology, c);
    record->reason[c] = nbrhood_served_reason(topology, c);
    char sizes[128];
    nbrhood_served_sizes(topology, c, sizes, sizeof sizes);
    free(record->sizes[c]);
    record->sizes[c] = '\0' != sizes[0] ? strdup(sizes) : NULL;
}

static void note_direct(nbrhood_record_t *record, int c)
{
    record->choice[c] = nbrhood_find_choice("direct");
    record->reason[c] = "a trial found it faster";
    free(record->sizes[c]);
    record->sizes[c] = NULL;
}

/* One rank says that an info key has a value that means nothing; the parameter stays. */
static void tell_bad_key(ompi_communicator_t *comm, const char *key, const char *value,
                         const char *wanted)
{
    if (0 == ompi_comm_rank(comm)) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "bad value", true, key, value, wanted);
    }
}

/* The info key nbrhood_algorithm, where it was given. For collectives that the algorithm does not
 * serve the core takes it as auto. */
static void read_algorithm(ompi_communicator_t *comm, const char *value, nbrhood_shared_t *shared)
{
    if (NULL == value) {
        return;
    }
    const int choice = nbrhood_find_choice(value);
    if (choice < 0) {
        tell_bad_key(comm, "the info key nbrhood_algorithm", value,
                     "auto, default or an algorithm that ompi_info lists");
        return;
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        shared->choice[c] = choice;
    }
}

/* Reads a number from 0 to `most` in digits only, behind which `stop` must follow. Returns where
 * that stands, or NULL. */
static const char *read_number(const char *text, char stop, long most, long *number)
{
    char *end;
    if (text[0] < '0' || text[0] > '9') { /* strtol would pass over blanks and signs */
        return NULL;
    }
    *number = strtol(text, &end, 10);
    return *end == stop && *number <= most ? end : NULL;
}

/* The info key nbrhood_block_bytes, where it was given. */
static void read_block_bytes(ompi_communicator_t *comm, const char *value, nbrhood_shared_t *shared)
{
    if (NULL == value) {
        return;
    }
    long bytes;
    char wanted[128];
    nbrhood_parameter parameter;
    if (!nbrhood_parameter_describe(NBRHOOD_PARAMETER_BLOCK_BYTES, &parameter)) {
        return;
    }
    if (NULL == read_number(value, '\0', parameter.most, &bytes)) {
        snprintf(wanted, sizeof wanted, "a number of bytes, %s", parameter.range);
        tell_bad_key(comm, "the info key nbrhood_block_bytes", value, wanted);
        return;
    }
    shared->block_bytes = (unsigned) bytes;
}

/* coll_nbrhood_inject_failure, where it was given. */
static void read_failure(ompi_communicator_t *comm, nbrhood_settings *settings)
{
    const char *value = nbrhood_text(NBRHOOD_PARAMETER_INJECT_FAILURE);
    long rank, step;
    settings->fail_rank = settings->fail_step = -1;
    if (NULL == value) {
        return;
    }
    const char *colon = read_number(value, ':', INT_MAX, &rank);
    if (NULL == colon || NULL == read_number(colon + 1, '\0', INT_MAX, &step)) {
        tell_bad_key(comm, "coll_nbrhood_inject_failure", value, "RANK:STEP");
        return;
    }
    settings->fail_rank = (int) rank;
    settings->fail_step = (int) step;
}

/* The parameters, with what the info keys of this communicator override. */
static nbrhood_shared_t *make_shared(ompi_communicator_t *comm, const mca_coll_nbrhood_keys_t *keys)
{
    nbrhood_shared_t *shared = malloc(sizeof *shared);
    if (NULL != shared) {
        shared->topology = NULL;
        memcpy(shared->choice, nbrhood_state.algorithm, sizeof shared->choice);
        shared->block_bytes = nbrhood_state.values[NBRHOOD_PARAMETER_BLOCK_BYTES].bytes;
        read_algorithm(comm, keys->algorithm, shared);
        read_block_bytes(comm, keys->block_bytes, shared);
        shared->allgather_choice = nbrhood_allgather_choice(
            comm, keys->allgather_algorithm, nbrhood_number(NBRHOOD_PARAMETER_ALLGATHER_ALGORITHM));
    }
    return shared;
}

void nbrhood_find_settings(const mca_coll_nbrhood_module_t *module, const nbrhood_shared_t *shared,
                           nbrhood_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    settings->presence = nbrhood_presence(module);
    memcpy(settings->values, nbrhood_state.values, sizeof settings->values);
    settings->values[NBRHOOD_PARAMETER_BLOCK_BYTES].bytes = shared->block_bytes;
    settings->ranks_per_core = nbrhood_ranks_per_core();
    settings->costs = nbrhood_state.costs;
    settings->over_tcp = nbrhood_over_tcp();
    nbrhood_gpu_settings(settings);
    memcpy(settings->choice, shared->choice, sizeof settings->choice);
    read_failure(module->comm, settings);
}

static void destroy_shared(void *shared)
{
    nbrhood_topology_destroy(((nbrhood_shared_t *) shared)->topology);
    free(shared);
}

static const char *describe_presence(uint32_t presence)
{
    return 0 == presence ? "coll/nbrhood is not selected for it: excluded by the info key\n"
                           "    ompi_comm_coll_preference, or of a lower priority than another\n"
                           "    coll component that has to come first"
                         : "coll/nbrhood is selected for it";
}

/* Some ranks lack the module on this communicator, which parameters do not show. */
static void tell_presence(ompi_communicator_t *comm, const nbrhood_topology_info *info)
{
    char text[512];
    snprintf(text, sizeof text, "  rank 0: %s\n  rank %d: %s",
             describe_presence(info->first_presence), info->odd_rank,
             describe_presence(info->odd_presence));
    opal_show_help("help-mpi-coll-nbrhood.txt", "not everywhere", true, ompi_comm_size(comm), text);
}

/* leads: whether it is this rank that tells. */
static void report_diagnostic(ompi_communicator_t *comm, const nbrhood_topology_info *info,
                              bool leads)
{
    static const char *const topics[] = {NULL, "parameters differ", "edges do not match",
                                         "cannot build"};
    static bool told[NBRHOOD_DIAGNOSTIC_NOT_EVERYWHERE + 1];
    if (NBRHOOD_DIAGNOSTIC_NONE == info->diagnostic || !leads) {
        return;
    }
    const bool again = told[info->diagnostic];
    told[info->diagnostic] = true;
    switch (info->diagnostic) {
    case NBRHOOD_DIAGNOSTIC_NOT_EVERYWHERE:
        if (!again) {
            tell_presence(comm, info);
        }
        break;
    case NBRHOOD_DIAGNOSTIC_PARAMETERS_DIFFER: /* they do so for all communicators */
        if (!again && nbrhood_job_builds()) {  /* else it was said in MPI_Init */
            nbrhood_differences_show(topics[info->diagnostic], comm->c_local_group);
        }
        break;
    default: /* a matter of each communicator */
        opal_show_help("help-mpi-coll-nbrhood.txt", topics[info->diagnostic], true,
                       ompi_comm_size(comm));
        break;
    }
}

void nbrhood_tell_built(mca_coll_nbrhood_module_t *module, int collective,
                        const nbrhood_topology *topology, const nbrhood_call_counts *first,
                        double seconds, bool leads)
{
    nbrhood_record_t *record = module->record;
    ++record->builds;
    record->build_seconds += seconds;
    nbrhood_record_describe(record, topology);
    record->verdict[collective] = (nbrhood_verdict){0};
    if (NULL != first) {
        note_choice(record, collective, topology);
        record->first[collective] = *first;
        record->built[collective] = true;
    } else if (record->built[collective]) { /* and is given up */
        note_choice(record, collective, topology);
    } else {
        record->reason[collective] = nbrhood_served_reason(topology, collective);
    }
    report_diagnostic(module->comm, record->info, leads);
    nbrhood_verbose_built(record, collective);
}

void nbrhood_tell_inherited(mca_coll_nbrhood_module_t *module, int collective,
                            const nbrhood_settled_t *settled)
{
    nbrhood_record_t *record = module->record;
    record->inherited[collective] = true;
    ++nbrhood_totals.inherited;
    if (NULL != settled->built) {
        nbrhood_record_describe(record, settled->built);
        note_choice(record, collective, settled->built);
    } else {
        note_direct(record, collective);
    }
}

void nbrhood_tell_verdict(mca_coll_nbrhood_module_t *module, int collective,
                          const nbrhood_verdict *verdict)
{
    nbrhood_record_t *record = module->record;
    record->verdict[collective] = *verdict;
    if (!verdict->keep) {
        note_direct(record, collective);
    }
    nbrhood_verbose_choice(record, collective);
}

/* ---- The first call ---- */

/* The lock is held. */
static int attach(mca_coll_nbrhood_module_t *module)
{
    nbrhood_shared_t *shared = module->shared;
    if (NULL == module->local.ranks && OMPI_SUCCESS != nbrhood_find_local_ranks(module)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (NULL == shared->topology) {
        const int rc =
            nbrhood_create_direct_topology(module->comm, shared->choice, &shared->topology);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    if (NULL == module->region.ranks
        && OMPI_SUCCESS != nbrhood_find_region(module, shared->topology)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    nbrhood_record_t *record = OBJ_NEW(nbrhood_record_t);
    if (NULL == record) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    record->cid = nbrhood_communicator_number(module->comm);
    record->ranks = ompi_comm_size(module->comm);
    record->creation_seconds = module->creation_seconds;
    nbrhood_record_describe(record, shared->topology);
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        note_choice(record, c, shared->topology);
    }
    module->record = record;
    module->topology = shared->topology;
    return OMPI_SUCCESS;
}

int nbrhood_prepare(mca_coll_nbrhood_module_t *module, int collective)
{
    int rc = OMPI_SUCCESS;
    const nbrhood_settled_t *inherited = nbrhood_heritage_take(module);
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (NULL == module->topology) {
        rc = attach(module);
    }
    if (OMPI_SUCCESS == rc && NULL == module->calls[collective]) {
        nbrhood_calls_t *calls = nbrhood_topology_prepare(module->topology, collective)
                                     ? nbrhood_calls_make(module, collective)
                                     : NULL;
        rc = NULL != calls ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
        if (NULL != calls && NULL != inherited && inherited[collective].settled) {
            nbrhood_inherit(&calls->change, &inherited[collective]);
            nbrhood_tell_inherited(module, collective, &inherited[collective]);
        }
        opal_atomic_wmb();
        module->calls[collective] = calls;
        if (0 == module->record->info->synchronisations) { /* else it was said at creation */
            nbrhood_verbose_choice(module->record, collective);
        }
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return rc;
}

/* ---- Creation ---- */

static int settle_allgathers(mca_coll_nbrhood_module_t *module, nbrhood_allgather_member *members)
{
    const int diagnostic = module->record->info->diagnostic;
    if (module->takes_allgathers && NBRHOOD_DIAGNOSTIC_NOT_EVERYWHERE != diagnostic
        && NBRHOOD_DIAGNOSTIC_PARAMETERS_DIFFER != diagnostic) {
        return nbrhood_allgathers_told(module, members);
    }
    free(members);
    return module->takes_allgathers ? nbrhood_allgathers_stay_out(module) : OMPI_SUCCESS;
}

/* All ranks of the communicator build, or learn that some lack the component. */
static int create(mca_coll_nbrhood_module_t *module, nbrhood_shared_t *shared)
{
    nbrhood_settings settings;
    nbrhood_recording recording;
    nbrhood_allgather_member *members = NULL;
    nbrhood_prepare_recording(module, 0, &recording);
    nbrhood_find_settings(module, shared, &settings);
    settings.timestamp = nbrhood_timestamp();
    int rc = nbrhood_find_local_ranks(module);
    if (OMPI_SUCCESS == rc) {
        rc = nbrhood_create_topology(module, &settings, &recording, &shared->topology, &members);
    }
    if (OMPI_SUCCESS == rc) {
        module->shared = shared;
        rc = attach(module);
    }
    if (OMPI_SUCCESS == rc) {
        rc = settle_allgathers(module, members);
    } else {
        free(members);
    }
    if (OMPI_SUCCESS == rc) {
        report_diagnostic(module->comm, module->record->info, 0 == ompi_comm_rank(module->comm));
        nbrhood_verbose_topology(module->record);
        nbrhood_tell_recording(module, &recording);
    }
    return rc;
}

static int tell_absence(ompi_communicator_t *comm)
{
    nbrhood_topology_info info;
    const int rc = nbrhood_tell_absence(comm, &info);
    if (OMPI_SUCCESS == rc) {
        report_diagnostic(comm, &info, 0 == ompi_comm_rank(comm));
    }
    return rc;
}

static void tell_stalled(const void *context, double seconds)
{
    ompi_communicator_t *comm = *(ompi_communicator_t *const *) context;
    opal_show_help("help-mpi-coll-nbrhood.txt", "creation stalled", true, ompi_comm_rank(comm),
                   ompi_comm_size(comm), nbrhood_communicator_number(comm), seconds);
}

/* Where info keys differ some ranks do not come here, and nothing can end the wait. */
static int build_with_all(ompi_communicator_t *comm, mca_coll_nbrhood_module_t *module,
                          nbrhood_shared_t *shared)
{
    nbrhood_waiter_t waiter = {
        .wait = NBRHOOD_WAIT_CREATION, .tell = tell_stalled, .context = &comm};
    nbrhood_watch(&waiter);
    const int rc = NULL != module ? create(module, shared) : tell_absence(comm);
    nbrhood_unwatch(&waiter);
    return rc;
}

int mca_coll_nbrhood_topology_created(ompi_communicator_t *comm,
                                      const mca_coll_nbrhood_keys_t *keys, void **result,
                                      void (**destroy)(void *topology))
{
    const double start = nbrhood_now();
    mca_coll_nbrhood_module_t *module = nbrhood_module_of(comm);
    int rc = OMPI_SUCCESS;

    *result = NULL;
    nbrhood_build_let_go();
    nbrhood_shared_t *shared = make_shared(comm, keys);
    if (NULL == shared) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const bool builds =
        nbrhood_builds_at_creation(shared->choice, nbrhood_number(NBRHOOD_PARAMETER_BUILD_AFTER));
    if (NULL == module) {
        free(shared);
        return builds ? build_with_all(comm, NULL, NULL) : OMPI_SUCCESS;
    }
    /* From here on the topo module owns it, whatever happens to this communicator. */
    *result = shared;
    *destroy = destroy_shared;
    if (builds) {
        rc = build_with_all(comm, module, shared);
    }
    module->shared = shared;
    if (OMPI_SUCCESS != rc) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "creation failed", true, rc);
        return rc;
    }
    const double seconds = nbrhood_now() - start;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    module->creation_seconds = seconds;
    if (NULL != module->record) {
        module->record->creation_seconds = seconds;
    }
    ++nbrhood_totals.topologies;
    nbrhood_totals.creation_seconds += seconds;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return OMPI_SUCCESS;
}
