/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* The accelerator whose memory may hold the buffers of calls, and whether the PML takes its
 * addresses.
 */
#include "coll_nbrhood_device.h"
#include "coll_nbrhood_on_device.h"
#include "coll_nbrhood_state.h"

#include <dlfcn.h>
#include <unistd.h>

#include "ompi/mca/pml/base/base.h"

const nbrhood_device_t *nbrhood_device;

#define FIND(table, function, name) (NULL != (*(void **) &(table).function = dlsym(library, name)))

/* ---- The accelerator that Open MPI itself knows: since 5.0 opal_accelerator, before that CUDA,
 * if Open MPI was built with it ---- */

#if NBRHOOD_OPEN_MPI >= 500
#include "opal/mca/accelerator/accelerator.h"
#include "opal/mca/accelerator/base/base.h"

static bool open_mpi_holds(const void *address, int *id)
{
    uint64_t flags;
    return opal_accelerator.check_addr(address, id, &flags) > 0;
}

static bool open_mpi_find_allocation(const void *address, int id, uintptr_t *begin, uintptr_t *end)
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

static int open_mpi_copy_out(void *host, const void *device, int id, size_t bytes)
{
    return opal_accelerator.mem_copy(MCA_ACCELERATOR_NO_DEVICE_ID, id, host, device, bytes,
                                     MCA_ACCELERATOR_TRANSFER_DTOH);
}

static int open_mpi_copy_in(void *device, int id, const void *host, size_t bytes)
{
    return opal_accelerator.mem_copy(id, MCA_ACCELERATOR_NO_DEVICE_ID, device, host, bytes,
                                     MCA_ACCELERATOR_TRANSFER_HTOD);
}

static bool open_mpi_pin(void *host, size_t bytes)
{
    return OPAL_SUCCESS
           == opal_accelerator.host_register(MCA_ACCELERATOR_NO_DEVICE_ID, host, bytes);
}

static void open_mpi_unpin(void *host)
{
    (void) opal_accelerator.host_unregister(MCA_ACCELERATOR_NO_DEVICE_ID, host);
}

static nbrhood_device_t open_mpi_table = {NULL,
                                          true,
                                          open_mpi_holds,
                                          open_mpi_find_allocation,
                                          open_mpi_copy_out,
                                          open_mpi_copy_in,
                                          open_mpi_pin,
                                          open_mpi_unpin};

static const nbrhood_device_t *of_open_mpi(void)
{
    open_mpi_table.name = opal_accelerator_base_selected_component.base_version.mca_component_name;
    return '\0' != open_mpi_table.name[0] && 0 != strcmp(open_mpi_table.name, "null")
               ? &open_mpi_table
               : NULL;
}

#elif OPAL_CUDA_SUPPORT
#include "opal/datatype/opal_convertor.h"
#include "opal/datatype/opal_datatype_cuda.h"

static bool open_mpi_holds(const void *address, int *id)
{
    *id = 0; /* this interface has no number of the device */
    return opal_cuda_check_one_buf((char *) address, NULL);
}

/* Aborts the program if CUDA fails. */
static int open_mpi_copy_out(void *host, const void *device, int id, size_t bytes)
{
    (void) id;
    opal_cuda_memcpy_sync(host, device, bytes);
    return 0;
}

static int open_mpi_copy_in(void *device, int id, const void *host, size_t bytes)
{
    return open_mpi_copy_out(device, host, id, bytes);
}

/* Without pinning: Open MPI's function for that is in a library that components share, and
 * linking with it would tie this component to an Open MPI with CUDA. */
static const nbrhood_device_t open_mpi_table = {
    "cuda", true, open_mpi_holds, NULL, open_mpi_copy_out, open_mpi_copy_in, NULL, NULL};

static const nbrhood_device_t *of_open_mpi(void)
{
    return &open_mpi_table;
}

#else
static const nbrhood_device_t *of_open_mpi(void)
{
    return NULL;
}
#endif

/* ---- HIP itself, for an Open MPI without support for it, as all of 4.1. The component neither
 * links nor loads it: device memory comes from a HIP library that the program has loaded ---- */

#if NBRHOOD_HAVE_HIP
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

static opal_mutex_t hip_lock;
static bool hip_loaded;
static struct {
    __typeof__(&hipPointerGetAttributes) attributes;
    __typeof__(&hipMemGetAddressRange) range;
    __typeof__(&hipHostRegister) pin;
    __typeof__(&hipHostUnregister) unpin;
    __typeof__(&hipGetLastError) last_error;
    hipError_t (*copy)(void *to, const void *from, size_t bytes, hipMemcpyKind kind);
} hip;

static bool load_hip(void)
{
    void *library = dlopen(NBRHOOD_HIP_SONAME, RTLD_NOW | RTLD_NOLOAD);
    if (NULL == library) {
        return false;
    }
    if (FIND(hip, attributes, "hipPointerGetAttributes")
        && FIND(hip, range, "hipMemGetAddressRange") && FIND(hip, pin, "hipHostRegister")
        && FIND(hip, unpin, "hipHostUnregister") && FIND(hip, last_error, "hipGetLastError")
        && FIND(hip, copy, "hipMemcpy")) {
        return true; /* HIP stays loaded */
    }
    dlclose(library);
    return false;
}

/* Tested repeatedly, because the program may load HIP after MPI. */
static bool hip_is_loaded(void)
{
    if (!hip_loaded) {
        OPAL_THREAD_LOCK(&hip_lock);
        const bool now = hip_loaded || load_hip();
        opal_atomic_wmb();
        hip_loaded = now;
        OPAL_THREAD_UNLOCK(&hip_lock);
    }
    return hip_loaded;
}

/* HIP keeps the last error for the program, which must not see the errors of these queries. */
static bool answered(hipError_t error)
{
    if (hipSuccess != error) {
        (void) hip.last_error();
    }
    return hipSuccess == error;
}

static bool hip_holds(const void *address, int *id)
{
    hipPointerAttribute_t attributes;
    if (!hip_is_loaded() || !answered(hip.attributes(&attributes, address))) {
        return false;
    }
    *id = attributes.device;
#if HIP_VERSION_MAJOR >= 6
    return hipMemoryTypeDevice == attributes.type || hipMemoryTypeManaged == attributes.type
           || hipMemoryTypeUnified == attributes.type;
#else
    return hipMemoryTypeHost != attributes.memoryType || 0 != attributes.isManaged;
#endif
}

static bool hip_find_allocation(const void *address, int id, uintptr_t *begin, uintptr_t *end)
{
    hipDeviceptr_t base = NULL;
    size_t bytes = 0;
    (void) id;
    if (!answered(hip.range(&base, &bytes, (hipDeviceptr_t) address))
        || (uintptr_t) address - (uintptr_t) base >= bytes) {
        return false;
    }
    *begin = (uintptr_t) base;
    *end = *begin + bytes;
    return true;
}

static int hip_copy_out(void *host, const void *device, int id, size_t bytes)
{
    (void) id; /* one address space */
    return answered(hip.copy(host, device, bytes, hipMemcpyDeviceToHost)) ? 0 : OMPI_ERROR;
}

static int hip_copy_in(void *device, int id, const void *host, size_t bytes)
{
    (void) id;
    return answered(hip.copy(device, host, bytes, hipMemcpyHostToDevice)) ? 0 : OMPI_ERROR;
}

static bool hip_pin(void *host, size_t bytes)
{
    return answered(hip.pin(host, bytes, hipHostRegisterPortable));
}

static void hip_unpin(void *host)
{
    (void) answered(hip.unpin(host));
}

static const nbrhood_device_t hip_table = {
    "hip", false, hip_holds, hip_find_allocation, hip_copy_out, hip_copy_in, hip_pin, hip_unpin};

static const nbrhood_device_t *of_hip(void)
{
    if (0 != access("/dev/kfd", F_OK)) {
        return NULL; /* no GPU of AMD */
    }
    OBJ_CONSTRUCT(&hip_lock, opal_mutex_t);
    return &hip_table;
}

#else
static const nbrhood_device_t *of_hip(void)
{
    return NULL;
}
#endif

/* ---- The device of this process ---- */

static const nbrhood_device_t *find_device(int value)
{
    const nbrhood_device_t *device = NULL;
    switch (value) {
    case NBRHOOD_DEVICE_AUTO:
        device = of_open_mpi();
        return NULL != device ? device : of_hip();
    case NBRHOOD_DEVICE_OPEN_MPI:
        return of_open_mpi();
    case NBRHOOD_DEVICE_HIP:
        return of_hip();
    case NBRHOOD_DEVICE_TEST:
        return dlsym(RTLD_DEFAULT, NBRHOOD_TEST_DEVICE);
    default:
        return NULL;
    }
}

void nbrhood_device_open(void)
{
    const int value = nbrhood_number(NBRHOOD_PARAMETER_DEVICE);
    nbrhood_device = find_device(value);
    if (NULL == nbrhood_device && NBRHOOD_DEVICE_AUTO != value && NBRHOOD_DEVICE_NONE != value) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "no device", true, nbrhood_device_name(value));
    }
}

/* ---- Whether the PML takes addresses on the device. ob1 does if Open MPI supports the device:
 * its convertors copy with the accelerator's functions, and it does not use RDMA. UCX answers
 * the question itself. Other PMLs are taken not to ---- */

/* The required part of UCX's interface (ucp/api/ucp_def.h), the same in all releases 1.x. UCX's
 * headers need not be installed, and the library is the one that the PML uses. */
typedef struct ucx_params_t {
    uint64_t field_mask, features;
    char others[512];
} ucx_params_t;
typedef struct ucx_attributes_t {
    uint64_t field_mask;
    size_t request_size;
    int thread_mode;
    uint64_t memory_types;
    char others[512];
} ucx_attributes_t;
enum {
    UCX_PARAM_FEATURES = 1 << 0,
    UCX_FEATURE_TAG = 1 << 0,
    UCX_ATTRIBUTE_MEMORY_TYPES = 1 << 2,
    UCX_MEMORY_CUDA = 1 << 1,
    UCX_MEMORY_ROCM = 1 << 3
};
static struct {
    int (*read)(const char *prefix, const char *file, void **config);
    void (*release)(void *config);
    int (*init)(unsigned major, unsigned minor, const ucx_params_t *params, const void *config,
                void **context);
    int (*query)(void *context, ucx_attributes_t *attributes);
    void (*cleanup)(void *context);
} ucx;

/* The types of memory that a UCX context supports. The context is made like the PML's, from the
 * same variables, such as UCX_TLS. 0: none. */
static uint64_t ucx_memory_types(void)
{
    const ucx_params_t params = {UCX_PARAM_FEATURES, UCX_FEATURE_TAG, {0}};
    ucx_attributes_t attributes = {UCX_ATTRIBUTE_MEMORY_TYPES, 0, 0, 0, {0}};
    void *config = NULL, *context = NULL;
    void *library = dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD);
    if (NULL == library) {
        return 0;
    }
    if (FIND(ucx, read, "ucp_config_read") && FIND(ucx, release, "ucp_config_release")
        && FIND(ucx, init, "ucp_init_version") && FIND(ucx, query, "ucp_context_query")
        && FIND(ucx, cleanup, "ucp_cleanup") && 0 == ucx.read("MPI", NULL, &config)) {
        if (0 == ucx.init(1, 0, &params, config, &context)) {
            if (0 != ucx.query(context, &attributes)) {
                attributes.memory_types = 0;
            }
            ucx.cleanup(context);
        }
        ucx.release(config);
    }
    dlclose(library);
    return attributes.memory_types;
}

/* device: the name of one of Open MPI's accelerators, or of HIP. */
static bool ucx_takes(const char *device)
{
    const uint64_t type = 0 == strcmp(device, "cuda") ? UCX_MEMORY_CUDA
                          : 0 == strcmp(device, "rocm") || 0 == strcmp(device, "hip")
                              ? UCX_MEMORY_ROCM
                              : 0;
    return 0 != type && 0 != (ucx_memory_types() & type);
}

static nbrhood_pml_reach_t find_reach(void)
{
    const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;
    const bool takes = 0 == strcmp(pml, "ob1")   ? nbrhood_device->known_to_open_mpi
                       : 0 == strcmp(pml, "ucx") ? ucx_takes(nbrhood_device->name)
                                                 : false;
    return !takes                              ? NBRHOOD_PML_TAKES_NONE
           : nbrhood_device->known_to_open_mpi ? NBRHOOD_PML_TAKES_ALL
                                               : NBRHOOD_PML_TAKES_CONTIGUOUS;
}

nbrhood_pml_reach_t nbrhood_pml_reach(void)
{
    static bool looked;
    static nbrhood_pml_reach_t reach;
    OPAL_THREAD_LOCK(&nbrhood_state.lock);
    if (!looked) {
        looked = true;
        reach = find_reach();
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return reach;
}
