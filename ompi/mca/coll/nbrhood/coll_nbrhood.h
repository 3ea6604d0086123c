/* coll/nbrhood: neighbourhood collectives by patterns built at topology creation. See
 * docs/architecture.md for the path of a call through these files.
 */
#ifndef COLL_NBRHOOD_H
#define COLL_NBRHOOD_H

#include "ompi_config.h"

#include "coll_nbrhood_compat.h"
#include "coll_nbrhood_hook.h"
#include "core/capi/nbrhood_core.h"

#include "ompi/mca/coll/base/coll_base_functions.h"
#include "ompi/request/request.h"
#include "opal/class/opal_list.h"

BEGIN_C_DECLS

/* The collectives, in the order of the core. */
enum {
    NBRHOOD_ALLGATHER,
    NBRHOOD_ALLGATHERV,
    NBRHOOD_ALLTOALL,
    NBRHOOD_ALLTOALLV,
    NBRHOOD_ALLTOALLW
};

/* Values of an algorithm parameter that the glue itself must know. */
enum { NBRHOOD_CHOICE_AUTO, NBRHOOD_CHOICE_DEFAULT };

/* Visible also where Open MPI is compiled with hidden symbols: the loader looks for it. */
OMPI_DECLSPEC extern mca_coll_nbrhood_component_t mca_coll_nbrhood_component;

/* The MCA parameters and the state of the component in this process. */
typedef struct nbrhood_state_t {
    nbrhood_value values[NBRHOOD_MOST_PARAMETERS]; /* by the core's numbers of parameters */
    int algorithm[NBRHOOD_COLLECTIVES];
    int output;           /* stream of coll_nbrhood_verbose */
    nbrhood_costs *costs; /* what the file of coll_nbrhood_costs says; NULL: the default costs */
    /* Under MPI_THREAD_MULTIPLE: protects all plans and the list of those in flight. */
    opal_mutex_t lock;
    opal_list_t active;
    bool polling; /* the progress function is registered */
    bool in_mpi;  /* MPI has been initialised: ompi_info opens and closes the component, too */
} nbrhood_state_t;
extern nbrhood_state_t nbrhood_state;

/* The values of parameters that the glue looks at (NBRHOOD_PARAMETER_...). */
static inline int nbrhood_number(int parameter)
{
    return nbrhood_state.values[parameter].number;
}
static inline bool nbrhood_flag(int parameter)
{
    return nbrhood_state.values[parameter].flag;
}
/* NULL where it is empty. */
static inline const char *nbrhood_text(int parameter)
{
    const char *text = nbrhood_state.values[parameter].text;
    return NULL != text && '\0' != text[0] ? text : NULL;
}

/* What the report says of one communicator; kept after the communicator is gone. */
typedef struct nbrhood_record_t {
    opal_list_item_t super;
    uint32_t cid;
    int ranks;
    double creation_seconds;
    const nbrhood_topology_info *info; /* of what was decided with other ranks */
    int choice[NBRHOOD_COLLECTIVES];
    const char *reason[NBRHOOD_COLLECTIVES];
    char *sizes[NBRHOOD_COLLECTIVES]; /* what serves larger blocks otherwise; NULL: nothing */
    /* Where a pattern was built later: from which calls on it serves. */
    nbrhood_call_counts first[NBRHOOD_COLLECTIVES];
    bool built[NBRHOOD_COLLECTIVES];
    bool inherited[NBRHOOD_COLLECTIVES];          /* by a duplicate, from its original */
    nbrhood_verdict verdict[NBRHOOD_COLLECTIVES]; /* where that was measured */
    int builds; /* that have ended, and the time from their beginning to their end */
    double build_seconds;
    uint64_t calls[NBRHOOD_COLLECTIVES];
    uint64_t direct_calls[NBRHOOD_COLLECTIVES]; /* of these, one message for each edge */
    uint64_t messages[2], bytes[2];             /* sent by this rank: local, non-local */
    size_t plan_bytes;                          /* buffers of the largest plan of this rank */
    size_t alike;                               /* in the report: communicators of which it tells */
} nbrhood_record_t;
OBJ_CLASS_DECLARATION(nbrhood_record_t);

struct mca_coll_nbrhood_module_t;

/* A collective of a communicator for which a pattern may be built while the program runs: what the
 * core settles, and what that needs of Open MPI. */
typedef struct nbrhood_switch_t {
    opal_list_item_t super; /* in a list of coll_nbrhood_build.c, unless it rests */
    enum { NBRHOOD_SWITCH_RESTS, NBRHOOD_SWITCH_RUNS, NBRHOOD_SWITCH_HAS_RUN } state;
    struct mca_coll_nbrhood_module_t *module;
    /* Retained unless it rests, as it must not get its number again before the end. */
    ompi_communicator_t *comm;
    int collective;
    nbrhood_switch *core; /* NULL: direct messages serve for good */
    nbrhood_switch_view view;
    uint32_t calls;  /* blocking and nonblocking ones that were begun */
    int32_t pending; /* nonblocking ones that the application has not completed */
    double since;    /* when the last build began */
    /* What was built, by number: requests that were made with it may still be there. */
    nbrhood_topology *patterns[NBRHOOD_PATTERNS];
    int pattern_count;
    opal_list_t sends, receives; /* messages of what is settled */
    opal_list_t held;            /* requests whose start waits */
} nbrhood_switch_t;

/* What serves a collective for good, as far as duplicates inherit it. */
typedef struct nbrhood_settled_t {
    bool settled;
    nbrhood_topology *built; /* NULL: direct messages; else shared (nbrhood_topology_share) */
} nbrhood_settled_t;

/* What communicators that share a topology have in common; the topo module owns it. */
typedef struct nbrhood_shared_t {
    nbrhood_topology *topology; /* NULL: made with the first call of a neighbourhood collective */
    int choice[NBRHOOD_COLLECTIVES]; /* what parameters and info keys say */
    unsigned block_bytes;
    uint32_t reuse; /* calls of a collective that the program declares, at least; 0: none */
    int allgather_choice;
} nbrhood_shared_t;

typedef struct nbrhood_direct_calls_t nbrhood_direct_calls_t; /* coll_nbrhood_direct.c */

/* The calls of one collective on a communicator. */
typedef struct nbrhood_calls_t {
    nbrhood_switch_t change;
    /* By interval of sizes. */
    uint32_t blocking_calls; /* that did not go direct */
    nbrhood_direct_calls_t *direct[NBRHOOD_INTERVALS];
    struct nbrhood_request_t *blocking[NBRHOOD_INTERVALS];
    struct nbrhood_request_t *idle[NBRHOOD_INTERVALS]; /* of nonblocking calls */
} nbrhood_calls_t;

/* Does SOMETHING(name) for the fifteen slots of a module. */
#define NBRHOOD_FOR_ALL_SLOTS(SOMETHING)                                                           \
    SOMETHING(neighbor_allgather)                                                                  \
    SOMETHING(neighbor_allgatherv)                                                                 \
    SOMETHING(neighbor_alltoall)                                                                   \
    SOMETHING(neighbor_alltoallv)                                                                  \
    SOMETHING(neighbor_alltoallw)                                                                  \
    SOMETHING(ineighbor_allgather)                                                                 \
    SOMETHING(ineighbor_allgatherv)                                                                \
    SOMETHING(ineighbor_alltoall)                                                                  \
    SOMETHING(ineighbor_alltoallv)                                                                 \
    SOMETHING(ineighbor_alltoallw)                                                                 \
    SOMETHING(neighbor_allgather_init)                                                             \
    SOMETHING(neighbor_allgatherv_init)                                                            \
    SOMETHING(neighbor_alltoall_init)                                                              \
    SOMETHING(neighbor_alltoallv_init)                                                             \
    SOMETHING(neighbor_alltoallw_init)

/* The same for those that it takes only on communicators that span nodes. */
#define NBRHOOD_FOR_ALLGATHER_SLOTS(SOMETHING)                                                     \
    SOMETHING(allgather)                                                                           \
    SOMETHING(iallgather)                                                                          \
    SOMETHING(allgather_init)

/* The functions and modules that a module displaced; the modules are retained. Not the whole table
 * of the communicator, as every communicator has this. */
typedef struct nbrhood_displaced_t {
#define NBRHOOD_DISPLACED(name)                                                                    \
    __typeof__(((mca_coll_base_comm_coll_t *) NULL)->coll_##name) coll_##name;                     \
    __typeof__(((mca_coll_base_comm_coll_t *) NULL)->coll_##name##_module) coll_##name##_module;
    NBRHOOD_FOR_ALL_SLOTS(NBRHOOD_DISPLACED)
    NBRHOOD_FOR_ALLGATHER_SLOTS(NBRHOOD_DISPLACED)
} nbrhood_displaced_t;

/* Ranks of a communicator, ascending. */
typedef struct nbrhood_rank_list_t {
    int *ranks;
    size_t count;
} nbrhood_rank_list_t;

typedef struct nbrhood_allgathers_t nbrhood_allgathers_t; /* coll_nbrhood_agreement.h */

typedef struct mca_coll_nbrhood_module_t {
    mca_coll_base_module_t super;
    nbrhood_displaced_t displaced;
    bool enabled;
    ompi_communicator_t *comm;
    nbrhood_shared_t *shared; /* NULL where the communicator has no topology */
    bool is_duplicate;
    double creation_seconds;
    /* Set with the first call of a neighbourhood collective, as is what follows. */
    nbrhood_topology *topology;
    nbrhood_rank_list_t local;          /* the ranks on this node */
    nbrhood_rank_list_t region;         /* may be those of `local`, or the topology's */
    nbrhood_rank_list_t synthetic_node; /* empty until it is asked for */
    bool region_is_own;                 /* it is freed with the module */
    bool spans_nodes;
    bool synthetic; /* the topology was created for the synthetic machine */
    nbrhood_record_t *record;
    uint32_t nonblocking_calls;
    uint32_t persistent_inits;
    nbrhood_calls_t *calls[NBRHOOD_COLLECTIVES]; /* NULL before the first one */
    bool takes_allgathers;                       /* it has these slots, too */
    nbrhood_allgathers_t *allgathers;            /* NULL before the first one */
} mca_coll_nbrhood_module_t;
OBJ_CLASS_DECLARATION(mca_coll_nbrhood_module_t);

/* Called for each message: mostly the ranks of a node follow one another, and nothing is searched.
 */
static inline bool nbrhood_lists(const nbrhood_rank_list_t *list, int rank)
{
    const int *first = list->ranks;
    size_t count = list->count;
    if (0 == count || rank < first[0] || rank > first[count - 1]) {
        return false;
    }
    if ((size_t) (first[count - 1] - first[0]) == count - 1) {
        return true;
    }
    while (count > 1) {
        const size_t half = count / 2;
        first += first[half] <= rank ? half : 0;
        count -= half;
    }
    return first[0] == rank;
}
/* Whether a rank is reached without the network, and whether its messages count as local. On a
 * synthetic machine a region need not lie on one real node. */
static inline bool nbrhood_on_node(const mca_coll_nbrhood_module_t *module, int rank)
{
    return nbrhood_lists(&module->local, rank);
}
static inline bool nbrhood_in_region(const mca_coll_nbrhood_module_t *module, int rank)
{
    return nbrhood_lists(&module->region, rank);
}

/* The arguments of a call of any of the fifteen entry points. */
typedef struct nbrhood_side_t {
    const void *buffer;
    nbrhood_count_t count; /* where counts is absent */
    nbrhood_counts_t counts;
    nbrhood_displacements_t displacements; /* in extents; absent: blocks follow each other */
    nbrhood_byte_displacements_t byte_displacements;
    ompi_datatype_t *type; /* where types is NULL */
    nbrhood_types_t types;
} nbrhood_side_t;

typedef struct nbrhood_mirror_t nbrhood_mirror_t; /* coll_nbrhood_mirror.c */
typedef struct nbrhood_origin_t nbrhood_origin_t; /* coll_nbrhood_on_device.c */

typedef struct nbrhood_call_t {
    int collective;
    nbrhood_topology *topology; /* and which interval of sizes of it serve it */
    int interval;
    uint32_t number; /* of a call that is not persistent, where something may be built */
    nbrhood_side_t send, receive;
    nbrhood_info_t info;      /* of an init */
    nbrhood_mirror_t *mirror; /* NULL: the buffers are the program's */
    bool on_device;           /* then the PML gets addresses on a device */
} nbrhood_call_t;

/* A request: a plan and what MPI needs around it. Also used, unseen, by the blocking calls. */
typedef struct nbrhood_request_t {
    ompi_coll_base_nbc_request_t super;
    opal_list_item_t active_item; /* in nbrhood_state.active, under MPI_THREAD_MULTIPLE */
    mca_coll_nbrhood_module_t *module;
    ompi_communicator_t *comm;  /* retained from start (persistent: init) to free */
    nbrhood_plan *plan;         /* may be NULL where no call has needed it yet */
    nbrhood_topology *topology; /* of the plan */
    bool direct;                /* the plan is one message for each edge */
    bool straight;              /* such a call is made without it, now */
    int collective;             /* NBRHOOD_COLLECTIVES: an allgather */
    int interval;
    struct nbrhood_request_t **home; /* the list it goes back to when it is idle */
    struct nbrhood_request_t *next_idle;
    uint32_t number;      /* persistent: of the communicator's requests; else of the call */
    nbrhood_call_t bound; /* the plan's blocks are those of its arguments */
    bool bound_simply;    /* and would be, were it made again */
    int tag;              /* persistent: of all its starts */
    uint32_t sequence;    /* of the next start, with this tag; persistent: number of starts */
    uint32_t starts;      /* of the plan, in all calls that used it */
    bool settled;         /* persistent: what serves its starts never changes again */
    size_t plan_bytes;    /* of the plan's buffers, when last looked at */
    int error;
    bool finished;
    /* Progress looks at the messages of this start, as there are threads. In Open MPI 5.0 a session
     * can turn them on while an operation that has none is in flight. */
    bool polled;
    nbrhood_mirror_t *mirror; /* of buffers on a device, until it is complete or freed */
    bool on_device;           /* the plan's blocks are on a device, some of them */
    nbrhood_origin_t *origin; /* persistent, where there is a device: the program's blocks */
    ompi_datatype_t **types;  /* persistent: retained until free */
    size_t types_count;
    int64_t *indices; /* of the init call, for a plan of what is built later; NULL: none */
    /* Under MPI_THREAD_MULTIPLE: messages in flight. */
    nbrhood_token **flying;
    size_t flying_count, flying_room;
    /* Likewise, without a plan. Without threads only their number, and one until all are posted. */
    ompi_request_t **posted;
    size_t posted_count;
    int distant; /* of them, to and from other nodes */
} nbrhood_request_t;
OBJ_CLASS_DECLARATION(nbrhood_request_t);

static inline nbrhood_request_t *nbrhood_request_of(opal_list_item_t *active_item)
{
    return (nbrhood_request_t *) ((char *) active_item - offsetof(nbrhood_request_t, active_item));
}

/* coll_nbrhood_state.c */
/* Whether this process is the one that prints reports and verbose output. */
bool nbrhood_is_reporting_rank(void);
/* The module of this component on a communicator, or NULL. */
mca_coll_nbrhood_module_t *nbrhood_module_of(const ompi_communicator_t *comm);
/* Which of the communicator's functions are this module's, a bit each, and one that is always set:
 * other components may sit on top of it. 0 for NULL, which stands for no module. */
uint32_t nbrhood_presence(const mca_coll_nbrhood_module_t *module);

/* coll_nbrhood_module.c */
mca_coll_base_module_t *mca_coll_nbrhood_comm_query(struct ompi_communicator_t *comm,
                                                    int *priority);
void mca_coll_nbrhood_set_functions(mca_coll_base_module_t *module); /* coll_nbrhood_entry.c */

/* coll_nbrhood_presence.c: whether the component is the same in all processes. */
/* Opens the topo framework and tells the other processes what this one has. */
void nbrhood_presence_open(void);
void nbrhood_presence_close(void);
void nbrhood_topo_initialised(int priority);  /* of the hook */
bool nbrhood_everywhere(ompi_group_t *group); /* of the hook */
bool nbrhood_everywhere_for_allgathers(ompi_group_t *group);
/* Whether the component serves no communicator of this job, since its nodes or app contexts differ
 * in what serves calls; rank 0 has said so. The first call, in MPI_Init, compares them; that of
 * MPI_COMM_WORLD also asks what creations and allgathers will ask, while no rank waits for another.
 */
bool nbrhood_stays_out_of_job(ompi_communicator_t *comm);
/* Whether patterns may be built beside the program: not where nodes or app contexts differ in the
 * parameters that steer builds. */
bool nbrhood_job_builds(void);
/* Whether all processes of the job have the same parameters, as far as asking pays. */
bool nbrhood_all_build_alike(void);
/* A number for all of this process's parameters that must be equal on all ranks. */
uint32_t nbrhood_parameters_number(void);
/* coll_nbrhood_differences.c: shows a topic of the help file with what differs in a group. */
void nbrhood_differences_show(const char *topic, ompi_group_t *group);

/* coll_nbrhood_settings.c */
/* What info keys say of a communicator; NULL when there is no memory. The caller frees it. */
nbrhood_shared_t *nbrhood_make_shared(ompi_communicator_t *comm,
                                      const mca_coll_nbrhood_keys_t *keys);
/* The parameters, with what info keys override. */
void nbrhood_find_settings(const mca_coll_nbrhood_module_t *module, const nbrhood_shared_t *shared,
                           nbrhood_settings *settings);
/* The choice that a value of the info key nbrhood_allgather_algorithm names; `usual` where it is
 * NULL or, as rank 0 says, none. */
int nbrhood_allgather_choice(ompi_communicator_t *comm, const char *value, int usual);

/* coll_nbrhood_topology.c: the hook. */
int mca_coll_nbrhood_topology_created(ompi_communicator_t *comm,
                                      const mca_coll_nbrhood_keys_t *keys, void **topology,
                                      void (**destroy)(void *topology));
/* Prepares the module of a communicator with a topology for calls of a collective. */
int nbrhood_prepare(mca_coll_nbrhood_module_t *module, int collective);

/* coll_nbrhood_creation.c: the communicator as the core sees it during creation. */
int nbrhood_create_topology(mca_coll_nbrhood_module_t *module, const nbrhood_settings *settings,
                            nbrhood_recording *recording, nbrhood_topology **topology);
/* The same without any message. */
int nbrhood_create_direct_topology(ompi_communicator_t *comm, const int *choices,
                                   nbrhood_topology **topology);
/* The same where the component was not selected for the communicator: tells the other ranks, which
 * may be waiting for that. */
int nbrhood_tell_absence(ompi_communicator_t *comm, nbrhood_topology_info *info);

/* The neighbours of this rank, in the order of its slots. The caller frees the arrays, also where
 * it fails; they are NULL before. */
int nbrhood_find_neighbours(ompi_communicator_t *comm, int **sources, int *in_degree,
                            int **destinations, int *out_degree);

/* coll_nbrhood_record.c: recordings of patterns. */
/* nbrhood_settings.timestamp: now, in microseconds since 1970. No two calls of a process get the
 * same. With or without nbrhood_state.lock.
 */
int64_t nbrhood_timestamp(void);
/* Whether this process records patterns: known until the component is closed, which Open MPI does
 * when texts of parameters are gone. */
void nbrhood_records_open(void);
bool nbrhood_records(void);
/* Fills in where the patterns of the module's communicator are to be recorded, if they are, and the
 * rank that names the recording. */
void nbrhood_prepare_recording(const mca_coll_nbrhood_module_t *module, int named_by,
                               nbrhood_recording *recording);
/* Tells the user the outcome; after nbrhood_attach. A failure is told once by each process. */
void nbrhood_tell_recording(const mca_coll_nbrhood_module_t *module,
                            const nbrhood_recording *recording);
/* Records what was built while the program runs, if that is wanted, and tells the outcome. The lock
 * is held. */
void nbrhood_record_built(const nbrhood_switch_t *sw, nbrhood_topology *topology);
/* At the end: how many communicators of rank 0 have recordings, and why others have none. */
void nbrhood_tell_recorded(void);

/* coll_nbrhood_machine.c: where ranks run. */
void nbrhood_machine_open(void);
void nbrhood_machine_close(void);
/* Of this node, whatever its ranks are bound to. */
double nbrhood_ranks_per_core(void);
/* Whether some rank of a communicator is on another node, real or synthetic; looks at no more ranks
 * than a node has. */
bool nbrhood_spans_nodes(ompi_communicator_t *comm);
/* Lists the ranks of this node. Processes of which Open MPI has no structure yet are elsewhere. */
int nbrhood_find_local_ranks(mca_coll_nbrhood_module_t *module);
/* Lists the ranks of the region; after nbrhood_find_local_ranks. */
int nbrhood_find_region(mca_coll_nbrhood_module_t *module, const nbrhood_topology *topology);
void nbrhood_free_rank_lists(mca_coll_nbrhood_module_t *module);
/* Where this process runs, on the real or the synthetic machine; after nbrhood_find_local_ranks. */
nbrhood_place nbrhood_find_place(mca_coll_nbrhood_module_t *module);
/* The ranks on this rank's node, real or synthetic, itself included, ascending; after
 * nbrhood_find_place. They belong to the module and live as long. NULL when there is no memory. */
const int *nbrhood_node_ranks(mca_coll_nbrhood_module_t *module, size_t *count);
/* How near a rank is, as far as this process knows; after nbrhood_find_place. */
int nbrhood_locality(const mca_coll_nbrhood_module_t *module, int rank);

/* coll_nbrhood_gpu.c: the GPU dies of this node. machine: the synthetic one, or NULL. */
void nbrhood_gpu_open(const nbrhood_machine *machine);
void nbrhood_gpu_close(void);
/* The die and its GPU, where they are known: those of the slot (its number on its node) on a
 * machine that a file describes, else those that the process itself uses. */
void nbrhood_gpu_place(nbrhood_place *place, int slot);
/* The links between the dies; of a file only, and all. */
void nbrhood_gpu_file_settings(nbrhood_settings *settings);
void nbrhood_gpu_settings(nbrhood_settings *settings);

/* Whether messages to other nodes go over TCP. */
bool nbrhood_over_tcp(void);

/* coll_nbrhood_state.c: performance variables, totals of this process. */
typedef struct nbrhood_totals_t {
    unsigned long long calls;
    unsigned long long allgathers; /* these are not among the calls, nor their messages below */
    unsigned long long messages[2], bytes[2]; /* sent: local, non-local */
    unsigned long long topologies;
    double creation_seconds;
    unsigned long long recordings;                  /* of creations and builds */
    unsigned long long inherited;                   /* collectives of duplicates */
    unsigned long long plan_bytes, most_plan_bytes; /* now, and at most so far */
    unsigned long long calls_on_device; /* of `calls`, with addresses on a device for the PML */
    /* Of mirrors: from a device and to one. */
    unsigned long long device_copies[2], device_bytes[2];
} nbrhood_totals_t;
extern nbrhood_totals_t nbrhood_totals;
void nbrhood_register_pvars(const mca_base_component_t *of);
/* Looks at the buffers of a request's plan. Under MPI_THREAD_MULTIPLE the lock is held. */
void nbrhood_measure_plan(nbrhood_request_t *request, size_t bytes);

/* What a module keeps for the calls of a collective; NULL when there is no memory. */
nbrhood_calls_t *nbrhood_calls_make(mca_coll_nbrhood_module_t *module, int collective);
void nbrhood_calls_free(nbrhood_calls_t *calls);

/* coll_nbrhood_request.c: the three variants of a call that the module serves. */
int nbrhood_run(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call);
int nbrhood_begin(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call,
                  ompi_request_t **request);
int nbrhood_init(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, ompi_request_t **request);

/* Of requests of any kind. Takes one from a list of idle ones, or NULL; gives a list's up. */
nbrhood_request_t *nbrhood_request_take(nbrhood_request_t **idle);
void nbrhood_requests_free(nbrhood_request_t **idle);
/* Makes one ready for a call that is not persistent. */
void nbrhood_request_open(nbrhood_request_t *request);
/* Makes one persistent: all its starts have this tag; retains the communicator and the types. */
int nbrhood_request_keep(nbrhood_request_t *request, int tag, ompi_datatype_t *const *types,
                         size_t count);

/* coll_nbrhood_mirror.c: calls on host memory that mirrors a device's (coll_nbrhood_mirror.h). What
 * is sent comes from the device, and what was received goes there; both may be called from
 * progress.
 */
int nbrhood_mirror_take_in(const nbrhood_mirror_t *mirror);
int nbrhood_mirror_hand_out(const nbrhood_mirror_t *mirror);
/* NULL: nothing. Not to be called from progress. */
void nbrhood_mirror_free(nbrhood_mirror_t *mirror);

/* coll_nbrhood_allgather.c: the functions of the three slots, and what a module keeps for them. */
int nbrhood_allgather_call(const void *sbuf, nbrhood_count_t scount, struct ompi_datatype_t *stype,
                           void *rbuf, nbrhood_count_t rcount, struct ompi_datatype_t *rtype,
                           struct ompi_communicator_t *comm, nbrhood_base_module_t *base);
int nbrhood_iallgather_call(const void *sbuf, nbrhood_count_t scount, struct ompi_datatype_t *stype,
                            void *rbuf, nbrhood_count_t rcount, struct ompi_datatype_t *rtype,
                            struct ompi_communicator_t *comm, ompi_request_t **request,
                            nbrhood_base_module_t *base);
int nbrhood_allgather_init_call(const void *sbuf, nbrhood_count_t scount,
                                struct ompi_datatype_t *stype, void *rbuf, nbrhood_count_t rcount,
                                struct ompi_datatype_t *rtype, struct ompi_communicator_t *comm,
                                nbrhood_info_t info, ompi_request_t **request,
                                nbrhood_base_module_t *base);

/* coll_nbrhood_direct.c: calls that are one message for each edge. */
/* Finds what the module keeps for such calls; NULL where this call is another. Fails for want of
 * memory. */
int nbrhood_find_direct(mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                        nbrhood_direct_calls_t **direct);
int nbrhood_run_direct(mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call,
                       nbrhood_direct_calls_t *calls);
/* Gives a request what such a call needs; false when there is no memory. */
bool nbrhood_direct_room(nbrhood_request_t *request, const nbrhood_direct_calls_t *calls);
/* Starts one that does not block. */
void nbrhood_start_direct(nbrhood_request_t *request, const nbrhood_call_t *call,
                          const nbrhood_direct_calls_t *calls);
/* Under MPI_THREAD_MULTIPLE: looks whether it is complete; the lock is held. */
void nbrhood_look_at_posted(nbrhood_request_t *request);
void nbrhood_direct_calls_free(nbrhood_direct_calls_t *calls);

/* coll_nbrhood_build.c: building while the program runs. */
void nbrhood_build_open(void);
void nbrhood_build_close(void);
/* Lets go of communicators that builds needed; not to be called from progress. */
void nbrhood_build_let_go(void);

/* coll_nbrhood_switch.c: which topology serves a call. */
/* False when there is no memory. */
bool nbrhood_switch_open(nbrhood_switch_t *sw, mca_coll_nbrhood_module_t *module, int collective);
void nbrhood_switch_close(nbrhood_switch_t *sw);
/* Of each call of a collective for which something may be built: counts it, begins a build where
 * it is due, lets a blocking call wait where it must, and finds the topology that serves it. */
void nbrhood_count_call(mca_coll_nbrhood_module_t *module, nbrhood_call_t *call, int variant);
/* Whether a nonblocking call that was counted may start now, by what serves it. */
bool nbrhood_goes_at_once(const mca_coll_nbrhood_module_t *module, const nbrhood_call_t *call);
/* Before each start of another request that does not block; *held: it is started later, by
 * progress. Fails where its blocks had to leave a device, and could not. */
int nbrhood_hold(nbrhood_request_t *request, bool *held);

/* coll_nbrhood_heritage.c: what duplicates inherit. Both call MPI, so the lock is not held. */
/* Duplicates that are made from now on may inherit; false when there is no memory. */
bool nbrhood_heritage_leave(const mca_coll_nbrhood_module_t *module);
/* Before the first call of a collective: what it inherits, by collective, or NULL. */
const nbrhood_settled_t *nbrhood_heritage_take(const mca_coll_nbrhood_module_t *module);
/* Then, without MPI: the switch of the collective inherits it. */
void nbrhood_inherit(nbrhood_switch_t *sw, const nbrhood_settled_t *settled);

/* coll_nbrhood_record.c */
/* Keeps what is to be told of a topology, as far as there is memory. */
void nbrhood_record_describe(nbrhood_record_t *record, const nbrhood_topology *topology);
/* Notes what serves a collective, for the report. */
void nbrhood_note_choice(nbrhood_record_t *record, int collective,
                         const nbrhood_topology *topology);
/* Tells the user what a creation or a build found to be wrong; leads: this rank is to tell. */
void nbrhood_report_diagnostic(ompi_communicator_t *comm, const nbrhood_topology_info *info,
                               bool leads);
/* What a build found: for the report, and for the user where something is wrong. first: from which
 * calls on a pattern serves, or NULL; seconds: how long it took; leads: whether this rank is the
 * lowest that took part. */
void nbrhood_tell_built(mca_coll_nbrhood_module_t *module, int collective,
                        const nbrhood_topology *topology, const nbrhood_call_counts *first,
                        double seconds, bool leads);
/* A duplicate inherits. */
void nbrhood_tell_inherited(mca_coll_nbrhood_module_t *module, int collective,
                            const nbrhood_settled_t *settled);
/* What its trial found. */
void nbrhood_tell_verdict(mca_coll_nbrhood_module_t *module, int collective,
                          const nbrhood_topology *tried, const nbrhood_verdict *verdict);

/* coll_nbrhood_transport.c: the PML. */
extern const nbrhood_transport nbrhood_pml_transport;
/* Starts a request whatever the threading: with `start`, which may be called with the lock held. */
typedef void (*nbrhood_starter_t)(nbrhood_request_t *request, void *context);
void nbrhood_launch(nbrhood_request_t *request, nbrhood_starter_t start, void *context);
/* The same of its plan. */
void nbrhood_start(nbrhood_request_t *request, int tag, uint32_t sequence);
/* Registers a progress function without which operations of this rank would never end: where there
 * is no memory for that the program ends. */
void nbrhood_register_progress(int (*function)(void), ompi_communicator_t *comm);

/* coll_nbrhood_waiting.c: without threads, an operation begins and ends; messages in flight to and
 * from other nodes become more or fewer. */
void nbrhood_waiting_begin(void);
void nbrhood_waiting_end(void);
void nbrhood_waiting_distant(int change);

/* Seconds since an arbitrary point in time. */
double nbrhood_now(void);
/* What may not end. */
enum { NBRHOOD_WAIT_CALL, NBRHOOD_WAIT_CREATION, NBRHOOD_WAITS };
typedef void (*nbrhood_tell_t)(const void *context, double seconds);
/* Of somebody who waits, while others, or Open MPI's own functions, make progress: once in a
 * process for each kind of wait, tell is called with the seconds so far when it takes longer than
 * coll_nbrhood_stall_seconds, by whoever makes progress. */
typedef struct nbrhood_waiter_t {
    struct nbrhood_waiter_t *next;
    int wait;
    nbrhood_tell_t tell;
    const void *context;
    double since; /* 0: nobody has looked yet */
} nbrhood_waiter_t;
void nbrhood_stall_open(void);
void nbrhood_stall_close(void);
void nbrhood_watch(nbrhood_waiter_t *waiter);
void nbrhood_unwatch(const nbrhood_waiter_t *waiter);
/* Waits for a request of a blocking call, and tells likewise. */
void nbrhood_wait(ompi_request_t *request, nbrhood_tell_t tell, const void *context);
/* Tells the user; from, to: the ranks of which blocks are missing, and those that did not take this
 * rank's, as nbrhood_list_rank appends them to texts. */
void nbrhood_tell_stalled(const mca_coll_nbrhood_module_t *module, int collective, double seconds,
                          const char *from, const char *to);
void nbrhood_list_rank(char *text, size_t room, int rank);

/* coll_nbrhood_report.c */
void nbrhood_report_open(void);
void nbrhood_report_add(nbrhood_record_t *record);
void nbrhood_report_close(void);
void nbrhood_verbose_topology(const nbrhood_record_t *record);
void nbrhood_verbose_choice(const nbrhood_record_t *record, int collective);
void nbrhood_verbose_built(const nbrhood_record_t *record, int collective);
void nbrhood_verbose_changed(const nbrhood_record_t *record, int collective);

END_C_DECLS

#endif
