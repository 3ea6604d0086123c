/* What differs between Open MPI 4.1, 5.0 and main. Everything else of the glue is common.
 * Only 4.1 is built and tested so far; configure refuses other versions.
 */
#ifndef COLL_NBRHOOD_COMPAT_H
#define COLL_NBRHOOD_COMPAT_H

#include "ompi_config.h"

/* ompi/op/op.h includes a header that installations lack; nothing of it is needed here. */
#if !__has_include("ompi/mpi/fortran/base/fint_2_int.h") && !defined(OMPI_OP_H)
#define OMPI_OP_H
typedef struct ompi_op_t ompi_op_t;
#endif

#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/topo/topo.h"
#include "opal/util/info.h"
#include "opal/util/show_help.h"

#define NBRHOOD_INFO_LENGTH 64

#if OMPI_MAJOR_VERSION == 4 && OMPI_MINOR_VERSION == 1

#define NBRHOOD_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_0_0
#define NBRHOOD_TOPO_BASE_VERSION MCA_TOPO_BASE_VERSION_2_2_0
typedef mca_coll_base_module_2_3_0_t nbrhood_base_module_t;
typedef ompi_datatype_t *const *nbrhood_types_t;
typedef struct ompi_info_t *nbrhood_info_t;

static inline mca_topo_base_module_t *nbrhood_topo_query(mca_topo_base_component_t *component,
                                                         const ompi_communicator_t *comm,
                                                         int *priority, uint32_t type)
{
    return component->topoc_comm_query(comm, priority, type);
}

/* How many processes of the job run on this node. */
#include "ompi/mca/rte/rte.h"
static inline unsigned nbrhood_local_processes(void)
{
    return (unsigned) ompi_process_info.num_local_peers + 1U;
}

/* The value of an info key; false when it is not set. */
static inline bool nbrhood_info_get(opal_info_t *info, const char *key, char *value, int length)
{
    int found = 0;
    if (NULL == info || &(MPI_INFO_NULL->super) == info) {
        return false;
    }
    opal_info_get(info, key, length - 1, value, &found);
    return 0 != found;
}

/* Whether the address is host memory that memcpy may touch. 4.1 knows only CUDA's device memory. */
#if OPAL_CUDA_SUPPORT
#include "opal/datatype/opal_datatype_cuda.h"
#define NBRHOOD_HOST_MEMORY(address) (!opal_cuda_check_bufs((char *) (address), (char *) (address)))
#else
#define NBRHOOD_HOST_MEMORY(address) true
#endif

#else
#error "coll/nbrhood is not ported to this version of Open MPI"
#endif

#endif
