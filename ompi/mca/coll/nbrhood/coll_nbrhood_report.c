/* coll_nbrhood_verbose and coll_nbrhood_report: what was chosen, why, and the outcome. */
#include "coll_nbrhood.h"

#include <inttypes.h>
#include <stdio.h>

#include "ompi/proc/proc.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/util/output.h"

static opal_list_t records;

/* What it chose and how many messages a call takes in all are the same on every rank, calls and
 * bytes are its own. */
bool nbrhood_is_reporting_rank(void)
{
    return 0 == OMPI_PROC_MY_NAME->vpid;
}

void nbrhood_report_open(void)
{
    OBJ_CONSTRUCT(&records, opal_list_t);
}

void nbrhood_report_add(nbrhood_record_t *record)
{
    if (nbrhood_flag(NBRHOOD_PARAMETER_REPORT) && nbrhood_is_reporting_rank()) {
        opal_list_append(&records, &record->super);
    } else {
        OBJ_RELEASE(record);
    }
}

/* The model's prediction for an algorithm that was considered. */
static void describe_expectation(const nbrhood_expectation *expected, char *text, size_t room)
{
    snprintf(text, room,
             "%s by %s: %" PRId64 " local (at most) + %" PRId64
             " non-local messages; model: %.1f us instead of %.1f us for blocks of %.0f bytes, "
             "blocks up to %zu bytes are combined",
             NBRHOOD_ONE_PER_RANK == expected->kind ? "allgather" : "alltoall",
             nbrhood_choice_name(expected->choice), expected->messages_local,
             expected->messages_nonlocal, expected->relayed_seconds * 1e6,
             expected->direct_seconds * 1e6, expected->block_bytes, expected->combining_threshold);
}

/* What is to be known of a collective beside the reason of a choice. */
static void remark(const nbrhood_record_t *record, int collective, char *text, size_t room)
{
    const char *sizes = record->sizes[collective];
    size_t length = 0;
    text[0] = '\0';
    if (record->built[collective]) {
        length = (size_t) snprintf(
            text, room, "; from call %" PRIu32 " on, start %" PRIu32 " of a persistent request",
            record->first[collective].calls, record->first[collective].starts);
    }
    text += length;
    room -= length;
    if ('\0' != sizes[0]) {
        snprintf(text, room, "; blocks %s%s", sizes,
                 NULL != strstr(sizes, nbrhood_choice_name(NBRHOOD_CHOICE_DEFAULT))
                     ? ", by direct in calls that do not block"
                     : "");
    } else {
        snprintf(text, room, "%s",
                 record->persistent_direct[collective] ? "; persistent requests by direct" : "");
    }
}

static void print_record(const nbrhood_record_t *record)
{
    const nbrhood_topology_info *info = &record->info;
    fprintf(stderr, "nbrhood: communicator %u: %d ranks", record->cid, record->ranks);
    if (0 != info->synchronisations
        || 0 != info->ranks_with_edges) { /* else nothing was asked of the other ranks */
        fprintf(stderr, " (%" PRId64 " with edges) in %d regions", info->ranks_with_edges,
                info->regions);
    }
    fprintf(stderr, "; created in %.3f ms with %d synchronisations\n",
            record->creation_seconds * 1e3, info->synchronisations);
    if (0 != info->synchronisations || 0 != info->ranks_with_edges) {
        fprintf(stderr,
                "nbrhood:   messages of a call, all ranks: direct %" PRId64 " local + %" PRId64
                " non-local\n",
                info->edges - info->edges_nonlocal, info->edges_nonlocal);
    }
    for (int i = 0; i < info->expectations; ++i) {
        char text[256];
        describe_expectation(&info->expected[i], text, sizeof text);
        fprintf(stderr, "nbrhood:   %s\n", text);
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        char text[256];
        remark(record, c, text, sizeof text);
        fprintf(stderr, "nbrhood:   %-20s %-10s calls=%" PRIu64 " (%s%s)\n",
                nbrhood_collective_name(c), nbrhood_choice_name(record->choice[c]),
                record->calls[c], record->reason[c], text);
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

static void verbose_choice(const nbrhood_record_t *record, int c)
{
    char text[256];
    remark(record, c, text, sizeof text);
    opal_output_verbose(1, nbrhood_state.output, "nbrhood: communicator %u: %s by %s (%s%s)",
                        record->cid, nbrhood_collective_name(c),
                        nbrhood_choice_name(record->choice[c]), record->reason[c], text);
}

void nbrhood_verbose_topology(const nbrhood_record_t *record)
{
    if (!nbrhood_is_reporting_rank()) {
        return;
    }
    if (0 != record->info.whole_nodes) {
        opal_output_verbose(
            1, nbrhood_state.output,
            "nbrhood: communicator %u: nodes not divided into regions: %d, because a "
            "rank there is not bound to a single %s",
            record->cid, record->info.whole_nodes,
            nbrhood_region_name(nbrhood_number(NBRHOOD_PARAMETER_REGION)));
    }
    for (int i = 0; i < record->info.expectations; ++i) {
        char text[256];
        describe_expectation(&record->info.expected[i], text, sizeof text);
        opal_output_verbose(1, nbrhood_state.output, "nbrhood: communicator %u: %s", record->cid,
                            text);
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        verbose_choice(record, c);
    }
}

void nbrhood_verbose_built(const nbrhood_record_t *record, int collective)
{
    char text[256];
    if (!nbrhood_is_reporting_rank()) {
        return;
    }
    for (int i = 0; i < record->info.expectations; ++i) {
        describe_expectation(&record->info.expected[i], text, sizeof text);
        opal_output_verbose(1, nbrhood_state.output, "nbrhood: communicator %u: %s", record->cid,
                            text);
    }
    verbose_choice(record, collective);
}

static void construct(nbrhood_record_t *record)
{
    memset((char *) record + sizeof record->super, 0, sizeof *record - sizeof record->super);
}

OBJ_CLASS_INSTANCE(nbrhood_record_t, opal_list_item_t, construct, NULL);
