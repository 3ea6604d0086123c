/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* Messages to the user, for releases of Open MPI that read no message files. The texts come from
 * this component's file. Like all messages they go to mpirun, which prints equal ones once.
 */
#include "coll_nbrhood_compat.h"

#ifdef NBRHOOD_SHOWS_HELP

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char line[] =
    "--------------------------------------------------------------------------\n";

/* The text after [topic] in the file; the caller frees it. NULL: there is none. */
static char *text_of(const char *name, const char *topic)
{
    char path[4096], *row = NULL, *text = NULL;
    size_t room = 0, length = 0, size = 0;
    bool inside = false;
    snprintf(path, sizeof path, "%s/%s", NBRHOOD_HELP_DIR, name);
    FILE *file = fopen(path, "r");
    FILE *out = NULL == file ? NULL : open_memstream(&text, &size);
    while (NULL != out && getline(&row, &room, file) > 0) {
        if ('[' == row[0]) {
            length = strlen(topic);
            inside = 0 == strncmp(row + 1, topic, length) && ']' == row[1 + length];
        } else if (inside && '#' != row[0]) {
            fputs(row, out);
        }
    }
    free(row);
    if (NULL != out) {
        fclose(out);
    }
    if (NULL != file) {
        fclose(file);
    }
    if (0 == size) {
        free(text);
        return NULL;
    }
    return text;
}

/* Sends the text to mpirun, or prints it in this process if mpirun does not get it. This waits for
 * mpirun's answer: a callback might come when MPI_Finalize has unloaded this component.
 */
static void tell(const char *name, const char *topic, const char *text)
{
    enum { DIRECTIVES = 3 };
    bool once = true;
    pmix_info_t output, directives[DIRECTIVES];
    PMIX_INFO_LOAD(&output, PMIX_LOG_STDERR, text, PMIX_STRING);
    PMIX_INFO_LOAD(&directives[0], PMIX_LOG_AGG, &once, PMIX_BOOL); /* suppresses equal messages */
    PMIX_INFO_LOAD(&directives[1], PMIX_LOG_KEY, name, PMIX_STRING);
    PMIX_INFO_LOAD(&directives[2], PMIX_LOG_VAL, topic, PMIX_STRING);
    const pmix_status_t status = PMIx_Log(&output, 1, directives, DIRECTIVES);
    if (PMIX_SUCCESS != status && PMIX_OPERATION_SUCCEEDED != status) {
        fputs(text, stderr);
    }
    PMIX_INFO_DESTRUCT(&output);
    for (int each = 0; each < DIRECTIVES; ++each) {
        PMIX_INFO_DESTRUCT(&directives[each]);
    }
}

int nbrhood_show_help(const char *name, const char *topic, int with_lines, ...)
{
    va_list values;
    char *text = NULL, *filled = NULL;
    size_t size = 0;
    char *format = text_of(name, topic);
    FILE *out = open_memstream(&text, &size);
    if (NULL == out) {
        free(format);
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    fputs(with_lines ? line : "", out);
    va_start(values, with_lines);
    if (NULL == format) {
        fprintf(out, "Sorry!  The text \"%s\" is not in %s/%s.\n", topic, NBRHOOD_HELP_DIR, name);
    } else if (vasprintf(&filled, format, values) >= 0) {
        fputs(filled, out);
        free(filled);
    }
    va_end(values);
    fputs(with_lines ? line : "", out);
    fclose(out);
    free(format);
    tell(name, topic, text);
    free(text);
    return OPAL_SUCCESS;
}

#endif
