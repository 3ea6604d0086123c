/* Which network joins the nodes: it decides which costs are built in for `auto`. */
#include "coll_nbrhood.h"

#include <dirent.h>

#include "ompi/mca/pml/base/base.h"
#include "opal/mca/btl/base/base.h"

/* Whether this node has an InfiniBand adapter, or one that passes for it. */
static bool has_verbs(void)
{
    DIR *devices = opendir("/sys/class/infiniband");
    bool any = false;
    const struct dirent *entry;
    while (NULL != devices && !any && NULL != (entry = readdir(devices))) {
        any = '.' != entry->d_name[0];
    }
    if (NULL != devices) {
        closedir(devices);
    }
    return any;
}

/* Whether ob1 has TCP and nothing faster to reach other nodes. */
static bool btls_are_tcp(void)
{
    static const char *const inside[] = {"self", "sm", "vader", "smcuda"};
    const mca_btl_base_selected_module_t *selected;
    bool tcp = false;
    OPAL_LIST_FOREACH(selected, &mca_btl_base_modules_initialized, mca_btl_base_selected_module_t)
    {
        const char *name = selected->btl_component->btl_version.mca_component_name;
        bool other = 0 != strcmp(name, "tcp");
        tcp = tcp || !other;
        for (size_t i = 0; i < sizeof inside / sizeof inside[0]; ++i) {
            other = other && 0 != strcmp(name, inside[i]);
        }
        if (other) {
            return false;
        }
    }
    return tcp;
}

bool nbrhood_over_tcp(void)
{
    static enum { NOT_LOOKED, NO, YES } found = NOT_LOOKED;
    if (NOT_LOOKED == found) {
        const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;
        found =
            (0 == strcmp(pml, "ucx") && !has_verbs()) || (0 == strcmp(pml, "ob1") && btls_are_tcp())
                ? YES
                : NO;
    }
    return YES == found;
}
