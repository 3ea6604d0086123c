dnl SPDX-License-Identifier: BSD-3-Clause-Open-MPI
dnl Copyright (c) The coll/nbrhood authors.

# -*- shell-script -*-
# Used only in Open MPI's own tree, where contrib/graft puts it; a build beside an installed Open MPI has
# its own configure. Here Open MPI's configure decides whether the component becomes a file that is
# loaded or a part of libmpi; the substitutions below are what Makefile.am uses in either case.

# MCA_ompi_coll_nbrhood_CONFIG([IF-IT-CAN-BE-BUILT], [IF-NOT])
# Called by Open MPI's configure. Without a C++17 compiler Open MPI is built without this component and
# without topo/nbrhood, which asks for it.
AC_DEFUN([MCA_ompi_coll_nbrhood_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/coll/nbrhood/Makefile])

    NBRHOOD_PROBE_CXX17(
        [NBRHOOD_CHECK_CXX_LIBRARY([nbrhood_missing=], [nbrhood_missing="library that $CC links with C++ objects"])],
        [nbrhood_missing="C++17 compiler"])
    NBRHOOD_CHECK_STATIC_LIBSTDCXX

    NBRHOOD_CXXFLAGS=
    AS_CASE([$nbrhood_cxx17], [no|none], [], [NBRHOOD_CXXFLAGS="$nbrhood_cxx17"])
    # Open MPI 5.0 has no C++ of its own and sets no options for it; 4.1 does.
    AS_CASE([" $CXXFLAGS"],
        [*" -O"*], [],
        [AS_IF([test "$WANT_DEBUG" = 1],
            [NBRHOOD_CXXFLAGS="$NBRHOOD_CXXFLAGS -g"],
            [NBRHOOD_CXXFLAGS="$NBRHOOD_CXXFLAGS -O2"])])
    NBRHOOD_CPPFLAGS=
    AS_IF([test "$WANT_DEBUG" = 1], [NBRHOOD_CPPFLAGS="-D_GLIBCXX_ASSERTIONS"])
    AC_SUBST([NBRHOOD_CXXFLAGS])
    AC_SUBST([NBRHOOD_DEBUG_INFO], [])
    AC_SUBST([NBRHOOD_CPPFLAGS])
    AM_CONDITIONAL([NBRHOOD_SANITIZERS], [false])

    # Where things are installed, and what a component that is loaded links with.
    AC_SUBST([nbrhoodcomponentdir], ['$(ompilibdir)'])
    AC_SUBST([nbrhoodhelpdir], ['$(ompidatadir)'])
    AS_IF([test "$OMPI_MAJOR_VERSION" -ge 6],
        [nbrhood_library=open_mpi],
        [nbrhood_library='$(OMPI_LIBMPI_NAME)'])
    AC_SUBST([OMPI_COMPONENT_LIBS], ['$(top_builddir)/ompi/lib'$nbrhood_library.la])
    # Open MPI has an hwloc in any case.
    AC_SUBST([NBRHOOD_HWLOC_CPPFLAGS], ["-DNBRHOOD_HAVE_HWLOC=1"])

    NBRHOOD_CHECK_GPU

    # For mpicc, where the component is part of a static libmpi.
    coll_nbrhood_WRAPPER_EXTRA_LIBS="$NBRHOOD_CXX_LIBS $NBRHOOD_GPU_LIBS"

    AS_IF([test -z "$nbrhood_missing"],
        [$1],
        [AC_MSG_WARN([no $nbrhood_missing: coll/nbrhood and topo/nbrhood are left out])
         $2])
])
