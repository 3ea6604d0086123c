/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Messages about differences between the processes of a job. Each process publishes its parameters
 * that are not at their defaults. The text is read only if checksums show a difference.
 */
#include "coll_nbrhood_presence.h"
#include "coll_nbrhood_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "opal/mca/base/mca_base_var.h"

#define TEXT_KEY "coll.nbrhood.text"

/* The room for the parameters of one process. Messages omit parameters that do not fit. */
enum { TEXT_ROOM = 4096, VALUE_ROOM = 256 };

bool nbrhood_line_parse(const char *text, nbrhood_line_t *line)
{
    return NULL != text
           && 9
                  == sscanf(text, "%d %d %" SCNx32 " %d %d %d %d %" SCNx64 " %" SCNx64,
                            &line->format, &line->core, &line->names, &line->hook,
                            &line->coll_priority, &line->topo_priority, &line->at_creation,
                            &line->serving, &line->all)
           && NBRHOOD_LINE_FORMAT == line->format;
}

static bool begins_with(const char *text, const char *beginning)
{
    return 0 == strncmp(text, beginning, strlen(beginning));
}

/* ---- The variables of the coll and topo frameworks ---- */

/* Whether a variable can change the functions of communicators. */
static bool selects(const char *name)
{
    const char *verbose = strstr(name, "verbose");
    return (begins_with(name, "coll") || begins_with(name, "topo"))
           && !begins_with(name, "coll_nbrhood_") && NULL == verbose;
}

/* Writes the value that a user gave variable number i, if that is such a variable. */
static bool find_selecting(int i, const char **name, char *value)
{
    const mca_base_var_t *variable;
    const mca_base_var_storage_t *storage = NULL;
    if (OPAL_SUCCESS != mca_base_var_get(i, &variable)
        || MCA_BASE_VAR_SOURCE_DEFAULT == variable->mbv_source || !selects(variable->mbv_full_name)
        || OPAL_SUCCESS != mca_base_var_get_value(i, &storage, NULL, NULL) || NULL == storage) {
        return false;
    }
    *name = variable->mbv_full_name;
    switch (variable->mbv_type) {
    case MCA_BASE_VAR_TYPE_STRING:
    case MCA_BASE_VAR_TYPE_VERSION_STRING:
        snprintf(value, VALUE_ROOM, "%s", NULL != storage->stringval ? storage->stringval : "");
        break;
    case MCA_BASE_VAR_TYPE_BOOL:
        snprintf(value, VALUE_ROOM, "%d", storage->boolval);
        break;
    case MCA_BASE_VAR_TYPE_DOUBLE:
        snprintf(value, VALUE_ROOM, "%a", storage->lfval);
        break;
    default: /* the lower half of other numbers suffices */
        snprintf(value, VALUE_ROOM, "%d", storage->intval);
        break;
    }
    return true;
}

static uint64_t add_text(uint64_t checksum, const char *text)
{
    for (; '\0' != *text; ++text) {
        checksum = (checksum ^ (unsigned char) *text) * UINT64_C(0x100000001b3); /* FNV-1a */
    }
    return checksum;
}

/* Independent of the order of variables, which changes if a component is missing.
 */
uint64_t nbrhood_frameworks_checksum(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < mca_base_var_get_count(); ++i) {
        const char *name;
        char value[VALUE_ROOM];
        if (find_selecting(i, &name, value)) {
            sum += add_text(add_text(1, name), value);
        }
    }
    return sum;
}

/* ---- The text of this process ---- */

typedef struct text_t {
    char text[TEXT_ROOM];
    size_t length;
} text_t;

static void add_line(text_t *to, const char *prefix, const char *name, const char *value)
{
    const size_t room = sizeof to->text - to->length;
    const int length = snprintf(to->text + to->length, room, "%s%s=%s\n", prefix, name, value);
    if (length > 0 && (size_t) length < room) {
        to->length += (size_t) length;
    } else {
        to->text[to->length] = '\0';
    }
}

static bool is_usual(const nbrhood_parameter *parameter, nbrhood_value value)
{
    switch (parameter->type) {
    case NBRHOOD_TEXT:
        return NULL == value.text || '\0' == *value.text;
    case NBRHOOD_BYTES:
        return parameter->usual.bytes == value.bytes;
    case NBRHOOD_FLAG:
        return parameter->usual.flag == value.flag;
    default:
        return parameter->usual.number == value.number;
    }
}

static void write_value(const nbrhood_parameter *parameter, nbrhood_value value, char *text)
{
    switch (parameter->type) {
    case NBRHOOD_TEXT:
        snprintf(text, VALUE_ROOM, "%s", value.text);
        break;
    case NBRHOOD_BYTES:
        snprintf(text, VALUE_ROOM, "%u", value.bytes);
        break;
    case NBRHOOD_FLAG:
        snprintf(text, VALUE_ROOM, "%s", value.flag ? "true" : "false");
        break;
    case NBRHOOD_NAME:
        snprintf(text, VALUE_ROOM, "%s", parameter->name_of(value.number));
        break;
    default:
        snprintf(text, VALUE_ROOM, "%d", value.number);
        break;
    }
}

/* Adds the named algorithms; if the one parameter for all collectives accounts for all of them,
 * adds only that. */
static void add_algorithms(text_t *to)
{
    const int *choice = nbrhood_state.algorithm;
    bool all_equal = true;
    for (int c = 1; c < NBRHOOD_COLLECTIVES; ++c) {
        all_equal = all_equal && choice[c] == choice[0];
    }
    for (int c = 0; c < (all_equal ? 1 : NBRHOOD_COLLECTIVES); ++c) {
        char prefix[VALUE_ROOM];
        snprintf(prefix, sizeof prefix, "coll_nbrhood_%s%s",
                 all_equal ? "" : nbrhood_collective_name(c), all_equal ? "" : "_");
        if (NBRHOOD_CHOICE_AUTO != choice[c]) {
            add_line(to, prefix, "algorithm", nbrhood_choice_name(choice[c]));
        }
    }
}

static void add_parameters(text_t *to)
{
    nbrhood_parameter parameter;
    char value[VALUE_ROOM];
    for (int i = 0; i < NBRHOOD_MOST_PARAMETERS && nbrhood_parameter_describe(i, &parameter); ++i) {
        if (parameter.equal && NBRHOOD_PARAMETER_PRIORITY != i /* it is in the line */
            && !is_usual(&parameter, nbrhood_state.values[i])) {
            write_value(&parameter, nbrhood_state.values[i], value);
            add_line(to, "coll_nbrhood_", parameter.name, value);
        }
    }
    add_algorithms(to);
    if (NULL != nbrhood_state.costs) { /* files with the same name may differ */
        const nbrhood_settings none = {0}, settings = {.costs = nbrhood_state.costs};
        snprintf(
            value, sizeof value, "%08" PRIx32,
            (uint32_t) (nbrhood_settings_checksum(&settings) - nbrhood_settings_checksum(&none)));
        add_line(to, "checksum of the file coll_nbrhood_costs", "", value);
    }
}

void nbrhood_differences_put(void)
{
    text_t own = {.length = 0};
    add_parameters(&own);
    for (int i = 0; i < mca_base_var_get_count(); ++i) {
        const char *name;
        char value[VALUE_ROOM];
        if (find_selecting(i, &name, value)) {
            add_line(&own, "", name, value);
        }
    }
    if (0 < own.length) {
        (void) nbrhood_modex_put(TEXT_KEY, own.text); /* a failure only shortens messages */
    }
}

/* ---- The texts of other processes ---- */

/* All lines of a process; NULL when there is no memory. */
static char *describe(uint32_t number)
{
    opal_process_name_t name = *OMPI_PROC_MY_NAME;
    nbrhood_line_t line;
    char *result = NULL;
    name.vpid = number;
    char *told = nbrhood_modex_get(name, NBRHOOD_LINE_KEY, false);
    if (nbrhood_line_parse(told, &line)) {
        char *text = nbrhood_modex_get(name, TEXT_KEY, false);
        char topo[32] = "missing or excluded";
        if (NBRHOOD_NO_TOPO != line.topo_priority) {
            snprintf(topo, sizeof topo, "%d", line.topo_priority);
        }
        const int rc = asprintf(
            &result,
            "coll/nbrhood=version %d.%d (algorithms and parameters %08" PRIx32 ")\n"
            "coll_nbrhood_priority=%d\ntopo_nbrhood_priority=%s\n%s",
            line.core, line.hook, line.names, line.coll_priority, topo, NULL != text ? text : "");
        result = rc < 0 ? NULL : result;
        free(text);
    } else {
        char *host = nbrhood_modex_get(name, NBRHOOD_HOST_KEY, true);
        const int rc = asprintf(&result, "coll/nbrhood=%s (host %s)\n",
                                NULL == told ? "missing or excluded" : "another version",
                                NULL != host ? host : "unknown");
        result = rc < 0 ? NULL : result;
        free(host);
    }
    free(told);
    return result;
}

void nbrhood_differences_write(const uint32_t *numbers, const int *ranks, int count,
                               const char *before, const char *after, char *result, size_t room)
{
    char **texts = calloc((size_t) count, sizeof *texts);
    bool complete = NULL != texts;
    result[0] = '\0';
    for (int i = 0; complete && i < count; ++i) {
        texts[i] = describe(numbers[i]);
        complete = NULL != texts[i];
    }
    if (complete) {
        nbrhood_describe_differences(count, ranks, (const char *const *) texts, before, after,
                                     result, room);
    }
    for (int i = 0; NULL != texts && i < count; ++i) {
        free(texts[i]);
    }
    free(texts);
}

/* The topic's arguments are the number of the group's ranks and the list of differences. */
void nbrhood_differences_show(const char *topic, ompi_group_t *group)
{
    const int size = ompi_group_size(group);
    const int count = size < NBRHOOD_MOST_TOLD ? size : NBRHOOD_MOST_TOLD;
    uint32_t *numbers = malloc((size_t) count * sizeof *numbers);
    int *ranks = malloc((size_t) count * sizeof *ranks);
    char text[NBRHOOD_DIFFERENCES_ROOM] = "";
    if (NULL != numbers && NULL != ranks) {
        for (int i = 0; i < count; ++i) {
            ranks[i] = i;
            numbers[i] = ompi_group_get_proc_name(group, i).vpid;
        }
        nbrhood_differences_write(numbers, ranks, count, "  ", "\n", text, sizeof text);
    }
    const size_t length = strlen(text);
    if (0 < length && '\n' == text[length - 1]) {
        text[length - 1] = '\0'; /* the text of the topic has its own line end */
    }
    opal_show_help("help-mpi-coll-nbrhood.txt", topic, true, size,
                   0 < length ? text : "  (what could not be found out)");
    free(numbers);
    free(ranks);
}
