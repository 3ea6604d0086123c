/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The differences between Open MPI 4.1, 5.0 and 6.0. The rest of the glue is common.
 *
 * Since 6.0 components are part of libopen_mpi, or link with it, and libmpi with its MPI_ and PMPI_
 * functions depends on it. So the glue calls only Open MPI's internal functions.
 */
#ifndef COLL_NBRHOOD_COMPAT_H
#define COLL_NBRHOOD_COMPAT_H

#include "ompi_config.h"

#include <stdio.h>
#include <stdlib.h>

#define NBRHOOD_OPEN_MPI (100 * OMPI_MAJOR_VERSION + OMPI_MINOR_VERSION)
#if 401 != NBRHOOD_OPEN_MPI && 500 != NBRHOOD_OPEN_MPI && 600 != NBRHOOD_OPEN_MPI
#error "coll/nbrhood is not ported to this version of Open MPI"
#endif

/* ompi/op/op.h includes a header that installations lack, and that is not needed here. */
#if !__has_include("ompi/mpi/fortran/base/fint_2_int.h") && !defined(OMPI_OP_H)
#define OMPI_OP_H
typedef struct ompi_op_t ompi_op_t;
#endif

#include "ompi/attribute/attribute.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/topo/topo.h"
#include "ompi/request/request.h"
#include "opal/util/info.h"
#include "opal/util/show_help.h"

#if NBRHOOD_OPEN_MPI < 500
#include "ompi/mca/rte/rte.h"
#include "opal/mca/pmix/pmix.h"
#include "opal/threads/mutex.h"
#else
#include "ompi/runtime/ompi_rte.h"
#include "opal/mca/pmix/pmix-internal.h"
#include "opal/mca/threads/mutex.h"
#endif

#define NBRHOOD_INFO_LENGTH 64

/* Since 6.0 a framework finds components that are part of Open MPI's library through a pointer. */
#ifndef MCA_BASE_COMPONENT_INIT
#define MCA_BASE_COMPONENT_INIT(project, framework, name)
#endif

typedef ompi_datatype_t *const *nbrhood_types_t;
typedef struct ompi_info_t *nbrhood_info_t;

/* ---- Requests of the PML ---- */

/* The data of ompi_request_set_callback(), for the callback. pml/ucx takes requests from a pool and
 * expects them without data: otherwise the start of a persistent receive, as in Open MPI's own
 * MPI_Alltoallv, takes the data for another request if the message is there already. */
static inline void *nbrhood_take_callback_data(ompi_request_t *request)
{
    void *data = request->req_complete_cb_data;
    request->req_complete_cb_data = NULL;
    return data;
}

/* ---- Messages ---- */

/* Since 6.0 Open MPI's library contains the texts of its messages and of the components that are
 * built with it. It does not read the files of other components. */
#if NBRHOOD_OPEN_MPI >= 600 && defined(NBRHOOD_HELP_DIR)
#define NBRHOOD_SHOWS_HELP 1
/* As opal_show_help, with the texts in NBRHOOD_HELP_DIR. */
int nbrhood_show_help(const char *name, const char *topic, int with_lines, ...);
#define opal_show_help nbrhood_show_help
#endif

/* ---- The coll framework ---- */

#if NBRHOOD_OPEN_MPI < 500
#define NBRHOOD_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_0_0
typedef mca_coll_base_module_2_3_0_t nbrhood_base_module_t;
#elif NBRHOOD_OPEN_MPI < 600
#define NBRHOOD_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_4_0
typedef mca_coll_base_module_2_4_0_t nbrhood_base_module_t;
#else
#define NBRHOOD_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_3_0_0
typedef mca_coll_base_module_3_0_0_t nbrhood_base_module_t;
#endif

/* Before 6 the framework copies the functions of an enabled module to the communicator; since
 * then the module does so itself, and removes them when it is disabled. */
#if NBRHOOD_OPEN_MPI < 600
#define NBRHOOD_INSTALLS_ITSELF 0
#define NBRHOOD_INSTALL(comm, slot, function, module)
#else
#define NBRHOOD_INSTALLS_ITSELF 1
#define NBRHOOD_INSTALL(comm, slot, function, module)                                              \
    MCA_COLL_INSTALL_API(comm, slot, function, module, "nbrhood")
#endif

/* The types of counts and displacements as arguments of the functions. ..._given says whether the
 * caller gave an array. */
#if NBRHOOD_OPEN_MPI < 600
typedef int nbrhood_count_t;
typedef const int *nbrhood_counts_t;
typedef const int *nbrhood_displacements_t;
typedef const MPI_Aint *nbrhood_byte_displacements_t;
#define NBRHOOD_ARRAY_GIVEN(array) (NULL != (array))
static inline size_t nbrhood_count_at(nbrhood_counts_t counts, size_t i)
{
    return (size_t) counts[i];
}
static inline ptrdiff_t nbrhood_displacement_at(nbrhood_displacements_t displacements, size_t i)
{
    return displacements[i];
}
static inline ptrdiff_t nbrhood_byte_displacement_at(nbrhood_byte_displacements_t displacements,
                                                     size_t i)
{
    return (ptrdiff_t) displacements[i];
}
static inline nbrhood_byte_displacements_t nbrhood_byte_displacements(const ptrdiff_t *array)
{
    return array;
}
#else
typedef size_t nbrhood_count_t;
typedef ompi_count_array_t nbrhood_counts_t;
typedef ompi_disp_array_t nbrhood_displacements_t;
typedef ompi_disp_array_t nbrhood_byte_displacements_t;
/* An array, without the bit that marks its width, is a pointer. */
#define NBRHOOD_ARRAY_GIVEN(array) (0 != (array))
static inline size_t nbrhood_count_at(nbrhood_counts_t counts, size_t i)
{
    return ompi_count_array_get(counts, i);
}
static inline ptrdiff_t nbrhood_displacement_at(nbrhood_displacements_t displacements, size_t i)
{
    return ompi_disp_array_get(displacements, i);
}
static inline ptrdiff_t nbrhood_byte_displacement_at(nbrhood_byte_displacements_t displacements,
                                                     size_t i)
{
    return ompi_disp_array_get(displacements, i);
}
static inline nbrhood_byte_displacements_t nbrhood_byte_displacements(const ptrdiff_t *array)
{
    nbrhood_byte_displacements_t displacements;
    ompi_disp_array_init_c(&displacements, array);
    return displacements;
}
#endif

/* ---- The topo framework ---- */

#define NBRHOOD_TOPO_BASE_VERSION MCA_TOPO_BASE_VERSION_2_2_0

/* Macros for the name and the definition of a component's query function, which calls
 * offer(comm, &priority, type). Since 5.0 a query may be about a group without a communicator. */
#if NBRHOOD_OPEN_MPI < 500
#define NBRHOOD_TOPOC_QUERY topoc_comm_query
#define NBRHOOD_DEFINE_TOPO_QUERY(name, offer)                                                     \
    static mca_topo_base_module_t *name(const ompi_communicator_t *comm, int *priority,            \
                                        uint32_t type)                                             \
    {                                                                                              \
        return NULL != comm ? offer(comm, priority, type) : NULL;                                  \
    }
#else
#define NBRHOOD_TOPOC_QUERY topoc_query
#define NBRHOOD_DEFINE_TOPO_QUERY(name, offer)                                                     \
    static mca_topo_base_module_t *name(const ompi_communicator_t *comm,                           \
                                        const ompi_group_t *group, int *priority, uint32_t type)   \
    {                                                                                              \
        (void) group;                                                                              \
        return NULL != comm ? offer(comm, priority, type) : NULL;                                  \
    }
#endif

static inline mca_topo_base_module_t *nbrhood_topo_query(mca_topo_base_component_t *component,
                                                         const ompi_communicator_t *comm,
                                                         int *priority, uint32_t type)
{
#if NBRHOOD_OPEN_MPI < 500
    return component->topoc_comm_query(comm, priority, type);
#else
    return component->topoc_query(comm, NULL, priority, type);
#endif
}

/* Whether the constructors of distributed graphs duplicate the old communicator with its
 * topology, so that the new one has two. */
#define NBRHOOD_DIST_GRAPH_INHERITS (NBRHOOD_OPEN_MPI >= 500)

/* ---- Attributes of communicators ---- */

/* Makes a key for attributes, as MPI_Comm_create_keyval does. */
static inline bool nbrhood_make_key(MPI_Comm_copy_attr_function *copy,
                                    MPI_Comm_delete_attr_function *drop, int *key)
{
    ompi_attribute_fn_ptr_union_t copies, drops;
#if NBRHOOD_OPEN_MPI < 500
    /* Open MPI passes one more argument, which our function ignores. */
    copies.attr_communicator_copy_fn =
        (MPI_Comm_internal_copy_attr_function *) (void (*)(void)) copy;
#else
    copies.attr_communicator_copy_fn = copy;
#endif
    drops.attr_communicator_delete_fn = drop;
    return OMPI_SUCCESS == ompi_attr_create_keyval(COMM_ATTR, copies, drops, key, NULL, 0, NULL);
}

/* Sets an attribute, as MPI_Comm_set_attr does. */
static inline bool nbrhood_set_attribute(ompi_communicator_t *comm, int key, void *value)
{
    return OMPI_SUCCESS == ompi_attr_set_c(COMM_ATTR, comm, &comm->c_keyhash, key, value, false);
}

/* The value of an attribute; NULL if it is not set. */
static inline void *nbrhood_attribute(const ompi_communicator_t *comm, int key)
{
    void *value = NULL;
    int given = 0;
    return OMPI_SUCCESS == ompi_attr_get_c(comm->c_keyhash, key, &value, &given) && 0 != given
               ? value
               : NULL;
}

/* ---- The run-time system ---- */

/* The number of processes of the job on this node. */
static inline unsigned nbrhood_local_processes(void)
{
#if NBRHOOD_OPEN_MPI < 500
    return (unsigned) ompi_process_info.num_local_peers + 1U;
#else
    return (unsigned) opal_process_info.num_local_peers + 1U;
#endif
}

/* The number of this process among them, in the order of their numbers in the job. */
static inline unsigned nbrhood_local_number(void)
{
#if NBRHOOD_OPEN_MPI < 500
    return (unsigned) ompi_process_info.my_local_rank;
#else
    return (unsigned) opal_process_info.my_local_rank;
#endif
}

/* A small number that identifies a communicator in this process. */
static inline uint32_t nbrhood_communicator_number(const ompi_communicator_t *comm)
{
#if NBRHOOD_OPEN_MPI < 500
    return (uint32_t) comm->c_contextid;
#else
    return ompi_comm_get_local_cid(comm);
#endif
}

/* Publishes a text of this process when it initialises MPI, before others can ask for it. */
static inline bool nbrhood_modex_put(const char *key, char *text)
{
    int rc;
#if NBRHOOD_OPEN_MPI < 500
    OPAL_MODEX_SEND_VALUE(rc, OPAL_PMIX_GLOBAL, (char *) key, text, OPAL_STRING);
    return OPAL_SUCCESS == rc;
#else
    OPAL_MODEX_SEND_VALUE(rc, PMIX_GLOBAL, key, text, PMIX_STRING);
    return PMIX_SUCCESS == rc;
#endif
}

#if NBRHOOD_OPEN_MPI >= 500
/* The string that PMIx has under a key; NULL: none. */
static inline char *nbrhood_pmix_text(const pmix_proc_t *process, const char *key,
                                      const pmix_info_t *info, size_t count)
{
    char *text = NULL;
    pmix_value_t *value = NULL;
    const pmix_status_t rc = PMIx_Get(process, key, info, count, &value);
    if (NULL != value) {
        if (PMIX_SUCCESS == rc && PMIX_STRING == value->type && NULL != value->data.string) {
            text = strdup(value->data.string);
        }
        PMIX_VALUE_RELEASE(value);
    }
    return text;
}

/* A string of another process. `how`, an attribute of PMIx, says where to search. */
static inline char *nbrhood_modex_look(const pmix_proc_t *process, const char *key, const char *how)
{
    pmix_info_t info;
    PMIX_INFO_LOAD(&info, how, NULL, PMIX_BOOL);
    char *text = nbrhood_pmix_text(process, key, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    return text;
}
#endif

/* The text that another process of the job published; the caller frees it. NULL: nothing.
 * local_only: considers only texts that this process already has. In 4.1 it has all texts,
 * unless Open MPI's modex works on demand. In 5.0 a text may still be on the other process's
 * node. There a plain request would wait forever for a text that was never published, and a
 * request with a time limit makes Open MPI's own requests to that process fail, too. A request
 * for a fresh copy of all texts of the process has neither problem. */
static inline char *nbrhood_modex_get(opal_process_name_t name, const char *key, bool local_only)
{
#if NBRHOOD_OPEN_MPI < 500
    char *text = NULL;
    int rc;
    if (local_only || opal_pmix_collect_all_data) {
        OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, (char *) key, &name, &text, OPAL_STRING);
    } else {
        OPAL_MODEX_RECV_VALUE(rc, (char *) key, &name, &text, OPAL_STRING);
    }
    return OPAL_SUCCESS == rc ? text : NULL;
#else
    pmix_proc_t process;
    OPAL_PMIX_CONVERT_NAME(&process, &name);
    char *text = nbrhood_modex_look(&process, key, PMIX_OPTIONAL);
    if (NULL == text && !local_only) {
        text = nbrhood_modex_look(&process, key, PMIX_IMMEDIATE); /* from this node's server */
    }
    if (NULL == text && !local_only) {
        text = nbrhood_modex_look(&process, key, PMIX_GET_REFRESH_CACHE);
    }
    return text;
#endif
}

#if NBRHOOD_OPEN_MPI < 500
#define NBRHOOD_HOST_KEY OPAL_PMIX_HOSTNAME
#else
#define NBRHOOD_HOST_KEY PMIX_HOSTNAME
#endif

/* The names of the job's nodes, separated by commas, from the run-time system; the caller frees
 * the text. NULL: not known. Since 5.0 neither this function nor the next one uses
 * PMIx_Resolve_nodes and PMIx_Resolve_peers, because these ask the server, and the server of
 * Open MPI 5.0.7 does not know the question and says so on stderr. */
static inline char *nbrhood_job_nodes(void)
{
#if NBRHOOD_OPEN_MPI < 500
    char *nodes = NULL;
    if (NULL == opal_pmix.resolve_nodes
        || OPAL_SUCCESS != opal_pmix.resolve_nodes(OMPI_PROC_MY_NAME->jobid, &nodes)) {
        return NULL;
    }
    return nodes;
#else
    pmix_proc_t job;
    OPAL_PMIX_CONVERT_NAME(&job, OMPI_PROC_MY_NAME);
    job.rank = PMIX_RANK_WILDCARD;
    return nbrhood_modex_look(&job, PMIX_NODE_LIST, PMIX_OPTIONAL);
#endif
}

/* The lowest number of this job's processes on a node; false if it is not known. */
static inline bool nbrhood_first_on_node(const char *node, uint32_t *number)
{
    bool found = false;
#if NBRHOOD_OPEN_MPI < 500
    opal_list_t peers;
    opal_namelist_t *peer;
    OBJ_CONSTRUCT(&peers, opal_list_t);
    if (OPAL_SUCCESS == opal_pmix.resolve_peers(node, OMPI_PROC_MY_NAME->jobid, &peers)) {
        OPAL_LIST_FOREACH(peer, &peers, opal_namelist_t)
        {
            *number = !found || peer->name.vpid < *number ? peer->name.vpid : *number;
            found = true;
        }
    }
    OPAL_LIST_DESTRUCT(&peers);
#else
    pmix_proc_t job;
    pmix_info_t info[3];
    OPAL_PMIX_CONVERT_NAME(&job, OMPI_PROC_MY_NAME);
    job.rank = PMIX_RANK_WILDCARD;
    PMIX_INFO_LOAD(&info[0], PMIX_NODE_INFO, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_HOSTNAME, node, PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_OPTIONAL, NULL, PMIX_BOOL);
    char *peers = nbrhood_pmix_text(&job, PMIX_LOCAL_PEERS, info, 3);
    for (int i = 0; i < 3; ++i) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
    /* "0,1,2" */
    for (char *rest = NULL, *peer = NULL != peers ? strtok_r(peers, ",", &rest) : NULL;
         NULL != peer; peer = strtok_r(NULL, ",", &rest)) {
        const uint32_t rank = (uint32_t) strtoul(peer, NULL, 10);
        *number = !found || rank < *number ? rank : *number;
        found = true;
    }
    free(peers);
#endif
    return found;
}

#if NBRHOOD_OPEN_MPI < 500
#define NBRHOOD_APPS_KEY OPAL_PMIX_JOB_NUM_APPS
#define NBRHOOD_APP_KEY OPAL_PMIX_APPNUM
#else
#define NBRHOOD_APPS_KEY PMIX_JOB_NUM_APPS
#define NBRHOOD_APP_KEY PMIX_APPNUM
#endif

/* The number of processes of the job. */
static inline uint32_t nbrhood_job_size(void)
{
#if NBRHOOD_OPEN_MPI < 500
    return ompi_process_info.num_procs;
#else
    return opal_process_info.num_procs;
#endif
}

/* A number that the run-time system has for a process of the job, or for the job
 * (OPAL_VPID_WILDCARD); `usual` if it has none. */
static inline uint32_t nbrhood_job_number(uint32_t process, const char *key, uint32_t usual)
{
    uint32_t number = usual, *result = &number;
    opal_process_name_t name = *OMPI_PROC_MY_NAME;
    int rc;
    name.vpid = process;
#if NBRHOOD_OPEN_MPI < 500
    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, (char *) key, &name, &result, OPAL_UINT32);
    return OPAL_SUCCESS == rc ? number : usual;
#else
    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, key, &name, &result, PMIX_UINT32);
    return PMIX_SUCCESS == rc ? number : usual;
#endif
}

/* The value of an info key, cut to `length`; false if it is not set. */
static inline bool nbrhood_info_get(opal_info_t *info, const char *key, char *value, int length)
{
    int found = 0;
    if (NULL == info || &(MPI_INFO_NULL->super) == info) {
        return false;
    }
#if NBRHOOD_OPEN_MPI < 500
    opal_info_get(info, key, length - 1, value, &found);
#else
    opal_cstring_t *text = NULL;
    opal_info_get(info, key, &text, &found);
    if (0 != found) {
        snprintf(value, (size_t) length, "%s", text->string);
        OBJ_RELEASE(text);
    }
#endif
    return 0 != found;
}

/* A new object of the same class as another one, as by OBJ_NEW; NULL if there is no memory. */
static inline opal_object_t *nbrhood_new_like(const opal_object_t *other)
{
#if OPAL_ENABLE_DEBUG
    return opal_obj_new_debug(other->obj_class, __FILE__, __LINE__);
#else
    return opal_obj_new(other->obj_class);
#endif
}

#endif
