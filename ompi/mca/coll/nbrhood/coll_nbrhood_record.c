/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Results of creations and builds: the record of a communicator for the report, recordings of its
 * patterns (coll_nbrhood_dump), and messages to the user about errors.
 */
#include "coll_nbrhood_record.h"
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "opal/util/output.h"

/* ---- The record of a communicator ---- */

/* The info of a topology that was created without communication, as most are. */
static const nbrhood_topology_info nothing = {.regions = 1};

static void forget_info(nbrhood_record_t *record)
{
    if (&nothing != record->info) {
        free((void *) record->info);
    }
    record->info = &nothing;
}

void nbrhood_record_describe(nbrhood_record_t *record, const nbrhood_topology *topology)
{
    nbrhood_topology_info *info = calloc(1, sizeof *info);
    if (NULL == info) {
        return;
    }
    nbrhood_topology_describe(topology, info);
    forget_info(record);
    if (0 == memcmp(info, &nothing, sizeof *info)) {
        free(info);
    } else {
        record->info = info;
    }
}

static void construct(nbrhood_record_t *record)
{
    memset((char *) record + sizeof record->super, 0, sizeof *record - sizeof record->super);
    record->info = &nothing;
}

static void destruct(nbrhood_record_t *record)
{
    forget_info(record);
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        free(record->sizes[c]);
    }
}

OBJ_CLASS_INSTANCE(nbrhood_record_t, opal_list_item_t, construct, destruct);

/* Notes the algorithm of a collective, for the report. */
void nbrhood_note_choice(nbrhood_record_t *record, int c, const nbrhood_topology *topology)
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

static const char *describe_presence(uint32_t presence)
{
    return 0 == presence ? "coll/nbrhood is not selected for it: excluded by the info key\n"
                           "    ompi_comm_coll_preference, or of a lower priority than another\n"
                           "    coll component that has to come first"
                         : "coll/nbrhood is selected for it";
}

/* Tells the user that some ranks lack the module on this communicator, which parameters do not
 * show. */
static void tell_presence(ompi_communicator_t *comm, const nbrhood_topology_info *info)
{
    char text[512];
    snprintf(text, sizeof text, "  rank 0: %s\n  rank %d: %s",
             describe_presence(info->first_presence), info->differing_rank,
             describe_presence(info->differing_presence));
    opal_show_help("help-mpi-coll-nbrhood.txt", "not everywhere", true, ompi_comm_size(comm), text);
}

/* Shows the diagnostic in `info` to the user, if there is one and `leads` is set. */
void nbrhood_report_diagnostic(ompi_communicator_t *comm, const nbrhood_topology_info *info,
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
    case NBRHOOD_DIAGNOSTIC_PARAMETERS_DIFFER: /* for all communicators */
        if (!again && nbrhood_job_builds()) {  /* otherwise MPI_Init reported it */
            nbrhood_differences_show(topics[info->diagnostic], comm->c_local_group);
        }
        break;
    default: /* for each communicator */
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
    record->trial[collective] = (nbrhood_trial_result){0};
    if (NULL != first) {
        nbrhood_note_choice(record, collective, topology);
        record->first[collective] = *first;
        record->built[collective] = true;
    } else if (record->built[collective]) { /* the pattern is given up */
        nbrhood_note_choice(record, collective, topology);
    } else {
        record->reason[collective] = nbrhood_served_reason(topology, collective);
    }
    nbrhood_report_diagnostic(module->comm, record->info, leads);
    nbrhood_verbose_built(record, collective);
}

void nbrhood_tell_inherited(mca_coll_nbrhood_module_t *module, int collective,
                            const nbrhood_decision_t *decision)
{
    nbrhood_record_t *record = module->record;
    record->inherited[collective] = true;
    ++nbrhood_totals.inherited;
    if (NULL != decision->built) {
        nbrhood_record_describe(record, decision->built);
        nbrhood_note_choice(record, collective, decision->built);
    } else {
        note_direct(record, collective);
    }
}

void nbrhood_tell_trial_result(mca_coll_nbrhood_module_t *module, int collective,
                               const nbrhood_topology *tried, const nbrhood_trial_result *result)
{
    nbrhood_record_t *record = module->record;
    record->trial[collective] = *result;
    if (result->keep) { /* an earlier result may have given the pattern up */
        nbrhood_note_choice(record, collective, tried);
    } else {
        note_direct(record, collective);
    }
    nbrhood_verbose_choice(record, collective);
}

/* ---- Recordings of patterns ---- */

/* Protects the static variables below; nbrhood_state.lock may be held. */
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;

int64_t nbrhood_timestamp(void)
{
    static int64_t last;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    int64_t timestamp = (int64_t) time.tv_sec * 1000000 + time.tv_nsec / 1000;
    OPAL_THREAD_LOCK(&lock);
    /* Two threads may ask at the same time, and clocks may be set back. */
    if (timestamp <= last) {
        timestamp = last + 1;
    }
    last = timestamp;
    OPAL_THREAD_UNLOCK(&lock);
    return timestamp;
}

static bool records;

void nbrhood_records_open(void)
{
    records = NULL != nbrhood_text(NBRHOOD_PARAMETER_DUMP);
}

bool nbrhood_records(void)
{
    return records;
}

void nbrhood_prepare_recording(const mca_coll_nbrhood_module_t *module, int named_by,
                               nbrhood_recording *recording)
{
    memset(recording, 0, sizeof *recording);
    if (nbrhood_records()) {
        const opal_process_name_t name =
            ompi_group_get_proc_name(module->comm->c_local_group, named_by);
        recording->directory = nbrhood_text(NBRHOOD_PARAMETER_DUMP);
        recording->job = name.jobid;
        recording->number = name.vpid;
    }
}

/* The user is told the first failure of this process only. */
static bool first_failure(void)
{
    static bool told;
    OPAL_THREAD_LOCK(&lock);
    const bool first = !told;
    told = true;
    OPAL_THREAD_UNLOCK(&lock);
    return first;
}

void nbrhood_tell_recording(const mca_coll_nbrhood_module_t *module,
                            const nbrhood_recording *recording)
{
    const nbrhood_record_t *record = module->record;
    if (recording->failed && first_failure()) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "cannot record", true,
                       ompi_comm_rank(module->comm), record->ranks, recording->text);
    }
    if (NULL == recording->directory || !nbrhood_is_reporting_rank()) {
        return;
    }
    if (!recording->failed && 0 != recording->files) {
        ++nbrhood_totals.recordings;
        opal_output_verbose(1, nbrhood_state.output,
                            "nbrhood: communicator %u: patterns recorded in %s", record->cid,
                            recording->text);
    }
    char names[256];
    size_t length = 0;
    for (int c = 0; c < NBRHOOD_COLLECTIVES && length < sizeof names; ++c) {
        if (NBRHOOD_CHOICE_DEFAULT == record->choice[c]) {
            length += (size_t) snprintf(names + length, sizeof names - length, " %s",
                                        nbrhood_collective_name(c));
        }
    }
    if (0 != length) {
        opal_output_verbose(1, nbrhood_state.output,
                            "nbrhood: communicator %u: not recorded, because default is Open MPI's "
                            "own and has no pattern:%s",
                            record->cid, names);
    }
}

void nbrhood_record_built(const nbrhood_switch_t *sw, nbrhood_topology *topology)
{
    nbrhood_recording recording;
    nbrhood_prepare_recording(sw->module, nbrhood_topology_named_by(topology), &recording);
    if (NULL != recording.directory) {
        nbrhood_switch_record(sw->core, topology, &recording);
        nbrhood_tell_recording(sw->module, &recording);
    }
}

void nbrhood_tell_recorded(void)
{
    if (records && nbrhood_is_reporting_rank()) {
        fprintf(
            stderr,
            "nbrhood: coll_nbrhood_dump: rank 0 created %llu topologies and recorded patterns "
            "%llu times; where no pattern was built, calls went direct, and there is nothing to "
            "record\n",
            nbrhood_totals.topologies, nbrhood_totals.recordings);
    }
}
