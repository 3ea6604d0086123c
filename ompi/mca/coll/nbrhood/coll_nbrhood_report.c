/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The output of coll_nbrhood_verbose and coll_nbrhood_report: choices, reasons, and results. */
#include "coll_nbrhood_device.h"
#include "coll_nbrhood_record.h"
#include "coll_nbrhood_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ompi/proc/proc.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/util/output.h"

static opal_list_t records;
static bool is_open;
static bool is_reporting_rank; /* known at the end of the process, too */

void nbrhood_report_open(void)
{
    OBJ_CONSTRUCT(&records, opal_list_t);
    is_open = true;
}

static bool wants_report(void)
{
    return NBRHOOD_REPORT_NONE != nbrhood_number(NBRHOOD_PARAMETER_REPORT) && is_reporting_rank;
}

/* Whether anything happened on a communicator after its creation. */
static bool was_called(const nbrhood_record_t *record)
{
    uint64_t calls = 0;
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        calls += record->calls[c];
    }
    return 0 != calls;
}

/* The name of a collective that the application called. */
static const char *name_of(const nbrhood_record_t *record, int c)
{
    return nbrhood_collective_name(0 != record->stands_for ? record->stands_for : c);
}

static const char *sizes_of(const nbrhood_record_t *record, int c)
{
    return NULL != record->sizes[c] ? record->sizes[c] : "";
}

/* Whether the report has the same lines for two communicators, apart from numbers that are added
 * up. */
static bool is_identical(const nbrhood_record_t *a, const nbrhood_record_t *b)
{
    bool same = a->ranks == b->ranks && a->stands_for == b->stands_for
                && 0 == memcmp(a->info, b->info, sizeof *a->info);
    for (int c = 0; c < NBRHOOD_COLLECTIVES && same; ++c) {
        same = a->choice[c] == b->choice[c] && 0 == strcmp(a->reason[c], b->reason[c])
               && 0 == strcmp(sizes_of(a, c), sizes_of(b, c)) && a->built[c] == b->built[c]
               && a->inherited[c] == b->inherited[c] && (0 == a->calls[c]) == (0 == b->calls[c]);
    }
    return same;
}

static void add_up(nbrhood_record_t *sum, const nbrhood_record_t *record)
{
    ++sum->communicators;
    sum->creation_seconds += record->creation_seconds;
    sum->builds += record->builds;
    sum->build_seconds += record->build_seconds;
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        sum->calls[c] += record->calls[c];
        sum->direct_calls[c] += record->direct_calls[c];
        if (record->first[c].calls > sum->first[c].calls) {
            sum->first[c] = record->first[c];
        }
        sum->trial[c].direct_seconds += record->trial[c].direct_seconds;
        sum->trial[c].pattern_seconds += record->trial[c].pattern_seconds;
    }
    for (int place = 0; place < 2; ++place) {
        sum->messages[place] += record->messages[place];
        sum->bytes[place] += record->bytes[place];
    }
    if (record->plan_bytes > sum->plan_bytes) {
        sum->plan_bytes = record->plan_bytes;
    }
}

void nbrhood_report_add(nbrhood_record_t *record)
{
    nbrhood_record_t *other;
    record->communicators = 1;
    if (wants_report() && (was_called(record) || 0 != record->info->synchronisations)) {
        OPAL_LIST_FOREACH(other, &records, nbrhood_record_t)
        {
            if (is_identical(other, record)) {
                add_up(other, record);
                OBJ_RELEASE(record);
                return;
            }
        }
        opal_list_append(&records, &record->super);
        return;
    }
    OBJ_RELEASE(record);
}

/* The model's prediction for an algorithm that was considered. */
static void describe_expectation(const nbrhood_expectation *expected, char *text, size_t room)
{
    const bool large = nbrhood_is_for_large_blocks(expected->choice);
    snprintf(text, room,
             "%s by %s: %" PRId64 " local (at most) + %" PRId64
             " non-local messages; model: %.1f us instead of %.1f us for blocks of %.0f bytes, "
             "blocks %s %zu bytes are %s",
             NBRHOOD_ONE_PER_RANK == expected->kind ? "allgather" : "alltoall",
             nbrhood_choice_name(expected->choice), expected->messages_local,
             expected->messages_nonlocal, expected->relayed_seconds * 1e6,
             expected->direct_seconds * 1e6, expected->block_bytes, large ? "above" : "up to",
             expected->combining_threshold, large ? "relayed in parts" : "combined");
}

/* A remark on a collective, after the reason of a choice. */
static void remark(const nbrhood_record_t *record, int collective, char *text, size_t room)
{
    const char *sizes = sizes_of(record, collective);
    const nbrhood_trial_result *result = &record->trial[collective];
    size_t length = 0;
    text[0] = '\0';
    if (record->built[collective] && record->choice[collective] != nbrhood_find_choice("direct")) {
        const nbrhood_call_counts *first = &record->first[collective];
        length = (size_t) snprintf(text, room, "; from call %" PRIu32 " %son", first->calls,
                                   0 != record->stands_for ? "of the graph " : "");
        if (0 == record->stands_for) {
            length +=
                (size_t) snprintf(text + length, room - length,
                                  ", start %" PRIu32 " of a persistent request", first->starts);
        }
        length += (size_t) snprintf(text + length, room - length, "%s",
                                    record->communicators > 1 ? ", at the latest" : "");
    }
    if (0.0 < result->direct_seconds) {
        length += (size_t) snprintf(text + length, room - length,
                                    "; trial: from call to call %.2f of the time by direct",
                                    result->pattern_seconds / result->direct_seconds);
    }
    if (record->inherited[collective]) {
        length += (size_t) snprintf(text + length, room - length,
                                    "; inherited from the communicator that was duplicated");
    }
    if ('\0' != sizes[0]) {
        snprintf(text + length, room - length, "; blocks %s", sizes);
    }
}

/* The calls of a collective that the chosen algorithm served; earlier calls went direct. */
static uint64_t served(const nbrhood_record_t *record, int c)
{
    return record->choice[c] == nbrhood_find_choice("direct")
               ? record->calls[c]
               : record->calls[c] - record->direct_calls[c];
}

static void print_total(const char *name, const char *choice, uint64_t calls, size_t communicators,
                        const char *reason)
{
    if (0 != calls) {
        fprintf(stderr, "nbrhood:   %-20s %-10s %10" PRIu64 " calls on %zu communicator%s (%s)\n",
                name, choice, calls, communicators, 1 == communicators ? "" : "s", reason);
    }
}

static bool same_choice(const nbrhood_record_t *a, const nbrhood_record_t *b, int c)
{
    return a->stands_for == b->stands_for && a->choice[c] == b->choice[c]
           && 0 == strcmp(a->reason[c], b->reason[c]);
}

/* Prints the calls that one algorithm served for one reason, at the first record that has both. */
static void print_totals_of(const nbrhood_record_t *first, int c)
{
    const nbrhood_record_t *record;
    uint64_t calls = 0;
    size_t communicators = 0;
    bool earlier = true;
    if (0 == served(first, c)) {
        return;
    }
    OPAL_LIST_FOREACH(record, &records, nbrhood_record_t)
    {
        earlier = earlier && record != first;
        if (0 == served(record, c) || !same_choice(record, first, c)) {
            continue;
        }
        if (earlier) {
            return; /* printed at that record */
        }
        calls += served(record, c);
        communicators += record->communicators;
    }
    print_total(name_of(first, c), nbrhood_choice_name(first->choice[c]), calls, communicators,
                first->reason[c]);
}

/* Prints the calls that went direct although another algorithm was chosen for the collective:
 * those of the neighbourhood collective, or of the one that it stands for. */
static void print_direct(int c, int stands_for)
{
    const nbrhood_record_t *record;
    const char *name = nbrhood_collective_name(0 != stands_for ? stands_for : c);
    uint64_t calls = 0;
    size_t communicators = 0;
    OPAL_LIST_FOREACH(record, &records, nbrhood_record_t)
    {
        if (record->stands_for == stands_for && served(record, c) != record->calls[c]) {
            calls += record->calls[c] - served(record, c);
            communicators += record->communicators;
        }
    }
    print_total(name, "direct", calls, communicators,
                "where another algorithm serves later calls, or other sizes");
}

static void print_totals(void)
{
    const nbrhood_record_t *record;
    size_t called = 0;
    int builds = 0;
    double seconds = 0.0;
    if (0 == nbrhood_totals.topologies && opal_list_is_empty(&records)) {
        fprintf(stderr,
                "nbrhood: summary: no communicator of rank 0 had a topology that coll/nbrhood "
                "serves\n");
        return;
    }
    OPAL_LIST_FOREACH(record, &records, nbrhood_record_t)
    {
        called += record->communicators;
        builds += record->builds;
        seconds += record->build_seconds;
    }
    fprintf(stderr,
            "nbrhood: summary: %llu topologies created in %.3f ms; calls on %zu communicators; %d "
            "builds between calls, %.3f ms from begin to end\n",
            nbrhood_totals.topologies, nbrhood_totals.creation_seconds * 1e3, called, builds,
            seconds * 1e3);
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        OPAL_LIST_FOREACH(record, &records, nbrhood_record_t)
        {
            print_totals_of(record, c);
        }
        print_direct(c, 0);
    }
    print_direct(NBRHOOD_ALLTOALLV, NBRHOOD_ALL_ALLTOALLV);
    print_direct(NBRHOOD_ALLTOALLW, NBRHOOD_ALL_ALLTOALLW);
}

static void print_device(void)
{
    const unsigned long long *copies = nbrhood_totals.device_copies;
    const unsigned long long *bytes = nbrhood_totals.device_bytes;
    if (0 != copies[0] + copies[1] + nbrhood_totals.calls_on_device) {
        fprintf(stderr,
                "nbrhood:   device memory (%s), rank 0: %llu calls from device to device; for the "
                "others %llu copies from it, %llu bytes; %llu copies to it, %llu bytes\n",
                nbrhood_device->name, nbrhood_totals.calls_on_device, copies[0], bytes[0],
                copies[1], bytes[1]);
    }
}

static void print_record(const nbrhood_record_t *record)
{
    const nbrhood_topology_info *info = record->info;
    if (1 == record->communicators) {
        fprintf(stderr, "nbrhood: communicator %u: %d ranks", record->cid, record->ranks);
    } else {
        fprintf(stderr, "nbrhood: communicator %u and %zu identical ones: %d ranks", record->cid,
                record->communicators - 1, record->ranks);
    }
    if (0 != info->ranks_with_edges) { /* otherwise there was no communication */
        fprintf(stderr, " (%" PRId64 " with edges) in %d regions", info->ranks_with_edges,
                info->regions);
    }
    fprintf(stderr, "; created in %.3f ms with %d synchronisations", record->creation_seconds * 1e3,
            info->synchronisations);
    if (0 != record->builds) {
        fprintf(stderr, "; %d builds between calls, %.3f ms", record->builds,
                record->build_seconds * 1e3);
    }
    fprintf(stderr, "\n");
    if (0 != info->ranks_with_edges) {
        fprintf(stderr,
                "nbrhood:   messages of a call, all ranks: direct %" PRId64 " local + %" PRId64
                " non-local\n",
                info->edges - info->edges_nonlocal, info->edges_nonlocal);
    }
    if (0 != info->expectations) {
        fprintf(stderr, "nbrhood:   costs of messages: %s\n", info->costs);
    }
    for (int i = 0; i < info->expectations; ++i) {
        char text[256];
        describe_expectation(&info->expected[i], text, sizeof text);
        fprintf(stderr, "nbrhood:   %s\n", text);
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        char text[256];
        if (0 == record->calls[c] && 0 == info->synchronisations) {
            continue; /* nothing was decided */
        }
        remark(record, c, text, sizeof text);
        fprintf(stderr, "nbrhood:   %-20s %-10s calls=%" PRIu64, name_of(record, c),
                nbrhood_choice_name(record->choice[c]), record->calls[c]);
        if (served(record, c) != record->calls[c]) {
            fprintf(stderr, ", %" PRIu64 " of them by direct",
                    record->calls[c] - served(record, c));
        }
        fprintf(stderr, " (%s%s)\n", record->reason[c], text);
    }
    fprintf(stderr,
            "nbrhood:   sent by rank 0 in calls served here: local %" PRIu64 " messages, %" PRIu64
            " bytes; non-local %" PRIu64 " messages, %" PRIu64
            " bytes; buffers of a plan %zu bytes\n",
            record->messages[0], record->bytes[0], record->messages[1], record->bytes[1],
            record->plan_bytes);
}

static void print_report(void)
{
    const nbrhood_record_t *record;
    if (!nbrhood_state.in_mpi || !wants_report()) {
        return;
    }
    print_totals();
    print_device();
    if (NBRHOOD_REPORT_TOTALS == nbrhood_number(NBRHOOD_PARAMETER_REPORT)) {
        return;
    }
    OPAL_LIST_FOREACH(record, &records, nbrhood_record_t)
    {
        print_record(record);
    }
}

void nbrhood_report_close(void)
{
    print_report();
    is_open = false;
    OPAL_LIST_DESTRUCT(&records);
}

/* A tool that has called MPI_T_init_thread keeps Open MPI's components open when MPI_Finalize ends;
 * then the report comes at the end of the process. */
static void report_at_exit(void)
{
    if (is_open && ompi_mpi_state >= OMPI_MPI_STATE_FINALIZE_PAST_COMM_SELF_DESTRUCT) {
        print_report();
    }
}

/* The handler stands behind the registry of algorithms, whose destructor must not run before it. */
void nbrhood_report_begin(void)
{
    static bool registered;
    is_reporting_rank = nbrhood_is_reporting_rank();
    registered = registered || 0 == atexit(report_at_exit);
}

void nbrhood_verbose_choice(const nbrhood_record_t *record, int c)
{
    char text[256];
    if (!nbrhood_is_reporting_rank()) {
        return;
    }
    remark(record, c, text, sizeof text);
    opal_output_verbose(1, nbrhood_state.output, "nbrhood: communicator %u: %s by %s (%s%s)",
                        record->cid, name_of(record, c), nbrhood_choice_name(record->choice[c]),
                        record->reason[c], text);
}

void nbrhood_verbose_topology(const nbrhood_record_t *record)
{
    if (!nbrhood_is_reporting_rank()) {
        return;
    }
    if (0 != record->info->whole_nodes) {
        opal_output_verbose(
            1, nbrhood_state.output,
            "nbrhood: communicator %u: nodes not divided into regions: %d, because a "
            "rank there is not bound to a single %s",
            record->cid, record->info->whole_nodes,
            nbrhood_region_name(nbrhood_number(NBRHOOD_PARAMETER_REGION)));
    }
    for (int i = 0; i < record->info->expectations; ++i) {
        char text[256];
        describe_expectation(&record->info->expected[i], text, sizeof text);
        opal_output_verbose(1, nbrhood_state.output, "nbrhood: communicator %u: %s", record->cid,
                            text);
    }
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        nbrhood_verbose_choice(record, c);
    }
}

void nbrhood_verbose_built(const nbrhood_record_t *record, int collective)
{
    char text[256];
    if (!nbrhood_is_reporting_rank()) {
        return;
    }
    for (int i = 0; i < record->info->expectations; ++i) {
        describe_expectation(&record->info->expected[i], text, sizeof text);
        opal_output_verbose(1, nbrhood_state.output, "nbrhood: communicator %u: %s", record->cid,
                            text);
    }
    nbrhood_verbose_choice(record, collective);
}

void nbrhood_verbose_changed(const nbrhood_record_t *record, int collective)
{
    if (nbrhood_is_reporting_rank()) {
        opal_output_verbose(
            1, nbrhood_state.output,
            "nbrhood: communicator %u: %s: blocks have another size now; auto decides anew",
            record->cid, name_of(record, collective));
    }
}
