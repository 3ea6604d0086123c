/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* For Open MPI 5.0 and later: an accelerator component that presents the imitated device of
 * nbrhood-verify (common_device.cc) to Open MPI, so that its convertor, its PML and coll/nbrhood
 * use it like a real one. If the program has no such device, as in mpirun, the component does not
 * offer itself.
 */
#include "opal_config.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "coll_nbrhood_device.h"
#include "opal/constants.h"
#include "opal/mca/accelerator/accelerator.h"
#include "opal/mca/accelerator/base/base.h"

static const nbrhood_device_t *device;

static int check_addr(const void *address, int *id, uint64_t *flags)
{
    *flags = 0;
    return device->holds(address, id) ? 1 : 0;
}

static int create_stream(int id, opal_accelerator_stream_t **stream)
{
    (void) id;
    *stream = OBJ_NEW(opal_accelerator_stream_t);
    return OPAL_SUCCESS;
}

#if OPAL_MAJOR_VERSION < 6
static int create_event(int id, opal_accelerator_event_t **event)
{
#else
static int create_event(int id, opal_accelerator_event_t **event, bool between_processes)
{
    (void) between_processes;
#endif
    (void) id;
    *event = OBJ_NEW(opal_accelerator_event_t);
    return OPAL_SUCCESS;
}

/* All work is done when a call returns. */
static int record_event(int id, opal_accelerator_event_t *event, opal_accelerator_stream_t *stream)
{
    (void) id;
    (void) event;
    (void) stream;
    return OPAL_SUCCESS;
}

static int query_event(int id, opal_accelerator_event_t *event)
{
    (void) id;
    (void) event;
    return OPAL_SUCCESS;
}

/* Callers in Open MPI name no device, or an arbitrary one. coll/nbrhood names the right one, which
 * the table checks.
 */
static int number(int named, int found)
{
    return MCA_ACCELERATOR_NO_DEVICE_ID == named ? found : named;
}

static int mem_copy(int to_id, int from_id, void *to, const void *from, size_t bytes,
                    opal_accelerator_transfer_type_t type)
{
    int to_found, from_found, rc;
    const bool in = device->holds(to, &to_found), out = device->holds(from, &from_found);
    (void) type;
    if (in && out) {
        void *between = malloc(bytes);
        rc = NULL == between ? OPAL_ERR_OUT_OF_RESOURCE
                             : device->copy_out(between, from, from_found, bytes);
        if (OPAL_SUCCESS == rc) {
            rc = device->copy_in(to, to_found, between, bytes);
        }
        free(between);
        return rc;
    }
    if (out) {
        return device->copy_out(to, from, number(from_id, from_found), bytes);
    }
    if (in) {
        return device->copy_in(to, number(to_id, to_found), from, bytes);
    }
    memmove(to, from, bytes);
    return OPAL_SUCCESS;
}

static int mem_copy_async(int to_id, int from_id, void *to, const void *from, size_t bytes,
                          opal_accelerator_stream_t *stream, opal_accelerator_transfer_type_t type)
{
    (void) stream;
    return mem_copy(to_id, from_id, to, from, bytes, type);
}

static int mem_alloc(int id, void **at, size_t bytes)
{
    (void) id;
    (void) at;
    (void) bytes;
    return OPAL_ERR_NOT_IMPLEMENTED;
}

static int mem_release(int id, void *at)
{
    (void) id;
    (void) at;
    return OPAL_ERR_NOT_IMPLEMENTED;
}

static int get_address_range(int id, const void *at, void **base, size_t *bytes)
{
    uintptr_t begin, end;
    if (!device->find_allocation(at, id, &begin, &end)) {
        return OPAL_ERR_NOT_FOUND;
    }
    *base = (void *) begin;
    *bytes = end - begin;
    return OPAL_SUCCESS;
}

static int host_register(int id, void *at, size_t bytes)
{
    (void) id;
    return device->pin(at, bytes) ? OPAL_SUCCESS : OPAL_ERROR;
}

static int host_unregister(int id, void *at)
{
    (void) id;
    device->unpin(at);
    return OPAL_SUCCESS;
}

static int get_device(int *id)
{
    *id = 0;
    return OPAL_SUCCESS;
}

static int get_device_pci_attr(int id, opal_accelerator_pci_attr_t *attributes)
{
    (void) id;
    (void) attributes;
    return OPAL_ERR_NOT_IMPLEMENTED;
}

static int device_can_access_peer(int *access, int first, int second)
{
    (void) first;
    (void) second;
    *access = 0;
    return OPAL_SUCCESS;
}

static int get_buffer_id(int id, const void *at, opal_accelerator_buffer_id_t *buffer)
{
    (void) id;
    (void) at;
    *buffer = 0;
    return OPAL_SUCCESS;
}

#if OPAL_MAJOR_VERSION >= 6
static int sync_stream(opal_accelerator_stream_t *stream)
{
    (void) stream;
    return OPAL_SUCCESS;
}

static int mem_alloc_stream(int id, void **at, size_t bytes, opal_accelerator_stream_t *stream)
{
    (void) stream;
    return mem_alloc(id, at, bytes);
}

static int mem_release_stream(int id, void *at, opal_accelerator_stream_t *stream)
{
    (void) stream;
    return mem_release(id, at);
}

/* Without it the functions for handles of other processes are not called. */
static bool is_ipc_enabled(void)
{
    return false;
}

static int num_devices(int *count)
{
    *count = 1;
    return OPAL_SUCCESS;
}

static int get_mem_bw(int id, float *bandwidth)
{
    (void) id;
    *bandwidth = 1.0f;
    return OPAL_SUCCESS;
}

static void get_memkind(ompi_memkind_t *kind)
{
    kind->im_name = NULL;
    kind->im_no_restrictors = false;
    kind->im_num_restrictors = 0;
}
#endif

static opal_accelerator_base_module_t module = {
    .check_addr = check_addr,
    .create_stream = create_stream,
    .create_event = create_event,
    .record_event = record_event,
    .query_event = query_event,
    .mem_copy_async = mem_copy_async,
    .mem_copy = mem_copy,
    .mem_move = mem_copy,
    .mem_alloc = mem_alloc,
    .mem_release = mem_release,
    .get_address_range = get_address_range,
    .host_register = host_register,
    .host_unregister = host_unregister,
    .get_device = get_device,
    .get_device_pci_attr = get_device_pci_attr,
    .device_can_access_peer = device_can_access_peer,
    .get_buffer_id = get_buffer_id,
#if OPAL_MAJOR_VERSION >= 6
    .sync_stream = sync_stream,
    .wait_event = record_event,
    .mem_move_async = mem_copy_async,
    .mem_alloc_stream = mem_alloc_stream,
    .mem_release_stream = mem_release_stream,
    .is_ipc_enabled = is_ipc_enabled,
    .num_devices = num_devices,
    .get_mem_bw = get_mem_bw,
    .get_memkind = get_memkind,
#endif
};

static opal_accelerator_base_module_t *init(void)
{
    device = dlsym(RTLD_DEFAULT, NBRHOOD_TEST_DEVICE);
    return NULL != device ? &module : NULL;
}

static void finalize(opal_accelerator_base_module_t *own)
{
    (void) own;
}

OPAL_DECLSPEC extern opal_accelerator_base_component_t mca_accelerator_imitated_component;
opal_accelerator_base_component_t mca_accelerator_imitated_component = {
    .base_version =
        {
            OPAL_ACCELERATOR_BASE_VERSION_1_0_0,
            .mca_component_name = "imitated",
            MCA_BASE_MAKE_VERSION(component, OPAL_MAJOR_VERSION, OPAL_MINOR_VERSION,
                                  OPAL_RELEASE_VERSION),
        },
    .base_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .accelerator_init = init,
    .accelerator_finalize = finalize,
};
