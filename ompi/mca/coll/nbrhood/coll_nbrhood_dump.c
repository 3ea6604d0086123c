/* coll_nbrhood_dump: the patterns that serve a communicator, recorded in files. */
#include "coll_nbrhood.h"

#include <stdio.h>
#include <time.h>

#include "opal/util/output.h"

/* Protects the static variables below; nbrhood_state.lock may be held. */
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;

int64_t nbrhood_timestamp(void)
{
    static int64_t last;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    int64_t timestamp = (int64_t) time.tv_sec * 1000000 + time.tv_nsec / 1000;
    OPAL_THREAD_LOCK(&lock);
    /* Two threads may ask at once, and clocks may be set back. */
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
