/* HIP itself, for an Open MPI that does not know it: 4.1 never does. Nothing is linked with it, and
 * nothing loaded: device memory comes from a HIP library that the program has.
 */
#include "coll_nbrhood.h"

#include "coll_nbrhood_device.h"

#if NBRHOOD_HAVE_HIP
#define __HIP_PLATFORM_AMD__ 1
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <unistd.h>

#define TEXT_OF(number) TEXT(number)
#define TEXT(number) #number
#define LIBRARY "libamdhip64.so." TEXT_OF(HIP_VERSION_MAJOR)

static opal_mutex_t lock;
static bool loaded;
static struct {
    __typeof__(&hipPointerGetAttributes) attributes;
    __typeof__(&hipMemGetAddressRange) range;
    __typeof__(&hipHostRegister) pin;
    __typeof__(&hipHostUnregister) unpin;
    __typeof__(&hipGetLastError) last_error;
    hipError_t (*copy)(void *to, const void *from, size_t bytes, hipMemcpyKind kind);
} hip;

#define FIND(function, name) (NULL != (*(void **) &hip.function = dlsym(library, name)))

static bool load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    if (NULL == library) {
        return false;
    }
    if (FIND(attributes, "hipPointerGetAttributes") && FIND(range, "hipMemGetAddressRange")
        && FIND(pin, "hipHostRegister") && FIND(unpin, "hipHostUnregister")
        && FIND(last_error, "hipGetLastError") && FIND(copy, "hipMemcpy")) {
        return true; /* and stays in the process */
    }
    dlclose(library);
    return false;
}

/* The program may load HIP later than MPI. */
static bool is_loaded(void)
{
    if (!loaded) {
        OPAL_THREAD_LOCK(&lock);
        const bool now = loaded || load();
        opal_atomic_wmb();
        loaded = now;
        OPAL_THREAD_UNLOCK(&lock);
    }
    return loaded;
}

/* The library keeps the last error for the program, which is not to see those of questions. */
static bool answered(hipError_t error)
{
    if (hipSuccess != error) {
        (void) hip.last_error();
    }
    return hipSuccess == error;
}

static bool holds(const void *address, int *id)
{
    hipPointerAttribute_t attributes;
    if (!is_loaded() || !answered(hip.attributes(&attributes, address))) {
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

static bool find_allocation(const void *address, int id, uintptr_t *begin, uintptr_t *end)
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

static int copy_out(void *host, const void *device, int id, size_t bytes)
{
    (void) id; /* one address space */
    return answered(hip.copy(host, device, bytes, hipMemcpyDeviceToHost)) ? 0 : OMPI_ERROR;
}

static int copy_in(void *device, int id, const void *host, size_t bytes)
{
    (void) id;
    return answered(hip.copy(device, host, bytes, hipMemcpyHostToDevice)) ? 0 : OMPI_ERROR;
}

static bool pin(void *host, size_t bytes)
{
    return answered(hip.pin(host, bytes, hipHostRegisterPortable));
}

static void unpin(void *host)
{
    (void) answered(hip.unpin(host));
}

static const nbrhood_device_t table = {"hip",    false,   holds, find_allocation,
                                       copy_out, copy_in, pin,   unpin};

const nbrhood_device_t *nbrhood_device_of_hip(void)
{
    if (0 != access("/dev/kfd", F_OK)) {
        return NULL; /* no GPU of AMD */
    }
    OBJ_CONSTRUCT(&lock, opal_mutex_t);
    return &table;
}

#else
const nbrhood_device_t *nbrhood_device_of_hip(void)
{
    return NULL;
}
#endif
