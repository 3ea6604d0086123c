/* What the files know of each other that build patterns beside the program: coll_nbrhood_build.c
 * carries the messages, coll_nbrhood_stages.c settles with the other ranks what serves from which
 * call on, coll_nbrhood_switch.c serves calls accordingly.
 */
#ifndef COLL_NBRHOOD_BUILD_H
#define COLL_NBRHOOD_BUILD_H

#include "coll_nbrhood.h"

BEGIN_C_DECLS

/* A rank's part of a build for one collective of a communicator, and later of its trial. The switch
 * owns it. */
typedef struct nbrhood_task_t {
    opal_list_item_t super;
    enum { NBRHOOD_TASK_RESTS, NBRHOOD_TASK_RUNS, NBRHOOD_TASK_HAS_RUN } state;
    mca_coll_nbrhood_module_t *module;
    /* Retained unless the task rests, as it must not get its number again before the end. */
    ompi_communicator_t *comm;
    int collective;
    nbrhood_build *build; /* NULL once nothing more is to come */
    bool goes_on;         /* there will be a trial, or a question */
    opal_list_t sends, receives;
} nbrhood_task_t;

static inline nbrhood_switch_t *nbrhood_switch_of(const nbrhood_task_t *task)
{
    return &task->module->calls[task->collective]->change;
}

/* coll_nbrhood_build.c. The lock is held in all of them. Where there is no memory they end the
 * program, as all ranks of the component will wait for this one. */

/* Makes a task and begins the build. blocks, bytes: what this rank sends in the call that does so.
 */
nbrhood_task_t *nbrhood_task_begin(mca_coll_nbrhood_module_t *module, int collective,
                                   int64_t blocks, int64_t bytes);
/* Begins the verdict of the trial (nbrhood_build_try). */
void nbrhood_task_try(nbrhood_task_t *task, const nbrhood_period *calls,
                      const nbrhood_period *starts, size_t count);
/* Asks whether blocks have another size now (nbrhood_build_watch). */
void nbrhood_task_watch(nbrhood_task_t *task, int64_t blocks, int64_t bytes);
/* Of one that rests, or NULL. */
void nbrhood_task_free(nbrhood_task_t *task);
/* Ends the program: others wait for this rank's part. */
void nbrhood_task_abandon(const nbrhood_task_t *task, const char *reason);
/* Whether MPI_Finalize will wait for tasks; calls MPI, so the lock is not held. */
bool nbrhood_wait_in_finalize(void);

/* coll_nbrhood_trial.c: what a trial measures, where there was memory for it (else NULL). */

/* For so many periods of calls, and as many of the starts of one request. */
nbrhood_trial_t *nbrhood_trial_make(uint32_t periods);
/* Number `since`, from 0 on, of the calls or starts that the trial looks at begins now. alone: no
 * nonblocking call is in flight. The first request that does so is the one whose starts are
 * measured. */
void nbrhood_trial_note_call(nbrhood_trial_t *trial, uint32_t since, bool alone);
void nbrhood_trial_note_start(nbrhood_trial_t *trial, uint32_t request, uint32_t since);
/* The numbers of the next call and the next start that are noted, which need not follow the last
 * ones: the trial goes on there if it has all periods before. */
void nbrhood_trial_go_on(nbrhood_trial_t *trial, uint32_t calls, uint32_t starts);
/* All periods, or NULL where some were not measured. */
const nbrhood_period *nbrhood_trial_calls(const nbrhood_trial_t *trial);
const nbrhood_period *nbrhood_trial_starts(const nbrhood_trial_t *trial);

/* coll_nbrhood_stages.c. The lock is held in all of them. */

/* In progress: how far this rank may go until it is known what serves later calls. */
nbrhood_call_counts nbrhood_switch_freeze(nbrhood_switch_t *sw,
                                          const mca_coll_nbrhood_module_t *module);
/* In progress: a build, its trial or a question has ended on this rank, and from some call on
 * something else may serve. Says whether more is to come (goes_on), may begin that, and appends
 * requests whose start waited. */
void nbrhood_switch_conclude(nbrhood_task_t *task, opal_list_t *to_start);
/* Begins a build. blocks, bytes: what this rank sends in the call or start that does so. */
void nbrhood_stage_build(mca_coll_nbrhood_module_t *module, nbrhood_switch_t *sw, int collective,
                         int64_t blocks, int64_t bytes);
/* Calls, or starts, are measured from now on. */
void nbrhood_stage_measure(nbrhood_switch_t *sw);
/* Begins the verdict of a trial, with the call or start behind it. since: its number, from the
 * first on of which the trial is. */
void nbrhood_stage_verdict(nbrhood_switch_t *sw, uint32_t since);
/* Asks whether blocks have another size, with the call that is to ask or, where this rank made it
 * before the last answer came, with that. All ranks make it. */
void nbrhood_stage_question(nbrhood_switch_t *sw);

/* Whether nothing is settled yet: what comes next is for persistent requests and duplicates, too.
 */
static inline bool nbrhood_is_first(const nbrhood_switch_t *sw)
{
    return UINT32_MAX == sw->bequeaths;
}

/* Calls of each block of a trial; 0: there are no trials. */
static inline uint32_t nbrhood_trial_block_calls(void)
{
    return (uint32_t) nbrhood_number(NBRHOOD_PARAMETER_TRIAL_CALLS);
}

/* Of numbers of calls. */
static inline uint32_t nbrhood_sum(uint32_t a, uint32_t b)
{
    return a <= UINT32_MAX - b ? a + b : UINT32_MAX;
}

/* coll_nbrhood_switch.c: starts a request whose start waited; without the lock. */
void nbrhood_switch_start(nbrhood_request_t *request);

END_C_DECLS

#endif
