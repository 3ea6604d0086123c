/* The accelerator that Open MPI itself knows: since 5.0 opal_accelerator, before that CUDA where
 * Open MPI was built with it.
 */
#include "coll_nbrhood.h"

#include "coll_nbrhood_device.h"

#if NBRHOOD_OPEN_MPI >= 500
#include "opal/mca/accelerator/accelerator.h"
#include "opal/mca/accelerator/base/base.h"

static bool holds(const void *address, int *id)
{
    uint64_t flags;
    return opal_accelerator.check_addr(address, id, &flags) > 0;
}

static bool find_allocation(const void *address, int id, uintptr_t *begin, uintptr_t *end)
{
    void *base = NULL;
    size_t bytes = 0;
    if (OPAL_SUCCESS != opal_accelerator.get_address_range(id, address, &base, &bytes)
        || (uintptr_t) address - (uintptr_t) base >= bytes) {
        return false;
    }
    *begin = (uintptr_t) base;
    *end = *begin + bytes;
    return true;
}

static int copy_out(void *host, const void *device, int id, size_t bytes)
{
    return opal_accelerator.mem_copy(MCA_ACCELERATOR_NO_DEVICE_ID, id, host, device, bytes,
                                     MCA_ACCELERATOR_TRANSFER_DTOH);
}

static int copy_in(void *device, int id, const void *host, size_t bytes)
{
    return opal_accelerator.mem_copy(id, MCA_ACCELERATOR_NO_DEVICE_ID, device, host, bytes,
                                     MCA_ACCELERATOR_TRANSFER_HTOD);
}

static bool pin(void *host, size_t bytes)
{
    return OPAL_SUCCESS
           == opal_accelerator.host_register(MCA_ACCELERATOR_NO_DEVICE_ID, host, bytes);
}

static void unpin(void *host)
{
    (void) opal_accelerator.host_unregister(MCA_ACCELERATOR_NO_DEVICE_ID, host);
}

static nbrhood_device_t table = {NULL, true, holds, find_allocation, copy_out, copy_in, pin, unpin};

const nbrhood_device_t *nbrhood_device_of_open_mpi(void)
{
    table.name = opal_accelerator_base_selected_component.base_version.mca_component_name;
    return '\0' != table.name[0] && 0 != strcmp(table.name, "null") ? &table : NULL;
}

#elif OPAL_CUDA_SUPPORT
#include "opal/datatype/opal_convertor.h"
#include "opal/datatype/opal_datatype_cuda.h"

static bool holds(const void *address, int *id)
{
    *id = 0; /* which one this interface does not say, and does not ask */
    return opal_cuda_check_one_buf((char *) address, NULL);
}

/* Ends the program where CUDA fails. */
static int copy_out(void *host, const void *device, int id, size_t bytes)
{
    (void) id;
    opal_cuda_memcpy_sync(host, device, bytes);
    return 0;
}

static int copy_in(void *device, int id, const void *host, size_t bytes)
{
    return copy_out(device, host, id, bytes);
}

/* Open MPI's function that pins memory is in a library that components share, and linking with it
 * would tie this one to an Open MPI with CUDA. */
static const nbrhood_device_t table = {"cuda", true, holds, NULL, copy_out, copy_in, NULL, NULL};

const nbrhood_device_t *nbrhood_device_of_open_mpi(void)
{
    return &table;
}

#else
const nbrhood_device_t *nbrhood_device_of_open_mpi(void)
{
    return NULL;
}
#endif
