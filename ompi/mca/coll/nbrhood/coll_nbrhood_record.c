/* The record of a communicator: what serves its collectives, and what builds and trials found; and
 * messages to the user where something is wrong.
 */
#include "coll_nbrhood.h"

#include <stdio.h>
#include <stdlib.h>

/* Notes what serves a collective, for the report. */
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
        nbrhood_note_choice(record, collective, topology);
        record->first[collective] = *first;
        record->built[collective] = true;
    } else if (record->built[collective]) { /* and is given up */
        nbrhood_note_choice(record, collective, topology);
    } else {
        record->reason[collective] = nbrhood_served_reason(topology, collective);
    }
    nbrhood_report_diagnostic(module->comm, record->info, leads);
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
        nbrhood_note_choice(record, collective, settled->built);
    } else {
        note_direct(record, collective);
    }
}

void nbrhood_tell_verdict(mca_coll_nbrhood_module_t *module, int collective,
                          const nbrhood_topology *pattern, const nbrhood_verdict *verdict)
{
    nbrhood_record_t *record = module->record;
    record->verdict[collective] = *verdict;
    if (verdict->keep) {
        nbrhood_note_choice(record, collective, pattern);
    } else {
        note_direct(record, collective);
    }
    nbrhood_verbose_choice(record, collective);
}
