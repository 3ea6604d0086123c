dnl SPDX-License-Identifier: BSD-3-Clause-Open-MPI
dnl Copyright (c) The coll/nbrhood authors.

# Optional libraries: each macro sets a variable that the summary prints.

# NBRHOOD_CHECK_HWLOC: finds the socket and NUMA domain of a process, with Open MPI's own topology (so
# it must be the hwloc that Open MPI was built with); without it the regions of a real machine are nodes.
AC_DEFUN([NBRHOOD_CHECK_HWLOC], [
    AC_ARG_VAR([HWLOC_CFLAGS], [compiler flags for hwloc, instead of pkg-config's])
    AC_ARG_VAR([HWLOC_LIBS], [linker flags for hwloc, instead of pkg-config's])
    AC_PATH_PROG([PKG_CONFIG], [pkg-config])
    AS_IF([test -z "$HWLOC_LIBS" && test -n "$PKG_CONFIG" && "$PKG_CONFIG" --exists hwloc],
        [HWLOC_CFLAGS=`"$PKG_CONFIG" --cflags hwloc`
         HWLOC_LIBS=`"$PKG_CONFIG" --libs hwloc`])
    # For NBRHOOD_CHECK_TOOL_HWLOC, because the next lines drop flags that Open MPI does not need.
    nbrhood_tool_hwloc_cflags="$HWLOC_CFLAGS"
    nbrhood_tool_hwloc_libs="${HWLOC_LIBS:--lhwloc}"
    nbrhood_save_CPPFLAGS="$CPPFLAGS"
    nbrhood_save_LIBS="$LIBS"
    CPPFLAGS="$CPPFLAGS $OMPI_CPPFLAGS $HWLOC_CFLAGS"
    AC_MSG_CHECKING([for Open MPI's hwloc])
    nbrhood_hwloc=no
    # An hwloc inside Open MPI needs no library of its own.
    for nbrhood_extra in "$HWLOC_LIBS" ""; do
        LIBS="$OMPI_COMPONENT_LIBS $nbrhood_extra $nbrhood_save_LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include "ompi_config.h"
#include "opal/mca/hwloc/base/base.h"
]], [[hwloc_bitmap_t set = hwloc_bitmap_alloc();
return opal_hwloc_base_get_topology() || hwloc_get_cpubind(opal_hwloc_topology, set, 0);]])],
            [nbrhood_hwloc=yes; HWLOC_LIBS="$nbrhood_extra"; break])
    done
    AC_MSG_RESULT([$nbrhood_hwloc])
    CPPFLAGS="$nbrhood_save_CPPFLAGS"
    LIBS="$nbrhood_save_LIBS"
    AS_IF([test "$nbrhood_hwloc" = yes],
        [NBRHOOD_HWLOC_CPPFLAGS="-DNBRHOOD_HAVE_HWLOC=1 $HWLOC_CFLAGS"],
        [NBRHOOD_HWLOC_CPPFLAGS="-DNBRHOOD_HAVE_HWLOC=0"; HWLOC_LIBS=])
    AC_SUBST([NBRHOOD_HWLOC_CPPFLAGS])
])

# NBRHOOD_CHECK_TOOL_HWLOC: the library with which nbrhood-explain reads topologies; the program does not use Open MPI,
# so any hwloc will do. NBRHOOD_CHECK_HWLOC comes first.
AC_DEFUN([NBRHOOD_CHECK_TOOL_HWLOC], [
    nbrhood_save_CPPFLAGS="$CPPFLAGS"
    nbrhood_save_LIBS="$LIBS"
    CPPFLAGS="$CPPFLAGS $nbrhood_tool_hwloc_cflags"
    LIBS="$nbrhood_tool_hwloc_libs $LIBS"
    AC_MSG_CHECKING([for hwloc 2 for programs])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <hwloc.h>
#if HWLOC_API_VERSION < 0x00020000
#error "older than 2.0"
#endif
]], [[hwloc_topology_t topology = 0;
return hwloc_topology_init(&topology) || hwloc_topology_set_xml(topology, "node.xml");]])],
        [nbrhood_tool_hwloc=yes], [nbrhood_tool_hwloc=no])
    AC_MSG_RESULT([$nbrhood_tool_hwloc])
    CPPFLAGS="$nbrhood_save_CPPFLAGS"
    LIBS="$nbrhood_save_LIBS"
    TOOL_HWLOC_CPPFLAGS="$nbrhood_tool_hwloc_cflags"
    TOOL_HWLOC_LIBS="$nbrhood_tool_hwloc_libs"
    AC_SUBST([TOOL_HWLOC_CPPFLAGS])
    AC_SUBST([TOOL_HWLOC_LIBS])
])

# NBRHOOD_CHECK_GTEST: the core tests.
AC_DEFUN([NBRHOOD_CHECK_GTEST], [
    AC_LANG_PUSH([C++])
    nbrhood_save_LIBS="$LIBS"
    GTEST_LIBS="-lgtest_main -lgtest -lpthread"
    LIBS="$GTEST_LIBS $LIBS"
    # gtest_main brings main().
    AC_CACHE_CHECK([for GoogleTest], [nbrhood_cv_gtest], [
        AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <gtest/gtest.h>
TEST(Configure, Links) { EXPECT_TRUE(true); }
]])], [nbrhood_cv_gtest=yes], [nbrhood_cv_gtest=no])])
    nbrhood_gtest="$nbrhood_cv_gtest"
    LIBS="$nbrhood_save_LIBS"
    AC_LANG_POP([C++])
    AC_SUBST([GTEST_LIBS])
    AM_CONDITIONAL([NBRHOOD_GTEST], [test "$nbrhood_gtest" = yes])
])

# NBRHOOD_CHECK_SIMGRID: the tests replay the calls of the event evaluation in SimGrid.
AC_DEFUN([NBRHOOD_CHECK_SIMGRID], [
    AC_LANG_PUSH([C++])
    nbrhood_save_LIBS="$LIBS"
    SIMGRID_LIBS="-lsimgrid"
    LIBS="$SIMGRID_LIBS $LIBS"
    # Its interface changes from release to release: this is the part that 3.32 and its neighbours share.
    AC_CACHE_CHECK([for SimGrid], [nbrhood_cv_simgrid], [
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <simgrid/s4u.hpp>]],
            [[simgrid::s4u::create_star_zone("zone")->create_host("host", 1.0)->set_core_count(2)->seal();
              simgrid::s4u::Semaphore::create(1)->acquire();]])],
            [nbrhood_cv_simgrid=yes], [nbrhood_cv_simgrid=no])])
    nbrhood_simgrid="$nbrhood_cv_simgrid"
    LIBS="$nbrhood_save_LIBS"
    AC_LANG_POP([C++])
    AC_SUBST([SIMGRID_LIBS])
    AM_CONDITIONAL([NBRHOOD_SIMGRID], [test "$nbrhood_simgrid" = yes])
])

# NBRHOOD_FIND_HEADER(HEADER, DEBIAN_PACKAGE): only whether it is there, because compiling these takes seconds.
AC_DEFUN([NBRHOOD_FIND_HEADER], [
    AC_MSG_CHECKING([for $1])
    AC_PREPROC_IFELSE([AC_LANG_SOURCE([[
#if !__has_include(<$1>)
#error
#endif]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no]); nbrhood_bench_missing="$nbrhood_bench_missing $2"])
])

# NBRHOOD_CHECK_BENCHMARK_LIBRARIES: what tools and benchmarks read and partition their inputs with.
AC_DEFUN([NBRHOOD_CHECK_BENCHMARK_LIBRARIES], [
    AC_LANG_PUSH([C++])
    nbrhood_bench_missing=
    nbrhood_save_LIBS="$LIBS"
    LIBS="-lmetis $LIBS"
    AC_MSG_CHECKING([for METIS])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <metis.h>]], [[idx_t o[METIS_NOPTIONS]; return METIS_SetDefaultOptions(o);]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no]); nbrhood_bench_missing="$nbrhood_bench_missing libmetis-dev"])
    LIBS="-lz $nbrhood_save_LIBS"
    AC_MSG_CHECKING([for zlib])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <zlib.h>]], [[return gzclose(gzdopen(0, "rb"));]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no]); nbrhood_bench_missing="$nbrhood_bench_missing zlib1g-dev"])
    LIBS="$nbrhood_save_LIBS"
    NBRHOOD_FIND_HEADER([CLI/CLI.hpp], [libcli11-dev])
    NBRHOOD_FIND_HEADER([nlohmann/json.hpp], [nlohmann-json3-dev])
    BENCHMARK_LIBS="-lmetis -lz"
    AC_LANG_POP([C++])
    AC_SUBST([BENCHMARK_LIBS])
    AM_CONDITIONAL([NBRHOOD_BENCHMARKS], [test -z "$nbrhood_bench_missing"])
])

# NBRHOOD_CHECK_EXPLAIN: nbrhood-explain, after the libraries that it needs.
AC_DEFUN([NBRHOOD_CHECK_EXPLAIN], [
    AM_CONDITIONAL([NBRHOOD_EXPLAIN], [test -z "$nbrhood_bench_missing" && test "$nbrhood_tool_hwloc" = yes])
])

# NBRHOOD_CHECK_HYPRE: the library of the matrices in nbrhood-amg. It must be built with this Open MPI.
AC_DEFUN([NBRHOOD_CHECK_HYPRE], [
    AC_LANG_PUSH([C++])
    nbrhood_save_LIBS="$LIBS"
    nbrhood_save_CPPFLAGS="$CPPFLAGS"
    HYPRE_LIBS="-lHYPRE"
    LIBS="$HYPRE_LIBS $OMPI_LIBS $LIBS"
    AC_MSG_CHECKING([for hypre])
    nbrhood_hypre=no
    # Debian keeps the headers in a directory of their own. -isystem: their inline functions cause warnings.
    for nbrhood_flag in "-isystem /usr/include/hypre" ""; do
        HYPRE_CPPFLAGS="$nbrhood_flag"
        CPPFLAGS="$nbrhood_save_CPPFLAGS -DOMPI_SKIP_MPICXX=1 $OMPI_CPPFLAGS $nbrhood_flag"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <_hypre_parcsr_ls.h>]],
            [[HYPRE_Init(); return GenerateRotate7pt(MPI_COMM_WORLD, 8, 8, 1, 1, 0, 0, 45, 0.001) == nullptr;]])],
            [nbrhood_hypre=yes; break])
    done
    AC_MSG_RESULT([$nbrhood_hypre])
    LIBS="$nbrhood_save_LIBS"
    CPPFLAGS="$nbrhood_save_CPPFLAGS"
    AC_LANG_POP([C++])
    AC_SUBST([HYPRE_CPPFLAGS])
    AC_SUBST([HYPRE_LIBS])
    AM_CONDITIONAL([NBRHOOD_AMG], [test "$nbrhood_hypre" = yes])
])

# NBRHOOD_CHECK_MPI_ADVANCE: the library that nbrhood-peers measures beside the component, where --with-mpi-advance names
# its directory.
AC_DEFUN([NBRHOOD_CHECK_MPI_ADVANCE], [
    AC_ARG_WITH([mpi-advance],
        [AS_HELP_STRING([--with-mpi-advance=DIR],
            [build nbrhood-peers with MPI Advance's locality_aware, whose header and library are in DIR/include and DIR/lib])],
        [], [with_mpi_advance=no])
    AS_CASE([$with_mpi_advance],
        [yes], [AC_MSG_ERROR([--with-mpi-advance expects the directory into which locality_aware was installed.])],
        [no], [],
        [AC_LANG_PUSH([C++])
         nbrhood_save_LIBS="$LIBS"
         nbrhood_save_CPPFLAGS="$CPPFLAGS"
         MPI_ADVANCE_CPPFLAGS="-isystem $with_mpi_advance/include"
         CPPFLAGS="$CPPFLAGS -DOMPI_SKIP_MPICXX=1 $OMPI_CPPFLAGS $MPI_ADVANCE_CPPFLAGS"
         AC_MSG_CHECKING([for MPI Advance's locality_aware])
         nbrhood_advance=no
         # The library has references to MPI's C++ functions if it was compiled where mpi.h declares them.
         for nbrhood_extra in "" "-lmpi_cxx"; do
             MPI_ADVANCE_LIBS="-L$with_mpi_advance/lib -llocality_aware $nbrhood_extra"
             LIBS="$MPI_ADVANCE_LIBS $OMPI_LIBS $nbrhood_save_LIBS"
             AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <locality_aware.h>]],
                 [[MPIL_Request *request = 0;
return MPIL_Neighbor_alltoallv_init(0, 0, 0, MPI_INT, 0, 0, 0, MPI_INT, 0, 0, &request) + MPIL_Start(request);]])],
                 [nbrhood_advance=yes; break])
         done
         AC_MSG_RESULT([$nbrhood_advance])
         AS_IF([test "$nbrhood_advance" = no],
             [AC_MSG_ERROR([a program with $with_mpi_advance/include/locality_aware.h and -llocality_aware of $with_mpi_advance/lib cannot be linked: config.log has the messages.])])
         LIBS="$nbrhood_save_LIBS"
         CPPFLAGS="$nbrhood_save_CPPFLAGS"
         AC_LANG_POP([C++])])
    AC_SUBST([MPI_ADVANCE_CPPFLAGS])
    AC_SUBST([MPI_ADVANCE_LIBS])
    AM_CONDITIONAL([NBRHOOD_PEERS], [test "$with_mpi_advance" != no])
])
