/* coll_nbrhood_verbose and coll_nbrhood_report: what was chosen, why, and what came of it. */
#include "coll_nbrhood.h"

#include <inttypes.h>
#include <stdio.h>

#include "ompi/proc/proc.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/util/output.h"

static opal_list_t records;

/* The report is one rank's: what it chose and how many messages a call takes in all are the same on
 * every rank, calls and bytes are its own. */
static bool speaks(void)
{
    return 0 == OMPI_PROC_MY_NAME->vpid;
}

void nbrhood_report_open(void)
{
    OBJ_CONSTRUCT(&records, opal_list_t);
}

void nbrhood_report_add(nbrhood_record_t *record)
{
    if (nbrhood_state.report && speaks()) {
        opal_list_append(&records, &record->super);
    } else {
        OBJ_RELEASE(record);
    }
}

static void print_record(const nbrhood_record_t *record)
{
    const nbrhood_topology_info *info = &record->info;
    fprintf(stderr,
            "nbrhood: communicator %u: %d ranks (%" PRId64 " with edges) in %d regions; created in "
            "%.3f ms with %d synchronisations\n",
            record->cid, record->ranks, info->ranks_with_edges, info->regions,
            record->creation_seconds * 1e3, info->synchronisations);
    fprintf(stderr,
            "nbrhood:   messages of a call, all ranks: direct %" PRId64 " local + %" PRId64
            " non-local\n",
            info->edges - info->edges_nonlocal, info->edges_nonlocal);
    for (int kind = 0; kind < 2; ++kind) {
        const nbrhood_relayed_info *relayed = &info->relayed[kind];
        if (0 != relayed->messages_nonlocal) {
            fprintf(stderr,
                    "nbrhood:   %s relayed: %" PRId64 " local (at most) + %" PRId64
                    " non-local; model: %.1f us instead of %.1f us for small blocks, blocks up to "
                    "%zu bytes ride\n",
                    0 == kind ? "allgather" : "alltoall", relayed->messages_local,
                    relayed->messages_nonlocal, relayed->relayed_seconds * 1e6,
                    relayed->direct_seconds * 1e6, relayed->ride_threshold);
        }
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        fprintf(stderr, "nbrhood:   %-20s %-10s calls=%" PRIu64 " (%s)\n",
                nbrhood_collective_name(c), nbrhood_choice_name(record->choice[c]),
                record->calls[c], record->reason[c]);
    }
    fprintf(stderr,
            "nbrhood:   sent by rank 0 in calls served here: local %" PRIu64 " messages, %" PRIu64
            " bytes; non-local %" PRIu64 " messages, %" PRIu64
            " bytes; buffers of a plan %zu bytes\n",
            record->messages[0], record->bytes[0], record->messages[1], record->bytes[1],
            record->plan_bytes);
}

void nbrhood_report_close(void)
{
    opal_list_item_t *item;
    if (!opal_list_is_empty(&records)) {
        fprintf(stderr, "nbrhood: summary of %zu topology communicators\n",
                opal_list_get_size(&records));
    }
    while (NULL != (item = opal_list_remove_first(&records))) {
        print_record((const nbrhood_record_t *) item);
        OBJ_RELEASE(item);
    }
    OBJ_DESTRUCT(&records);
}

void nbrhood_verbose_topology(const nbrhood_record_t *record)
{
    if (!speaks()) {
        return;
    }
    if (0 != record->info.whole_nodes) {
        opal_output_verbose(
            1, nbrhood_state.output,
            "nbrhood: communicator %u: nodes not divided into regions: %d, because a "
            "rank there is not bound to a single %s",
            record->cid, record->info.whole_nodes, nbrhood_region_name(nbrhood_state.region_kind));
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        opal_output_verbose(1, nbrhood_state.output, "nbrhood: communicator %u: %s by %s (%s)",
                            record->cid, nbrhood_collective_name(c),
                            nbrhood_choice_name(record->choice[c]), record->reason[c]);
    }
}

static void construct(nbrhood_record_t *record)
{
    memset((char *) record + sizeof record->super, 0, sizeof *record - sizeof record->super);
}

OBJ_CLASS_INSTANCE(nbrhood_record_t, opal_list_item_t, construct, NULL);
