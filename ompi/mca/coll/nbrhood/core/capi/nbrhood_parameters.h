/* SPDX-License-Identifier: BSD-3-Clause-Open-MPI
 * Copyright (c) The coll/nbrhood authors. */

/* All parameters but those that name algorithms, from the core's tables. */
#ifndef NBRHOOD_PARAMETERS_H
#define NBRHOOD_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "../select/parameters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types, in the order of enum class ValueType, and the value of a parameter. */
enum { NBRHOOD_NUMBER, NBRHOOD_BYTES, NBRHOOD_FLAG, NBRHOOD_NAME, NBRHOOD_TEXT };
typedef union nbrhood_value {
    int number; /* also of NBRHOOD_NAME */
    unsigned bytes;
    bool flag;
    char *text; /* NULL: none */
} nbrhood_value;

typedef struct nbrhood_parameter {
    const char *name; /* after "coll_nbrhood_" */
    int type;
    int level;                         /* of ompi_info, 1 to 9 */
    bool equal;                        /* must be equal on all ranks */
    nbrhood_value usual;               /* the default */
    long least, most;                  /* not of texts; names may end before `most` */
    const char *(*name_of)(int value); /* of NBRHOOD_NAME; NULL past the last value */
    char help[1024];
    char range[96]; /* "1 to 1000" */
} nbrhood_parameter;

/* Parameters have the numbers from 0 on, in the order of the core's parameters(). False past the
 * last, or if there is no memory. */
bool nbrhood_parameter_describe(int number, nbrhood_parameter *result);
enum { NBRHOOD_MOST_PARAMETERS = 64 };

/* The component's own parameters: NBRHOOD_PARAMETER_PRIORITY and so on. */
#define NBRHOOD_PARAMETER_NUMBER(name, declaration) NBRHOOD_PARAMETER_##name,
enum { NBRHOOD_OWN_PARAMETERS(NBRHOOD_PARAMETER_NUMBER) NBRHOOD_OWN_PARAMETER_COUNT };
#undef NBRHOOD_PARAMETER_NUMBER

/* Whether these values (one for each parameter) need domains from the node's hwloc topology: as
 * regions, or as packages of leader_scatter. */
bool nbrhood_asks_for_domains(const nbrhood_value *values);

/* Values of NBRHOOD_PARAMETER_REPORT, in the order of enum class Report. */
enum { NBRHOOD_REPORT_NONE, NBRHOOD_REPORT_COMMUNICATORS, NBRHOOD_REPORT_TOTALS };

/* Values of NBRHOOD_PARAMETER_DEVICE, in the order of enum class Device. */
enum {
    NBRHOOD_DEVICE_AUTO,
    NBRHOOD_DEVICE_NONE,
    NBRHOOD_DEVICE_OPEN_MPI,
    NBRHOOD_DEVICE_HIP,
    NBRHOOD_DEVICE_TEST
};
const char *nbrhood_device_name(int value); /* NULL past the last */

/* Values of NBRHOOD_PARAMETER_ALLTOALLV_ALGORITHM, in the order of enum class PairChoice. */
enum { NBRHOOD_ALLTOALLV_AUTO, NBRHOOD_ALLTOALLV_DEFAULT, NBRHOOD_ALLTOALLV_DIRECT };

/* Differences between ranks, in words (see select/differences.h): for each rank its number and
 * lines "name=value". The result has each difference between `before` and `after`, as far as
 * there is room; "" if there is none, or no memory. */
void nbrhood_describe_differences(int count, const int *ranks, const char *const *texts,
                                  const char *before, const char *after, char *result, size_t room);

#ifdef __cplusplus
}
#endif

#endif
