dnl SPDX-License-Identifier: BSD-3-Clause-Open-MPI
dnl Copyright (c) The coll/nbrhood authors.

# -*- shell-script -*-
# Used only in Open MPI's own tree, as that of coll/nbrhood.

# MCA_ompi_topo_nbrhood_CONFIG([IF-IT-CAN-BE-BUILT], [IF-NOT])
# Called by Open MPI's configure, which has been through the coll framework by then: without coll/nbrhood
# this component has nothing to do.
AC_DEFUN([MCA_ompi_topo_nbrhood_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/topo/nbrhood/Makefile])
    AS_CASE([" $MCA_ompi_coll_STATIC_COMPONENTS $MCA_ompi_coll_DSO_COMPONENTS "],
        [*" nbrhood "*], [$1],
        [$2])
])
