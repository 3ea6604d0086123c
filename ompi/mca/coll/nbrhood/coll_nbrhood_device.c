/* Which accelerator's memory the buffers of calls may be in. */
#include "coll_nbrhood.h"

#include <dlfcn.h>

#include "coll_nbrhood_device.h"

const nbrhood_device_t *nbrhood_device;

static const nbrhood_device_t *find(int value)
{
    const nbrhood_device_t *device = NULL;
    switch (value) {
    case NBRHOOD_DEVICE_AUTO:
        device = nbrhood_device_of_open_mpi();
        return NULL != device ? device : nbrhood_device_of_hip();
    case NBRHOOD_DEVICE_OPEN_MPI:
        return nbrhood_device_of_open_mpi();
    case NBRHOOD_DEVICE_HIP:
        return nbrhood_device_of_hip();
    case NBRHOOD_DEVICE_TEST:
        return dlsym(RTLD_DEFAULT, NBRHOOD_TEST_DEVICE);
    default:
        return NULL;
    }
}

void nbrhood_device_open(void)
{
    const int value = nbrhood_number(NBRHOOD_PARAMETER_DEVICE);
    nbrhood_device = find(value);
    if (NULL == nbrhood_device && NBRHOOD_DEVICE_AUTO != value && NBRHOOD_DEVICE_NONE != value) {
        opal_show_help("help-mpi-coll-nbrhood.txt", "no device", true, nbrhood_device_name(value));
    }
}
