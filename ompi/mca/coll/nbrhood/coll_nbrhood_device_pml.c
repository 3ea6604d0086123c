/* Whether the PML takes addresses on the device. ob1 does where Open MPI knows the device: its
 * convertors copy by the accelerator, and it leaves RDMA aside. UCX says it itself. Of others
 * nothing is known.
 */
#include "coll_nbrhood_on_device.h"

#include <dlfcn.h>

#include "ompi/mca/pml/base/base.h"

#include "coll_nbrhood_device.h"

/* What is needed of UCX's interface (ucp/api/ucp_def.h), the same in all releases 1.x. Its headers
 * need not be there, and the library is that of the PML. */
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

#define FIND(function, name) (NULL != (*(void **) &ucx.function = dlsym(library, name)))

/* The memories that a context knows which is made as the PML makes its own: from the same
 * variables, among them UCX_TLS. 0: none. */
static uint64_t ucx_memory_types(void)
{
    const ucx_params_t params = {UCX_PARAM_FEATURES, UCX_FEATURE_TAG, {0}};
    ucx_attributes_t attributes = {UCX_ATTRIBUTE_MEMORY_TYPES, 0, 0, 0, {0}};
    void *config = NULL, *context = NULL;
    void *library = dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD);
    if (NULL == library) {
        return 0;
    }
    if (FIND(read, "ucp_config_read") && FIND(release, "ucp_config_release")
        && FIND(init, "ucp_init_version") && FIND(query, "ucp_context_query")
        && FIND(cleanup, "ucp_cleanup") && 0 == ucx.read("MPI", NULL, &config)) {
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

/* The names of devices are those of Open MPI's accelerators, and HIP's. */
static bool ucx_takes(const char *device)
{
    const uint64_t type = 0 == strcmp(device, "cuda") ? UCX_MEMORY_CUDA
                          : 0 == strcmp(device, "rocm") || 0 == strcmp(device, "hip")
                              ? UCX_MEMORY_ROCM
                              : 0;
    return 0 != type && 0 != (ucx_memory_types() & type);
}

static nbrhood_pml_reach_t find(void)
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
        reach = find();
    }
    OPAL_THREAD_UNLOCK(&nbrhood_state.lock);
    return reach;
}
