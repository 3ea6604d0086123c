/* The component: parameters, opening and closing. */
#include "coll_nbrhood.h"

#include <limits.h>
#include <stdio.h>

#include "opal/mca/base/mca_base_var.h"
#include "opal/util/output.h"

nbrhood_state_t nbrhood_state;

static int register_parameters(void);
static int open_component(void);
static int close_component(void);
static int init_query(bool enable_progress_threads, bool enable_mpi_threads);

mca_coll_nbrhood_component_t mca_coll_nbrhood_component = {
    .super =
        {
            .collm_version =
                {
                    NBRHOOD_COLL_BASE_VERSION,
                    .mca_component_name = "nbrhood",
                    MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                                          OMPI_RELEASE_VERSION),
                    .mca_open_component = open_component,
                    .mca_close_component = close_component,
                    .mca_register_component_params = register_parameters,
                },
            .collm_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
            .collm_init_query = init_query,
            .collm_comm_query = mca_coll_nbrhood_comm_query,
        },
    .hook = {MCA_COLL_NBRHOOD_HOOK_VERSION, nbrhood_topo_initialised, nbrhood_everywhere,
             mca_coll_nbrhood_topology_created},
};

static void register_variable(const char *name, const char *help, mca_base_var_type_t type,
                              mca_base_var_info_lvl_t level, void *storage)
{
    (void) mca_base_component_var_register(&mca_coll_nbrhood_component.super.collm_version, name,
                                           help, type, NULL, 0, 0, level,
                                           MCA_BASE_VAR_SCOPE_READONLY, storage);
}

/* A parameter whose values are the kinds of regions that the core knows. */
static void register_region(void)
{
    mca_base_var_enum_value_t values[8] = {{0, NULL}};
    mca_base_var_enum_t *enumerator = NULL;
    for (int kind = 0; NULL != nbrhood_region_name(kind) && kind < 7; ++kind) {
        values[kind].value = kind;
        values[kind].string = nbrhood_region_name(kind);
    }
    nbrhood_state.region_kind = NBRHOOD_REGION_NODE;
    if (OPAL_SUCCESS != mca_base_var_enum_create("coll_nbrhood_regions", values, &enumerator)) {
        return;
    }
    (void) mca_base_component_var_register(
        &mca_coll_nbrhood_component.super.collm_version, "region",
        "What a region is, within which messages are cheap. socket and numa: that of each rank's "
        "binding; a node with a rank that is not bound to one of them stays one region. Must be "
        "equal on all ranks",
        MCA_BASE_VAR_TYPE_INT, enumerator, 0, 0, OPAL_INFO_LVL_5, MCA_BASE_VAR_SCOPE_READONLY,
        &nbrhood_state.region_kind);
    OBJ_RELEASE(enumerator);
}

/* One parameter for each collective; its values are the choices of the core that serve it. */
static void register_algorithms(void)
{
    for (int c = 0; c < NBRHOOD_COLLECTIVES; ++c) {
        mca_base_var_enum_value_t values[32] = {{0, NULL}};
        char name[64], enum_name[96], help[1024];
        int used = 0;
        size_t length =
            (size_t) snprintf(help, sizeof help,
                              "Algorithm of MPI_%s, its nonblocking and its persistent variant. "
                              "auto: what promises to "
                              "be fastest; default: what Open MPI does without this component",
                              nbrhood_collective_name(c));
        for (int choice = 0; NULL != nbrhood_choice_name(choice) && used < 31; ++choice) {
            if (!nbrhood_choice_serves(choice, c)) {
                continue;
            }
            values[used].value = choice;
            values[used++].string = nbrhood_choice_name(choice);
            if (NULL != nbrhood_choice_summary(choice) && length < sizeof help) {
                length +=
                    (size_t) snprintf(help + length, sizeof help - length, "; %s: %s",
                                      nbrhood_choice_name(choice), nbrhood_choice_summary(choice));
            }
        }
        snprintf(name, sizeof name, "%s_algorithm", nbrhood_collective_name(c));
        snprintf(enum_name, sizeof enum_name, "coll_nbrhood_%s_algorithms",
                 nbrhood_collective_name(c));
        mca_base_var_enum_t *enumerator = NULL;
        nbrhood_state.algorithm[c] = NBRHOOD_CHOICE_AUTO;
        if (OPAL_SUCCESS != mca_base_var_enum_create(enum_name, values, &enumerator)) {
            continue;
        }
        (void) mca_base_component_var_register(&mca_coll_nbrhood_component.super.collm_version,
                                               name, help, MCA_BASE_VAR_TYPE_INT, enumerator, 0, 0,
                                               OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY,
                                               &nbrhood_state.algorithm[c]);
        OBJ_RELEASE(enumerator);
    }
}

static int register_parameters(void)
{
    nbrhood_state.priority = 90;
    register_variable("priority",
                      "Priority of coll/nbrhood. The default wins over basic and libnbc: installed "
                      "means selected. Negative: never selected",
                      MCA_BASE_VAR_TYPE_INT, OPAL_INFO_LVL_4, &nbrhood_state.priority);
    nbrhood_state.ride_threshold = 0;
    register_variable("ride_threshold",
                      "T: blocks of more bytes than this go straight to their destination, smaller "
                      "ones ride with the relays. 1 to 16777216, or 0: from the costs of messages, "
                      "for each communicator; must be equal on all ranks",
                      MCA_BASE_VAR_TYPE_UNSIGNED_INT, OPAL_INFO_LVL_5,
                      &nbrhood_state.ride_threshold);
    nbrhood_state.relay_buffer = 65536;
    register_variable("relay_buffer",
                      "E: bytes of payload for which a relayed message has a buffer posted in "
                      "advance; what exceeds it follows in a second message. 64 to 268435456; must "
                      "be equal on all ranks",
                      MCA_BASE_VAR_TYPE_UNSIGNED_INT, OPAL_INFO_LVL_6, &nbrhood_state.relay_buffer);
    nbrhood_state.pack_limit = 8192;
    register_variable("pack_limit",
                      "P: blocks of more bytes than this that ride are not packed into the relayed "
                      "message but follow it on their own, which saves two copies and costs a "
                      "message. 1 to 16777216; must be equal on all ranks",
                      MCA_BASE_VAR_TYPE_UNSIGNED_INT, OPAL_INFO_LVL_6, &nbrhood_state.pack_limit);
    nbrhood_state.remove_duplicates = true;
    register_variable("remove_duplicates",
                      "Whether bytes of the send buffer that several neighbours get (blocks that "
                      "overlap, datatypes that pick the same entries, equal indices of "
                      "nbrhood_neighbor_alltoallv_init) travel once with relayed messages. May "
                      "differ between ranks",
                      MCA_BASE_VAR_TYPE_BOOL, OPAL_INFO_LVL_5, &nbrhood_state.remove_duplicates);
    nbrhood_state.block_bytes = 0;
    register_variable("block_bytes",
                      "Expected size of a block in bytes, for which auto decides: what one edge "
                      "carries in a call, or one rank sends to all in an allgather. Up to "
                      "1073741824; 0: small; must be equal on all ranks",
                      MCA_BASE_VAR_TYPE_UNSIGNED_INT, OPAL_INFO_LVL_4, &nbrhood_state.block_bytes);
    nbrhood_state.relays_per_region = 0;
    register_variable("relays_per_region",
                      "Greatest number of ranks of a region (node) that carry the messages to and "
                      "from other regions. 0: by load, one for every eight messages where ranks "
                      "share cores, else one for each; must be equal on all ranks",
                      MCA_BASE_VAR_TYPE_INT, OPAL_INFO_LVL_5, &nbrhood_state.relays_per_region);
    nbrhood_state.local_rides = -1;
    register_variable(
        "local_rides",
        "Whether blocks within a node ride with its relay, too. -1: on nodes whose "
        "ranks outnumber their cores, 0: never, 1: always; must be equal on all ranks",
        MCA_BASE_VAR_TYPE_INT, OPAL_INFO_LVL_6, &nbrhood_state.local_rides);
    nbrhood_state.network_turns = 16;
    register_variable(
        "network_turns",
        "While an operation waits for ranks of its own node, the network is polled in "
        "one of so many turns of the progress engine, 1 to 1000. 1: in every turn, as "
        "without this component",
        MCA_BASE_VAR_TYPE_UNSIGNED_INT, OPAL_INFO_LVL_6, &nbrhood_state.network_turns);
    nbrhood_state.costs_file = NULL;
    register_variable("costs",
                      "File of the costs of messages on this cluster, as nbrhood-calibrate writes "
                      "it, from which auto and the ride threshold are decided; must be equal on "
                      "all ranks. Default: costs of a cluster with an InfiniBand-class network",
                      MCA_BASE_VAR_TYPE_STRING, OPAL_INFO_LVL_4, &nbrhood_state.costs_file);
    nbrhood_state.verbose = 0;
    register_variable("verbose",
                      "Verbosity: 1 tells for each topology communicator which algorithms were "
                      "chosen and why; 10 also which communicators the component declines",
                      MCA_BASE_VAR_TYPE_INT, OPAL_INFO_LVL_3, &nbrhood_state.verbose);
    nbrhood_state.report = false;
    register_variable("report",
                      "Whether rank 0 prints a summary at MPI_Finalize: communicators, algorithms "
                      "chosen and why, creation time, calls, messages and bytes",
                      MCA_BASE_VAR_TYPE_BOOL, OPAL_INFO_LVL_3, &nbrhood_state.report);
    nbrhood_state.dump = NULL;
    register_variable("dump",
                      "Folder in which the patterns that serve each communicator with a topology "
                      "are recorded when it is created: "
                      "DUMP/<communicator>/<algorithm>-<kind of blocks>/<rank>.txt. It is made if "
                      "it is not there. Default: nothing is recorded. May differ between ranks",
                      MCA_BASE_VAR_TYPE_STRING, OPAL_INFO_LVL_5, &nbrhood_state.dump);
    register_region();
    nbrhood_state.machine = NULL;
    register_variable("machine",
                      "For tests: a synthetic machine such as \"node:4 socket:2 core:8\" (levels "
                      "node, socket, numa, core), which the ranks of the job fill by slot, instead "
                      "of the real one. Must be equal on all ranks",
                      MCA_BASE_VAR_TYPE_STRING, OPAL_INFO_LVL_9, &nbrhood_state.machine);
    nbrhood_state.inject_failure = NULL;
    register_variable("inject_failure",
                      "For tests: RANK:STEP makes that rank of each communicator fail in that "
                      "superstep of building a pattern",
                      MCA_BASE_VAR_TYPE_STRING, OPAL_INFO_LVL_9, &nbrhood_state.inject_failure);
    register_algorithms();
    nbrhood_register_pvars();
    return OMPI_SUCCESS;
}

/* Says that a parameter outside its range was replaced by its default. */
static void tell_replaced(const char *name, double value, const char *range, double otherwise)
{
    char texts[2][32];
    snprintf(texts[0], sizeof texts[0], "%.10g", value);
    snprintf(texts[1], sizeof texts[1], "%.10g", otherwise);
    opal_show_help("help-mpi-coll-nbrhood.txt", "parameter out of range", true, name, texts[0],
                   range, texts[1]);
}

/* A whole number: the value, or the default where it is outside its range. */
static long in_range(const char *name, long value, long low, long high, long otherwise)
{
    if (value >= low && value <= high) {
        return value;
    }
    char range[64];
    snprintf(range, sizeof range, "%ld to %ld", low, high);
    tell_replaced(name, (double) value, range, (double) otherwise);
    return otherwise;
}

/* Ranks that cannot read the file differ from those that can, which creation notices. */
static void read_costs(void)
{
    char error[PATH_MAX + 256];
    nbrhood_state.costs = NULL;
    if (NULL == nbrhood_state.costs_file || '\0' == nbrhood_state.costs_file[0]) {
        return;
    }
    nbrhood_state.costs = nbrhood_costs_read(nbrhood_state.costs_file, error, sizeof error);
    if (NULL == nbrhood_state.costs) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "no costs", true, error);
    }
}

static int open_component(void)
{
#ifdef NBRHOOD_HELP_DIR
    /* Where the texts are when the component is not in Open MPI's own folder. */
    (void) opal_show_help_add_dir(NBRHOOD_HELP_DIR);
#endif
    nbrhood_state.output = opal_output_open(NULL);
    opal_output_set_verbosity(nbrhood_state.output, nbrhood_state.verbose);
    nbrhood_state_t *state = &nbrhood_state;
    state->ride_threshold =
        (unsigned) in_range("coll_nbrhood_ride_threshold", state->ride_threshold, 0, 1L << 24, 0);
    state->relay_buffer =
        (unsigned) in_range("coll_nbrhood_relay_buffer", state->relay_buffer, 64, 1L << 28, 65536);
    state->pack_limit =
        (unsigned) in_range("coll_nbrhood_pack_limit", state->pack_limit, 1, 1L << 24, 8192);
    state->block_bytes = (unsigned) in_range("coll_nbrhood_block_bytes", state->block_bytes, 0,
                                             NBRHOOD_MOST_BLOCK_BYTES, 0);
    state->network_turns =
        (unsigned) in_range("coll_nbrhood_network_turns", state->network_turns, 1, 1000, 16);
    state->relays_per_region =
        (int) in_range("coll_nbrhood_relays_per_region", state->relays_per_region, 0, INT_MAX, 0);
    state->local_rides = (int) in_range("coll_nbrhood_local_rides", state->local_rides, -1, 1, -1);
    read_costs();
    OBJ_CONSTRUCT(&nbrhood_state.lock, opal_mutex_t);
    OBJ_CONSTRUCT(&nbrhood_state.active, opal_list_t);
    nbrhood_state.polling = false;
    nbrhood_machine_open();
    nbrhood_report_open();
    nbrhood_presence_open();
    return OMPI_SUCCESS;
}

static int close_component(void)
{
    nbrhood_presence_close();
    nbrhood_report_close();
    nbrhood_costs_destroy(nbrhood_state.costs);
    nbrhood_machine_close();
    OBJ_DESTRUCT(&nbrhood_state.active);
    OBJ_DESTRUCT(&nbrhood_state.lock);
    opal_output_close(nbrhood_state.output);
    return OMPI_SUCCESS;
}

static int init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    return OMPI_SUCCESS;
}
