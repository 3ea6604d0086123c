/* The only door between the C glue and the C++ core: plain C, nothing throws through it.
 *
 * Functions that can fail return 0 or an error code; those of the core are NBRHOOD_ERR_*, those of
 * the callbacks are passed through unchanged.
 */
#ifndef NBRHOOD_CORE_H
#define NBRHOOD_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NBRHOOD_ERR_MEMORY (-20001)
#define NBRHOOD_ERR_INTERNAL (-20002)

/* The five collectives, in the order of enum class Collective. */
enum { NBRHOOD_COLLECTIVES = 5 };

/* What must be equal in all processes that use the component together (see kVersion). */
int nbrhood_core_version(void);

/* ---- Names: for MCA parameters and reports ---- */

/* "neighbor_alltoallv", ...; collective in [0, NBRHOOD_COLLECTIVES); "allgather" for that. */
const char *nbrhood_collective_name(int collective);
/* Name of a value of an algorithm parameter ("auto", "default", "direct", ...); NULL past the last.
 */
const char *nbrhood_choice_name(int choice);
/* Whether an algorithm relays the blocks that are larger than its T, and not the others. */
bool nbrhood_is_for_large_blocks(int choice);
/* The value of that name, or -1. */
int nbrhood_find_choice(const char *name);
/* One sentence on a choice that is an algorithm of the registry; NULL for auto and default. */
const char *nbrhood_choice_summary(int choice);
/* Whether the choice serves the collective ("auto" and "default" serve all). */
bool nbrhood_choice_serves(int choice, int collective);

/* ---- Parameters but those that name algorithms, from the core's tables ---- */

/* Types, in the order of enum class ValueType, and where a value of each is. */
enum { NBRHOOD_NUMBER, NBRHOOD_BYTES, NBRHOOD_FLAG, NBRHOOD_NAME, NBRHOOD_TEXT };
typedef union nbrhood_value {
    int number; /* of NBRHOOD_NAME, too */
    unsigned bytes;
    bool flag;
    char *text; /* NULL: none */
} nbrhood_value;

typedef struct nbrhood_parameter {
    const char *name; /* behind "coll_nbrhood_" */
    int type;
    int level;                         /* of ompi_info, 1 to 9 */
    bool equal;                        /* must be on all ranks */
    nbrhood_value usual;               /* the default */
    long least, most;                  /* of numbers and bytes */
    const char *(*name_of)(int value); /* of NBRHOOD_NAME; NULL past the last value */
    char help[1024];
    char range[96]; /* "1 to 1000" */
} nbrhood_parameter;

/* Parameters have the numbers from 0 on, in the order of the core's parameters(). False past the
 * last, or where there is no memory. */
bool nbrhood_parameter_describe(int number, nbrhood_parameter *result);
enum { NBRHOOD_MOST_PARAMETERS = 64 };

/* The component's own parameters: NBRHOOD_PARAMETER_PRIORITY and so on, each with its declaration
 * in the core. capi/parameters.cc checks all of them against kOwnParameters. */
#define NBRHOOD_OWN_PARAMETERS(OF)                                                                 \
    OF(PRIORITY, kPriority)                                                                        \
    OF(COMBINING_THRESHOLD, kCombiningThreshold)                                                   \
    OF(PACKING_THRESHOLD, kPackingThreshold)                                                       \
    OF(PREPOSTED_SIZE, kPrepostedSize)                                                             \
    OF(REMOVE_DUPLICATES, kRemoveDuplicates)                                                       \
    OF(BLOCK_BYTES, kBlockBytes)                                                                   \
    OF(NETWORK_TURNS, kNetworkTurns)                                                               \
    OF(COSTS, kCostsFile)                                                                          \
    OF(REGION, kRegion)                                                                            \
    OF(MACHINE, kMachine)                                                                          \
    OF(BUILD_AFTER, kBuildAfter)                                                                   \
    OF(TRIAL_CALLS, kTrialCalls)                                                                   \
    OF(WATCH_CALLS, kWatchCalls)                                                                   \
    OF(STALL_SECONDS, kStallSeconds)                                                               \
    OF(VERBOSE, kVerbose)                                                                          \
    OF(REPORT, kReport)                                                                            \
    OF(DUMP, kDump)                                                                                \
    OF(INJECT_FAILURE, kInjectFailure)                                                             \
    OF(DEVICE, kDevice)                                                                            \
    OF(DEVICE_ABOVE, kDeviceAbove)                                                                 \
    OF(ALLGATHER_ALGORITHM, kAllgatherAlgorithm)                                                   \
    OF(ALLGATHER_BYTES, kAllgatherBytes)                                                           \
    OF(ALLGATHER_LEVELS, kAllgatherLevels)                                                         \
    OF(ALLGATHER_FIRST_RANK, kAllgatherFirstRank)                                                  \
    OF(GPU_TOPOLOGY, kGpuTopology)
#define NBRHOOD_PARAMETER_NUMBER(name, declaration) NBRHOOD_PARAMETER_##name,
enum { NBRHOOD_OWN_PARAMETERS(NBRHOOD_PARAMETER_NUMBER) NBRHOOD_OWN_PARAMETER_COUNT };
#undef NBRHOOD_PARAMETER_NUMBER

/* Whether these values (one for each parameter) ask for domains of the node that its hwloc topology
 * tells: as regions, or as packages of leader_scatter. */
bool nbrhood_asks_for_domains(const nbrhood_value *values);

/* ---- The costs of messages, for the model of auto ---- */

typedef struct nbrhood_costs nbrhood_costs;
/* Reads a cost file (select/costs.h). NULL when it cannot be read or understood; then `error`
 * (of `room` bytes) says the file, the line and the reason. */
nbrhood_costs *nbrhood_costs_read(const char *file, char *error, size_t room);
void nbrhood_costs_destroy(nbrhood_costs *costs);

/* Values of NBRHOOD_PARAMETER_REPORT, in the order of enum class Report. */
enum { NBRHOOD_REPORT_NONE, NBRHOOD_REPORT_COMMUNICATORS, NBRHOOD_REPORT_TOTALS };

/* Values of NBRHOOD_PARAMETER_DEVICE, in the order of enum class Device. */
enum {
    NBRHOOD_DEVICE_AUTO,
    NBRHOOD_DEVICE_NONE,
    NBRHOOD_DEVICE_OPEN_MPI,
    NBRHOOD_DEVICE_HIP,
    NBRHOOD_DEVICE_TEST
};
const char *nbrhood_device_name(int value); /* NULL past the last */

/* ---- The machine ---- */

/* What a region is: a domain of one level of the machine, in the order of enum class Level; their
 * names, NULL past the last. */
enum {
    NBRHOOD_REGION_NODE,
    NBRHOOD_REGION_SOCKET,
    NBRHOOD_REGION_NUMA,
    NBRHOOD_REGION_L3,
    NBRHOOD_REGION_GPU,
    NBRHOOD_REGION_DIE,
    NBRHOOD_REGION_KINDS
};
const char *nbrhood_region_name(int level);

/* Where a rank runs (see struct Place); domains[kind - 1] for all kinds but the node. */
typedef struct nbrhood_place {
    int node;
    int16_t domains[NBRHOOD_REGION_KINDS - 1];
} nbrhood_place;
#define NBRHOOD_NO_DOMAIN (-1) /* not bound, bound to several domains, or not known */

/* How near another rank is, in the order of enum class Locality. */
enum { NBRHOOD_ELSEWHERE, NBRHOOD_SAME_NODE, NBRHOOD_SAME_REGION };

/* A machine made up by a description such as "node:4 socket:2 core:8" (see class SyntheticMachine).
 * NULL when it is not understood or there is no memory; `why` then says what is wrong with it. */
typedef struct nbrhood_machine nbrhood_machine;
nbrhood_machine *nbrhood_machine_create(const char *text, char *why, size_t room);
void nbrhood_machine_destroy(nbrhood_machine *machine);
/* How many ranks it holds; where the one with this number in the job runs. */
int nbrhood_machine_slots(const nbrhood_machine *machine);
nbrhood_place nbrhood_machine_place(const nbrhood_machine *machine, int slot);
int nbrhood_machine_slots_of_node(const nbrhood_machine *machine);

/* The contents of a regular file, with a zero behind them, for the caller to free(); NULL, and
 * "FILE: reason", when it cannot be read or is far too large. */
char *nbrhood_read_file(const char *file, size_t *length, char *error, size_t room);

/* A GPU, or a die of one: where it is on the PCI bus, and the NUMA node next to it (-1: not
 * known). */
typedef struct nbrhood_gpu {
    uint32_t domain, bus, device, function;
    int numa;
} nbrhood_gpu;

/* The GPU dies of a node and the links between them (see struct DieTable). */
typedef struct nbrhood_die_links nbrhood_die_links;
enum { NBRHOOD_MOST_DIES = 64 };
/* Reads a table of links (core/machine/die_links_file.h). NULL when it cannot be read or
 * understood; then `error` (of `room` bytes) says the file, the line and the reason. */
nbrhood_die_links *nbrhood_die_links_read(const char *file, char *error, size_t room);
/* What a library tells: links[a * dies + b], and where each die is. NULL when it contradicts
 * itself, or there is no memory. */
nbrhood_die_links *nbrhood_die_links_create(int dies, const int *links, const nbrhood_gpu *where,
                                            char *why, size_t room);
void nbrhood_die_links_destroy(nbrhood_die_links *links);
/* Adds what another source tells of the same GPUs, in any order; false when that contradicts the
 * table, or there is no memory. */
bool nbrhood_die_links_add_gpus(nbrhood_die_links *links, const nbrhood_gpu *gpus, size_t count,
                                char *why, size_t room);
/* Whether the nodes of a synthetic machine may have these dies. */
bool nbrhood_die_links_fit(const nbrhood_die_links *links, const nbrhood_machine *machine,
                           char *why, size_t room);
int nbrhood_die_links_dies(const nbrhood_die_links *links);
/* The die that is there; -1: none. */
int nbrhood_die_links_find(const nbrhood_die_links *links, const nbrhood_gpu *gpu);
/* Puts a rank on a die: that of its slot, counted within the node, or the given one. */
void nbrhood_die_links_put(const nbrhood_die_links *links, int slot, nbrhood_place *place);
void nbrhood_die_links_put_die(const nbrhood_die_links *links, int die, nbrhood_place *place);
/* The table as a file has it; returns its length, which may be larger than the room. */
size_t nbrhood_die_links_write(const nbrhood_die_links *links, char *text, size_t room);

/* ---- Creation of a topology ---- */

typedef struct nbrhood_settings {
    uint32_t presence; /* of the component on the communicator, see Settings; 0: it is not there */
    int choice[NBRHOOD_COLLECTIVES];
    uint32_t reuse;
    nbrhood_value values[NBRHOOD_MOST_PARAMETERS]; /* of all other parameters, by their numbers */
    double ranks_per_core;                         /* a fact of this rank's node */
    const nbrhood_costs *costs;                    /* NULL: the default costs */
    /* Of this rank's node; NULL: not known. Whether a file says so. */
    const nbrhood_die_links *die_links;
    bool die_links_of_file;
    bool over_tcp;            /* of TCP, then, where on any rank that is the network */
    int fail_rank, fail_step; /* for tests; -1: never */
    /* Microseconds since 1970, UTC, never the same twice in a process: that of rank
     * nbrhood_topology_named_by names the recording, whether that rank records or others do. */
    int64_t timestamp;
} nbrhood_settings;

/* Where the patterns of a topology are to be recorded (see core/engine/recording.h), and the
 * outcome. */
typedef struct nbrhood_recording {
    const char *directory; /* in; NULL: nowhere */
    uint32_t job, number;  /* in: of rank nbrhood_topology_named_by, its job and number there */
    int files;             /* out: that this rank wrote */
    bool failed;           /* out: not all could be written */
    char text[1024]; /* out: the directory of this recording; where failed, the file and why */
} nbrhood_recording;

/* What the core needs of a communicator during creation (see class CreationBuild). */
typedef struct nbrhood_creation {
    void *context;
    int (*locality)(void *context, int rank);
    /* Starts sending `words` words (copied or kept until flush) to a rank. */
    int (*send)(void *context, int rank, const int32_t *words, size_t count);
    /* Waits for the next message of a rank and calls take(sink, count) for the room to put it. */
    int (*receive)(void *context, int rank, int32_t *(*take)(void *sink, size_t count), void *sink);
    /* Waits until everything sent so far has left its buffers. */
    int (*flush)(void *context);
} nbrhood_creation;

typedef struct nbrhood_topology nbrhood_topology;

/* Checksums of all settings that must be equal on the ranks of a communicator, and of those that
 * decide what serves calls from the first one on; 0 when there is no memory. */
uint64_t nbrhood_settings_checksum(const nbrhood_settings *settings);
uint64_t nbrhood_serving_checksum(const nbrhood_settings *settings);

/* What differs between ranks, in words (see select/differences.h): of each rank its number and
 * lines "name=value". Each difference stands between `before` and `after`, as far as there is room;
 * "" when there is none, or no memory. */
void nbrhood_describe_differences(int count, const int *ranks, const char *const *texts,
                                  const char *before, const char *after, char *result, size_t room);

/* Whether a creation with these choices, one for each collective, and the value of
 * NBRHOOD_PARAMETER_BUILD_AFTER exchanges messages. */
bool nbrhood_builds_at_creation(const int *choices, int build_after);

/* Diagnostics, in the order of enum class Diagnostic. */
enum {
    NBRHOOD_DIAGNOSTIC_NONE,
    NBRHOOD_DIAGNOSTIC_PARAMETERS_DIFFER,
    NBRHOOD_DIAGNOSTIC_EDGES_DO_NOT_MATCH,
    NBRHOOD_DIAGNOSTIC_CANNOT_BUILD,
    NBRHOOD_DIAGNOSTIC_NOT_EVERYWHERE
};

/* The neighbours of a rank in one direction: ranks, negative for MPI_PROC_NULL, and, where the user
 * gave weights of the edges, these; else NULL. */
typedef struct nbrhood_neighbours {
    int degree;
    const int *ranks;
    const int *weights;
} nbrhood_neighbours;

/* Creates one rank's topology; collective. A Cartesian topology passes its 2*ndims neighbours as
 * sources; its destinations are not looked at. Then records its patterns, if that is wanted; where
 * this fails the topology is created all the same. */
int nbrhood_topology_create(int rank, int ranks, nbrhood_place place, bool cartesian,
                            const nbrhood_neighbours *sources,
                            const nbrhood_neighbours *destinations,
                            const nbrhood_settings *settings, const nbrhood_creation *creation,
                            nbrhood_recording *recording, nbrhood_topology **topology);
/* The same where nbrhood_builds_at_creation() is false: without any message. `auto` serves calls
 * with direct messages until something is built; for good unless may_build is set. NULL when there
 * is no memory. */
nbrhood_topology *nbrhood_topology_create_direct(int rank, bool cartesian,
                                                 const nbrhood_neighbours *sources,
                                                 const nbrhood_neighbours *destinations,
                                                 const int *choices, bool may_build);
/* To be called before the first call of a collective, whichever way the topology was created. False
 * when there is no memory. */
bool nbrhood_topology_prepare(nbrhood_topology *topology, int collective);
void nbrhood_topology_destroy(nbrhood_topology *topology);
/* The same topology with one owner more: it is gone when all have destroyed it. NULL is shared as
 * NULL. */
nbrhood_topology *nbrhood_topology_share(nbrhood_topology *topology);

/* What the model expects of an algorithm for one kind of blocks. */
enum { NBRHOOD_ONE_PER_RANK, NBRHOOD_ONE_PER_EDGE }; /* allgather, alltoall */
typedef struct nbrhood_expectation {
    int choice; /* the algorithm */
    int kind;
    int64_t messages_local, messages_nonlocal; /* of a call, all ranks; local ones at most */
    double block_bytes;
    double direct_seconds, relayed_seconds; /* of a call with blocks of that size */
    size_t combining_threshold;             /* T, bytes */
} nbrhood_expectation;
enum { NBRHOOD_EXPECTATIONS = 16 };

typedef struct nbrhood_topology_info {
    int diagnostic;
    /* With not_everywhere: the lowest rank that has not the same as rank 0, and what both have. */
    int odd_rank;
    uint32_t first_presence, odd_presence;
    int synchronisations;
    int regions;
    int whole_nodes; /* not divided, because a rank there has no domain */
    char costs[64];  /* the name of those by which auto decided; empty: it did not */
    int64_t ranks_with_edges;
    int64_t edges, edges_nonlocal; /* messages of a direct call, all ranks */
    /* Of all algorithms that were counted; none on ranks without edges. */
    int expectations;
    nbrhood_expectation expected[NBRHOOD_EXPECTATIONS];
} nbrhood_topology_info;
void nbrhood_topology_describe(const nbrhood_topology *topology, nbrhood_topology_info *info);

/* Whether this rank has edges. One that has none may skip calls, so nobody waits for it, and it
 * counts no calls. */
bool nbrhood_has_edges(const nbrhood_topology *topology);

/* The ranks of this rank's region, ascending; they live as long as the topology. Returns their
 * number. */
size_t nbrhood_topology_region(const nbrhood_topology *topology, const int **ranks);

/* Variants of the calls of a collective. */
enum { NBRHOOD_BLOCKING, NBRHOOD_NONBLOCKING, NBRHOOD_PERSISTENT };

/* Where all ranks know the size of the blocks of a call, different sizes may be served in different
 * ways: intervals of sizes have the numbers from 0 on. At most NBRHOOD_INTERVALS; one where sizes
 * are not known. */
enum { NBRHOOD_INTERVALS = 4 };
int nbrhood_intervals(const nbrhood_topology *topology, int collective);
/* The interval of a call in which this rank sends blocks of `sent` and receives blocks of
 * `received` bytes: that of the direction in which it has edges. All ranks of a component find the
 * same. */
int nbrhood_interval(const nbrhood_topology *topology, int collective, size_t sent,
                     size_t received);

/* The rank of the communicator that names the recording of the topology: 0 unless it was built
 * while the program runs. */
int nbrhood_topology_named_by(const nbrhood_topology *topology);

/* The choice that serves a collective, and why: a string that is always there. Of several intervals
 * the first. */
int nbrhood_served_choice(const nbrhood_topology *topology, int collective);
const char *nbrhood_served_reason(const nbrhood_topology *topology, int collective);
/* What serves the others: "above 2048 bytes direct"; empty where there is one interval. */
void nbrhood_served_sizes(const nbrhood_topology *topology, int collective, char *text,
                          size_t room);
/* Whether plans can be made for a collective's calls; otherwise they are the displaced module's. */
bool nbrhood_serves(const nbrhood_topology *topology, int collective);
/* Blocks that this rank sends and receives in one call of a collective, for sizing arrays. */
size_t nbrhood_receive_blocks(const nbrhood_topology *topology);
size_t nbrhood_send_blocks(const nbrhood_topology *topology, int collective);
/* Which of them are of MPI_PROC_NULL, ascending, and their number: nobody touches these. */
size_t nbrhood_null_receives(const nbrhood_topology *topology, const uint32_t **slots);
size_t nbrhood_null_sends(const nbrhood_topology *topology, int collective, const uint32_t **slots);

/* ---- Patterns that are built while the program runs ---- */

/* Whether `auto` may build something for a collective later on: the topology was created without,
 * and this rank has a neighbour other than itself. */
bool nbrhood_may_build(const nbrhood_topology *topology, int collective);

/* See struct CallCounts. */
typedef struct nbrhood_call_counts {
    uint32_t calls, requests, starts;
} nbrhood_call_counts;

enum { NBRHOOD_CHANNEL_WAVE, NBRHOOD_CHANNEL_STEP, NBRHOOD_CHANNELS };

/* See struct OwnFacts. */
typedef struct nbrhood_own_facts {
    nbrhood_place place;
    int ranks;
    const int *local;
    size_t local_count;
    bool keeps_patterns; /* for nbrhood_switch_record */
} nbrhood_own_facts;

/* See struct Verdict. */
typedef struct nbrhood_verdict {
    bool measured, decided, keep;
    double direct_seconds, pattern_seconds;
} nbrhood_verdict;

/* The services of the communicator that a switch needs (see class BackgroundHost). */
typedef struct nbrhood_switch_host {
    void *context;
    int (*locality)(void *context, int rank);
    /* Sends words, which it copies. */
    void (*send)(void *context, int rank, int channel, const int32_t *words, size_t count);
    /* The next message of a rank is to come with nbrhood_switch_arrived. */
    void (*expect)(void *context, int rank, int channel);
    /* Called when a build begins. False when there is no memory. The choices in the settings do
     * not matter: `auto` decides. */
    bool (*facts)(void *context, nbrhood_own_facts *own, nbrhood_settings *settings);
    uint32_t (*inits)(void *context);
    /* The topology is the caller's, who destroys it; it says how the collective is served, and
     * nothing of the others. first: NULL where it is not to serve. */
    void (*built)(void *context, nbrhood_topology *topology, const nbrhood_call_counts *first,
                  bool leads);
    void (*judged)(void *context, const nbrhood_verdict *verdict);
    void (*changed)(void *context);
} nbrhood_switch_host;

/* See struct SwitchTerms. */
typedef struct nbrhood_switch_terms {
    uint32_t build_after, trial_calls, watch_calls;
    bool reuse;
} nbrhood_switch_terms;

/* Where nothing of a switch needs to be asked: calls of a lower number than quiet_until are served
 * by pattern `serves`, or by direct messages (NBRHOOD_DIRECT_MESSAGES), and are not told. Calls
 * from `limit` on wait. */
typedef struct nbrhood_switch_view {
    uint32_t quiet_until, limit;
    int serves;
} nbrhood_switch_view;

enum { NBRHOOD_DIRECT_MESSAGES = -1, NBRHOOD_PATTERNS = 8 };

/* The facts that a call or start tells (see struct CallFacts). */
typedef struct nbrhood_call_facts {
    size_t blocks;
    int64_t bytes;
    uint32_t calls;
    bool alone, may_build;
    double now;
} nbrhood_call_facts;

/* A switch and what it settles beside the program (classes Switch and BackgroundBuild). Under
 * MPI_THREAD_MULTIPLE one thread at a time is in it. Functions that return bool return false when
 * it cannot go on, for want of memory or after a message that no rank can have sent: other ranks
 * then wait for this one forever. */
typedef struct nbrhood_switch nbrhood_switch;
/* The topology must outlive it, and the view, which it keeps up to date. NULL when there is no
 * memory. */
nbrhood_switch *nbrhood_switch_create(const nbrhood_topology *topology, int collective,
                                      nbrhood_switch_terms terms, const nbrhood_switch_host *host,
                                      nbrhood_switch_view *view);
void nbrhood_switch_destroy(nbrhood_switch *sw);
/* Before the first call: what a duplicate inherits, pattern number 0 where it is one. */
void nbrhood_switch_inherit(nbrhood_switch *sw, bool pattern);

bool nbrhood_switch_call_wants_build(const nbrhood_switch *sw, uint32_t call);
bool nbrhood_switch_start_wants_build(const nbrhood_switch *sw, uint32_t start);
bool nbrhood_switch_init_wants_build(const nbrhood_switch *sw, uint32_t calls);
bool nbrhood_switch_begin_init(nbrhood_switch *sw, const nbrhood_call_facts *facts);
bool nbrhood_switch_begin_call(nbrhood_switch *sw, const nbrhood_call_facts *facts);
bool nbrhood_switch_begin_start(nbrhood_switch *sw, uint32_t request, uint32_t start,
                                const nbrhood_call_facts *facts);
int nbrhood_switch_serving_call(const nbrhood_switch *sw, uint32_t call);
int nbrhood_switch_serving_start(const nbrhood_switch *sw, uint32_t request, uint32_t start);
bool nbrhood_switch_holds_start(const nbrhood_switch *sw, uint32_t request, uint32_t start);
/* Whether what serves a request never changes from this start on. */
bool nbrhood_switch_is_settled(const nbrhood_switch *sw, uint32_t start);

bool nbrhood_switch_arrived(nbrhood_switch *sw, int rank, int channel, const int32_t *words,
                            size_t count);
/* Whether this rank has work to do that is more than a message's, and does a part of it: about a
 * millisecond's. */
bool nbrhood_switch_wants_turn(const nbrhood_switch *sw);
bool nbrhood_switch_take_turn(nbrhood_switch *sw);
/* Whether this rank sends or expects anything. */
bool nbrhood_switch_runs(const nbrhood_switch *sw);
/* In host.built: records the patterns of the topology, as nbrhood_topology_create does. */
void nbrhood_switch_record(const nbrhood_switch *sw, nbrhood_topology *topology,
                           nbrhood_recording *recording);

/* Says what a duplicate inherits that is made after so many calls (see heir_after), and then: the
 * pattern, or NBRHOOD_DIRECT_MESSAGES. */
enum { NBRHOOD_HEIR_NOT_KNOWN, NBRHOOD_HEIR_BEGINS_ANEW, NBRHOOD_HEIR_INHERITS };
int nbrhood_switch_heir(const nbrhood_switch *sw, uint32_t calls);
int nbrhood_switch_bequest(const nbrhood_switch *sw);

/* ---- Plans ---- */

typedef struct nbrhood_block {
    void *address;
    size_t count;
    const void *type;
    size_t bytes;
    char *data; /* NULL unless contiguous */
} nbrhood_block;

/* A call that is one message for each edge, of a whole block: needs no plan. */
typedef struct nbrhood_direct_message {
    int peer;       /* of a copy: this rank */
    uint32_t block; /* of the send buffer; of a receive: the slot */
    uint32_t slot;  /* of a copy: where the block goes */
} nbrhood_direct_message;
typedef struct nbrhood_direct {
    size_t receives, sends, copies;
    nbrhood_direct_message *messages; /* receives, sends and copies, each in posting order */
} nbrhood_direct;
/* Whether calls with blocks of that interval are such calls. */
bool nbrhood_is_direct(const nbrhood_topology *topology, int collective, int interval);
/* What calls of a variant with blocks of that interval do with the bytes of blocks, but for
 * receiving them into one buffer and sending them from one; a sum of these, 0: nothing. */
enum {
    NBRHOOD_TOUCHES = 1, /* they are copied to memory of the plan and from it */
    NBRHOOD_CUTS = 2,    /* so are those of blocks that are not contiguous */
    NBRHOOD_COPIES = 4   /* they are copied from the send buffer to a slot */
};
int nbrhood_handling(const nbrhood_topology *topology, int collective, int interval);
/* The messages of calls that nbrhood_is_direct names, or NULL when there is no memory. */
nbrhood_direct *nbrhood_direct_create(const nbrhood_topology *topology, int collective,
                                      int interval);
void nbrhood_direct_destroy(nbrhood_direct *direct);

typedef struct nbrhood_plan nbrhood_plan;

/* A message given to the transport; `request` is the transport's. */
typedef struct nbrhood_token {
    void *plan;
    uint32_t index;
    uint32_t kind;
    bool distant; /* the glue's own, as is the next one */
    void *request;
} nbrhood_token;

/* See class Transport. `context` is the one given to nbrhood_plan_create. */
typedef struct nbrhood_transport {
    int (*send_bytes)(void *context, const void *from, size_t bytes, int peer, int tag,
                      nbrhood_token *token);
    int (*receive_bytes)(void *context, void *to, size_t capacity, int peer, int tag,
                         nbrhood_token *token);
    int (*send_block)(void *context, const nbrhood_block *block, int peer, int tag,
                      nbrhood_token *token);
    int (*receive_block)(void *context, const nbrhood_block *block, int peer, int tag,
                         nbrhood_token *token);
    int (*copy_block)(void *context, const nbrhood_block *from, const nbrhood_block *to);
    int (*pack)(void *context, const nbrhood_block *from, void *to);
    int (*unpack)(void *context, const void *from, size_t bytes, const nbrhood_block *to);
    /* Calls take(sink, at, bytes) for each segment of a block in its order. False when the block
     * has more than `most` segments; then some may have been taken. */
    bool (*flatten)(void *context, const nbrhood_block *block, size_t most,
                    bool (*take)(void *sink, void *at, size_t bytes), void *sink);
    void (*cancel)(void *context, nbrhood_token *token);
    int (*mismatch)(void *context, int peer, const char *fault, const char *got,
                    const char *expected);
    int (*truncated)(void *context, int source, int peer, size_t sent, size_t expected);
    /* error 0: unknown, and so are the two ranks */
    int (*failed_before)(void *context, int peer, int error, int at, int with, bool only_relayed);
    int (*out_of_memory)(void *context);
    /* There is no memory to go on with an operation that is under way; ends the program. */
    void (*abandon)(void *context);
    void (*finished)(void *context, int error);
} nbrhood_transport;

/* Makes a plan for calls that are served (nbrhood_serves); one of NBRHOOD_BLOCKING performs all
 * blocking calls of the interval, since it remembers which blocks were large. NULL when there is no
 * memory. The plan keeps what it needs of the topology. */
nbrhood_plan *nbrhood_plan_create(const nbrhood_topology *topology, int collective, int interval,
                                  int variant, const nbrhood_transport *transport, void *context);
void nbrhood_plan_destroy(nbrhood_plan *plan);
/* The arrays of blocks to fill before starting. */
nbrhood_block *nbrhood_plan_send_blocks(nbrhood_plan *plan);
nbrhood_block *nbrhood_plan_receive_blocks(nbrhood_plan *plan);
/* To be called when blocks have changed since they were first filled; of a persistent request's
 * plan only after nbrhood_plan_keep_layout, which comes before the first start. */
void nbrhood_plan_rebind(nbrhood_plan *plan);
void nbrhood_plan_keep_layout(nbrhood_plan *plan);
/* Gives a new plan the blocks of another one of the same collective. */
void nbrhood_plan_copy_blocks(nbrhood_plan *plan, const nbrhood_plan *from);
/* To be called instead where they are all to lie so many bytes further, those of the send buffer
 * and the receive slots; changes the arrays, too. */
void nbrhood_plan_move(nbrhood_plan *plan, ptrdiff_t send, ptrdiff_t receive);
/* For persistent requests, once the blocks are filled: finds what the send blocks share; see
 * Plan::find_shared. indices: NULL, or one for each element of the send blocks; not kept. False
 * when there is no memory. */
bool nbrhood_plan_find_shared(nbrhood_plan *plan, const int64_t *indices);
/* Starts the operation; see Plan::start. Ends with transport->finished, perhaps during this call.
 */
void nbrhood_plan_start(nbrhood_plan *plan, int tag_base, uint32_t sequence);
/* A message is complete. */
void nbrhood_completed(nbrhood_token *token, int error, size_t bytes);
size_t nbrhood_plan_memory(const nbrhood_plan *plan);

/* ---- Allgathers (core/allgather) ---- */

/* What a process tells in an agreement (see struct AllgatherMember). */
typedef struct nbrhood_allgather_member {
    int node;
    int16_t domains[NBRHOOD_REGION_KINDS - 1];
    uint16_t threads;
    float ranks_per_core;
    uint32_t parameters;
} nbrhood_allgather_member;

/* See class Agreements; of the process. names: of ranks 0 .. count - 1. find: false, too, and add:
 * false, when there is no memory. */
bool nbrhood_agreements_find(const uint64_t *names, size_t count,
                             nbrhood_allgather_member *members);
bool nbrhood_agreements_add(const uint64_t *names, size_t count,
                            const nbrhood_allgather_member *members);
/* When the component is closed. */
void nbrhood_agreements_forget(void);

/* What serves the allgathers of a communicator whose ranks have agreed. values: those of all
 * parameters (nbrhood_settings.values), choice: of their algorithm, most_result: bytes of the
 * largest result that auto serves. NULL when there is no memory.
 */
typedef struct nbrhood_allgather nbrhood_allgather;
nbrhood_allgather *nbrhood_allgather_create(int rank, size_t ranks,
                                            const nbrhood_allgather_member *members,
                                            const nbrhood_value *values, int choice,
                                            size_t most_result);
void nbrhood_allgather_destroy(nbrhood_allgather *allgather);
/* The algorithm that serves blocks of so many bytes; -1: the displaced module. The same on all
 * ranks. */
int nbrhood_allgather_row(const nbrhood_allgather *allgather, size_t bytes);
enum { NBRHOOD_ALLGATHER_ROWS = 5 };
/* Names of the values of coll_nbrhood_allgather_algorithm; NULL past the last. */
enum { NBRHOOD_ALLGATHER_AUTO, NBRHOOD_ALLGATHER_DEFAULT, NBRHOOD_ALLGATHER_FIRST_ROW };
const char *nbrhood_allgather_choice_name(int choice);
/* For reports: how many regions there are; the largest blocks that are served, or 0: all. */
size_t nbrhood_allgather_regions(const nbrhood_allgather *allgather);
size_t nbrhood_allgather_most_bytes(const nbrhood_allgather *allgather);

/* A plan for calls that an algorithm serves; NULL when there is no memory. */
nbrhood_plan *nbrhood_allgather_plan(const nbrhood_allgather *allgather, int row,
                                     const nbrhood_transport *transport, void *context);
/* Binds it before a start. send: NULL for MPI_IN_PLACE. receive: the slot of rank 0, the others
 * follow `stride` bytes apart; its data is NULL unless all are contiguous together. */
void nbrhood_allgather_bind(nbrhood_plan *plan, const nbrhood_block *send,
                            const nbrhood_block *receive, ptrdiff_t stride);

/* ---- Mirrors of device memory (see class MirrorLayout) ---- */

enum { NBRHOOD_MIRROR_ALIGNMENT = 64 };
/* See struct MirrorCopy. */
typedef struct nbrhood_mirror_copy {
    uintptr_t at;
    size_t offset;
    size_t bytes;
} nbrhood_mirror_copy;

/* create: NULL, add_span, add_segment and finish: false when there is no memory. */
typedef struct nbrhood_mirror_layout nbrhood_mirror_layout;
nbrhood_mirror_layout *nbrhood_mirror_layout_create(void);
void nbrhood_mirror_layout_destroy(nbrhood_mirror_layout *layout);
bool nbrhood_mirror_layout_add_span(nbrhood_mirror_layout *layout, uintptr_t begin, uintptr_t end);
bool nbrhood_mirror_layout_add_segment(nbrhood_mirror_layout *layout, uintptr_t begin,
                                       uintptr_t end, uintptr_t allocation_end);
bool nbrhood_mirror_layout_finish(nbrhood_mirror_layout *layout, size_t gap, bool as_one);
size_t nbrhood_mirror_layout_bytes(const nbrhood_mirror_layout *layout);
bool nbrhood_mirror_layout_keeps_distances(const nbrhood_mirror_layout *layout);
size_t nbrhood_mirror_layout_offset(const nbrhood_mirror_layout *layout, uintptr_t address);
/* They live as long as the layout. Returns their number. */
size_t nbrhood_mirror_layout_copies(const nbrhood_mirror_layout *layout,
                                    const nbrhood_mirror_copy **copies);

/* ---- Tags (docs/wire.md) ---- */

int nbrhood_tag_allgather(void);
int nbrhood_tag_iallgather(uint32_t number);
/* 0 when the communicator has used up its tags for persistent allgathers. */
int nbrhood_tag_allgather_init(uint32_t number);

int nbrhood_tag_blocking(int collective);
int nbrhood_tag_nonblocking(uint32_t number);
/* 0 when the communicator has used up its tags for persistent requests. */
int nbrhood_tag_persistent(uint32_t number);
int nbrhood_tag_creation(void);
/* Of the heads of messages; what does not fit into them has the next tag. */
int nbrhood_tag_build(int collective, int channel);

#ifdef __cplusplus
}
#endif

#endif
