/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Records of creations and builds, recordings of patterns, and the report. */
#ifndef COLL_NBRHOOD_RECORD_H
#define COLL_NBRHOOD_RECORD_H

#include "coll_nbrhood_switch.h"

/* The record of one communicator for the report; kept after the communicator is gone. */
typedef struct nbrhood_record_t {
    opal_list_item_t super;
    uint32_t cid;
    int ranks;
    int stands_for; /* as that of the module */
    double creation_seconds;
    const nbrhood_topology_info *info; /* of the last creation or build with other ranks */
    int choice[NBRHOOD_COLLECTIVES];
    const char *reason[NBRHOOD_COLLECTIVES];
    char *sizes[NBRHOOD_COLLECTIVES]; /* algorithms of larger blocks; NULL: the same */
    /* The first calls that are served by a pattern built while the program runs. */
    nbrhood_call_counts first[NBRHOOD_COLLECTIVES];
    bool built[NBRHOOD_COLLECTIVES];
    bool inherited[NBRHOOD_COLLECTIVES];             /* by a duplicate from its parent */
    nbrhood_trial_result trial[NBRHOOD_COLLECTIVES]; /* if a trial was measured */
    int builds; /* builds that have ended, and their total time */
    double build_seconds;
    uint64_t calls[NBRHOOD_COLLECTIVES];
    uint64_t direct_calls[NBRHOOD_COLLECTIVES]; /* those with one message for each edge */
    uint64_t messages[2], bytes[2];             /* sent by this rank: local, non-local */
    size_t plan_bytes;                          /* buffers of the largest plan of this rank */
    size_t communicators;                       /* in the report: how many this record represents */
} nbrhood_record_t;
OBJ_CLASS_DECLARATION(nbrhood_record_t);

/* coll_nbrhood_record.c: recordings of patterns. */
/* nbrhood_settings.timestamp: the time in microseconds since 1970, different for each call in a
 * process. With or without nbrhood_state.lock.
 */
int64_t nbrhood_timestamp(void);
/* Notes whether this process records patterns, because Open MPI closes the component after it
 * has freed the texts of parameters. */
void nbrhood_records_open(void);
bool nbrhood_records(void);
/* Fills in the directory in which the patterns of the module's communicator are recorded, if
 * any, and the rank that names the recording. */
void nbrhood_prepare_recording(const mca_coll_nbrhood_module_t *module, int named_by,
                               nbrhood_recording *recording);
/* Tells the user the outcome; after nbrhood_attach. Each process reports only its first failure. */
void nbrhood_tell_recording(const mca_coll_nbrhood_module_t *module,
                            const nbrhood_recording *recording);
/* Records a pattern that was built while the program runs, if asked to, and tells the outcome.
 * The lock is held. */
void nbrhood_record_built(const nbrhood_switch_t *sw, nbrhood_topology *topology);
/* At the end: reports the number of recordings of rank 0, and why other communicators have none. */
void nbrhood_tell_recorded(void);

/* coll_nbrhood_record.c: records and messages. */
/* Keeps the facts of a topology for the report, as far as there is memory. */
void nbrhood_record_describe(nbrhood_record_t *record, const nbrhood_topology *topology);
/* Notes the algorithm of a collective, for the report. */
void nbrhood_note_choice(nbrhood_record_t *record, int collective,
                         const nbrhood_topology *topology);
/* Tells the user the diagnostic of a creation or a build; leads: this rank reports it. */
void nbrhood_report_diagnostic(ompi_communicator_t *comm, const nbrhood_topology_info *info,
                               bool leads);
/* Notes the outcome of a build for the report, and tells the user its diagnostic. first: the
 * first calls that a pattern serves, or NULL; seconds: the duration; leads: whether this rank
 * reports to the user. */
void nbrhood_tell_built(mca_coll_nbrhood_module_t *module, int collective,
                        const nbrhood_topology *topology, const nbrhood_call_counts *first,
                        double seconds, bool leads);
/* Notes the decision that a duplicate inherits. */
void nbrhood_tell_inherited(mca_coll_nbrhood_module_t *module, int collective,
                            const nbrhood_decision_t *decision);
/* Tells the user the decision of a trial. */
void nbrhood_tell_trial_result(mca_coll_nbrhood_module_t *module, int collective,
                               const nbrhood_topology *tried, const nbrhood_trial_result *result);

/* coll_nbrhood_report.c */
void nbrhood_report_open(void);
void nbrhood_report_begin(void); /* in MPI_Init, where the rank is known */
void nbrhood_report_add(nbrhood_record_t *record);
void nbrhood_report_close(void);
void nbrhood_verbose_topology(const nbrhood_record_t *record);
void nbrhood_verbose_choice(const nbrhood_record_t *record, int collective);
void nbrhood_verbose_built(const nbrhood_record_t *record, int collective);
void nbrhood_verbose_changed(const nbrhood_record_t *record, int collective);

#endif
