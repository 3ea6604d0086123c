/* coll_nbrhood_dump: the patterns that serve a communicator, recorded in files. */
#include "coll_nbrhood.h"

#include <stdio.h>
#include <time.h>

#include "opal/util/output.h"

int64_t nbrhood_timestamp(void)
{
    static int64_t last;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    int64_t timestamp = (int64_t) time.tv_sec * 1000000 + time.tv_nsec / 1000;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    /* Two threads may ask at once, and clocks may be set back. */
    if (timestamp <= last) {
        timestamp = last + 1;
    }
    last = timestamp;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return timestamp;
}

void nbrhood_prepare_recording(const mca_coll_nbrhood_module_t *module,
                               nbrhood_recording *recording)
{
    memset(recording, 0, sizeof *recording);
    if (NULL != nbrhood_text(NBRHOOD_PARAMETER_DUMP)) {
        const opal_process_name_t first = ompi_group_get_proc_name(module->comm->c_local_group, 0);
        recording->directory = nbrhood_text(NBRHOOD_PARAMETER_DUMP);
        recording->job = first.jobid;
        recording->first = first.vpid;
    }
}

/* The user is told the first failure of this process only. */
static bool first_failure(void)
{
    static bool told;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    const bool first = !told;
    told = true;
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
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
