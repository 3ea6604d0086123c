dnl SPDX-License-Identifier: BSD-3-Clause-Open-MPI
dnl Copyright (c) The coll/nbrhood authors.

# NBRHOOD_REQUIRE_OPENMPI: finds an installed Open MPI 4.1.x, 5.0.x or 6.0.x with its internal headers,
# or stops with one sentence. Substitutes
#   OMPI_CPPFLAGS        include directories, as system directories so that Open MPI's headers do not warn
#   OMPI_LIBS            how to link with libmpi (and libopen-rte, libopen-pal for components)
#   nbrhoodcomponentdir  where the components are installed
#   nbrhoodhelpdir       where the help text is installed
#   NBRHOOD_PRIVATE_DIRS  directories that are there for this project only, inner ones first
#   NBRHOOD_HELP_CPPFLAGS  tells the component so
#   nbrhood_component_path, nbrhood_pmix_setting  for the modulefile: where Open MPI, and since 5.0 PMIx, find components
AC_DEFUN([NBRHOOD_REQUIRE_OPENMPI], [
    AC_ARG_WITH([ompi],
        [AS_HELP_STRING([--with-ompi=DIR],
            [use the Open MPI installed in DIR (default: the one whose mpicc is in PATH)])],
        [], [with_ompi=])
    AC_ARG_WITH([component-dir],
        [AS_HELP_STRING([--with-component-dir=DIR],
            [install the components in DIR (default: Open MPI's own component directory), and without --prefix everything
             else in directories in DIR])],
        [], [with_component_dir=])

    AC_ARG_WITH([ompi-source],
        [AS_HELP_STRING([--with-ompi-source=DIR],
            [the sources of the same Open MPI, or the directory in which it was built, for internal headers that its installation lacks])],
        [], [with_ompi_source=])

    # mpicc
    AS_CASE([$with_ompi],
        [no], [AC_MSG_ERROR([--without-ompi makes no sense: this is a component of Open MPI.])],
        [''|yes], [AC_PATH_PROGS([MPICC], [mpicc.openmpi mpicc])
            AS_IF([test -z "$MPICC"],
                [AC_MSG_ERROR([no mpicc in PATH: install Open MPI 4.1, 5.0 or 6.0 with its development files (Debian: libopenmpi-dev openmpi-bin), or say where it is with --with-ompi=DIR.])])],
        [AC_PATH_PROGS([MPICC], [mpicc.openmpi mpicc], [], [$with_ompi/bin])
            AS_IF([test -z "$MPICC"],
                [AC_MSG_ERROR([no mpicc in $with_ompi/bin: --with-ompi expects the directory into which Open MPI was installed.])])])

    # version
    AC_MSG_CHECKING([for the Open MPI version of $MPICC])
    nbrhood_version_line=`"$MPICC" --showme:version 2>/dev/null | sed -n 1p`
    OMPI_VERSION=`AS_ECHO(["$nbrhood_version_line"]) | sed -n 's/^.*Open MPI v*\(@<:@0-9@:>@@<:@0-9.@:>@*\).*$/\1/p'`
    AS_IF([test -z "$OMPI_VERSION"],
        [AC_MSG_RESULT([none])
         AC_MSG_ERROR([$MPICC is not Open MPI's compiler wrapper (it does not know --showme:version): name the right one with --with-ompi=DIR.])])
    AC_MSG_RESULT([$OMPI_VERSION])
    AS_CASE([$OMPI_VERSION],
        [4.1.*|5.0.*|6.0.*], [],
        [AC_MSG_ERROR([Open MPI $OMPI_VERSION is not supported: this component needs Open MPI 4.1.x, 5.0.x or 6.0.x; say where one is with --with-ompi=DIR.])])

    # flags
    nbrhood_showme_compile=`"$MPICC" --showme:compile`
    nbrhood_showme_link=`"$MPICC" --showme:link`
    OMPI_CPPFLAGS=
    for nbrhood_word in $nbrhood_showme_compile; do
        AS_CASE([$nbrhood_word],
            # The compiler's own directory must keep its place: <cstdlib> finds stdlib.h behind it.
            [-I/usr/include|-I/usr/include/], [],
            [-I*], [nbrhood_dir=`AS_ECHO(["$nbrhood_word"]) | sed 's/^-I//'`
                    OMPI_CPPFLAGS="$OMPI_CPPFLAGS -isystem $nbrhood_dir"],
            [OMPI_CPPFLAGS="$OMPI_CPPFLAGS $nbrhood_word"])
    done

    nbrhood_bindir=`AS_DIRNAME(["$MPICC"])`
    AC_PATH_PROG([OMPI_INFO], [ompi_info], [], [$nbrhood_bindir$PATH_SEPARATOR$PATH])
    # For make check-mpi, which may start more ranks than there are cores.
    AC_PATH_PROGS([nbrhood_mpirun], [mpirun.openmpi mpirun], [mpirun], [$nbrhood_bindir$PATH_SEPARATOR$PATH])
    AC_SUBST([MPIRUN], ["$nbrhood_mpirun --oversubscribe"])
    NBRHOOD_REQUIRE_OPENMPI_HEADERS

    # libraries
    nbrhood_save_CPPFLAGS="$CPPFLAGS"
    nbrhood_save_LIBS="$LIBS"
    CPPFLAGS="$CPPFLAGS $OMPI_CPPFLAGS"
    AC_MSG_CHECKING([how to link a component with Open MPI])
    nbrhood_linked=no
    for nbrhood_extra in "-lopen_mpi -lopen-pal" "-lopen-rte -lopen-pal" "-lopen-pal" ""; do
        LIBS="$nbrhood_showme_link $nbrhood_extra $nbrhood_save_LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[return MPI_Init(0, 0);]])],
            [nbrhood_linked=yes; OMPI_COMPONENT_LIBS="$nbrhood_showme_link $nbrhood_extra"; break])
    done
    # libopen_mpi has all symbols that components use; a program may have libmpi_abi above it in place of libmpi.
    AS_CASE([$nbrhood_extra],
        [-lopen_mpi*], [OMPI_COMPONENT_LIBS=`AS_ECHO(["$OMPI_COMPONENT_LIBS "]) | sed 's/-lmpi //'`])
    AS_IF([test "$nbrhood_linked" = no],
        [AC_MSG_RESULT([failed])
         AC_MSG_ERROR([a program cannot be linked with Open MPI $OMPI_VERSION ($nbrhood_showme_link): config.log has the linker's message.])])
    AC_MSG_RESULT([$OMPI_COMPONENT_LIBS])
    OMPI_LIBS="$nbrhood_showme_link"
    CPPFLAGS="$nbrhood_save_CPPFLAGS"
    LIBS="$nbrhood_save_LIBS"

    # directories
    ompi_pkglibdir=
    ompi_pkgdatadir=
    NBRHOOD_PRIVATE_DIRS=
    AS_IF([test -n "$OMPI_INFO"],
        [ompi_pkglibdir=`"$OMPI_INFO" --parsable --path pkglibdir 2>/dev/null | sed -n 's/^path:pkglibdir://p' | sed -n 1p`
         ompi_pkgdatadir=`"$OMPI_INFO" --parsable --path pkgdatadir 2>/dev/null | sed -n 's/^path:pkgdatadir://p' | sed -n 1p`])
    AC_MSG_CHECKING([where to install the components])
    AS_IF([test -n "$with_component_dir"],
        [AS_CASE([$with_component_dir],
            [/*], [],
            [AC_MSG_ERROR([--with-component-dir expects the full path of a directory, not "$with_component_dir".])])
         nbrhoodcomponentdir="$with_component_dir"
         # With a private directory nothing may go into Open MPI's own directories, nor outside the private one unless
         # the user names another. The component tells opal_show_help where the help text is (NBRHOOD_HELP_DIR).
         AS_IF([test "x$prefix" = xNONE],
            [prefix="$with_component_dir"
             NBRHOOD_PRIVATE_DIRS='$(nbrhoodhelpdir) $(datadir)/modulefiles $(mandir)/man1 $(mandir) $(datadir) $(includedir) $(libdir)/cmake/nbrhood $(libdir)/cmake $(libdir)/pkgconfig $(libdir) $(libexecdir) $(bindir) $(prefix)'])
         nbrhoodhelpdir='${datadir}/nbrhood'],
        [AS_IF([test -z "$ompi_pkglibdir" || test -z "$ompi_pkgdatadir"],
            [AC_MSG_ERROR([ompi_info does not say where Open MPI $OMPI_VERSION keeps its components: install it (Debian: openmpi-bin), or choose a directory with --with-component-dir=DIR.])])
         nbrhoodcomponentdir="$ompi_pkglibdir"
         nbrhoodhelpdir="$ompi_pkgdatadir"])
    AC_MSG_RESULT([$nbrhoodcomponentdir])

    nbrhood_component_path=$nbrhoodcomponentdir
    AS_IF([test -n "$ompi_pkglibdir" && test "$ompi_pkglibdir" != "$nbrhoodcomponentdir"],
        [nbrhood_component_path=$nbrhoodcomponentdir:$ompi_pkglibdir])
    nbrhood_pmix_setting=
    nbrhood_pmix=`"${PKG_CONFIG:-pkg-config}" --variable=libdir pmix 2>/dev/null`
    AS_CASE([$OMPI_VERSION:$nbrhood_pmix],
        [4.*|*:], [],
        [nbrhood_pmix_setting="setenv PMIX_MCA_mca_base_component_path $nbrhood_pmix/pmix"])
    AC_SUBST([OMPI_VERSION])
    AC_SUBST([nbrhood_component_path])
    AC_SUBST([nbrhood_pmix_setting])
    AC_SUBST([OMPI_CPPFLAGS])
    AC_SUBST([OMPI_LIBS])
    AC_SUBST([OMPI_COMPONENT_LIBS])
    AC_SUBST([nbrhoodcomponentdir])
    AC_SUBST([nbrhoodhelpdir])
    AC_SUBST([NBRHOOD_PRIVATE_DIRS])
    AC_SUBST([NBRHOOD_HELP_CPPFLAGS], ['-DNBRHOOD_HELP_DIR='\''"$(nbrhoodhelpdir)"'\'])
])

# NBRHOOD_REQUIRE_OPENMPI_HEADERS: adds to OMPI_CPPFLAGS the directories that the internal headers need besides those
# that mpicc names: since 5.0 the headers of PMIx, and for headers that are not installed the sources
# (--with-ompi-source) or this project's own headers of threads. They come behind all other directories, so that an
# installed header takes precedence.
AC_DEFUN([NBRHOOD_REQUIRE_OPENMPI_HEADERS], [
    AS_CASE([$with_ompi_source],
        [no], [with_ompi_source=],
        [yes], [AC_MSG_ERROR([--with-ompi-source expects the directory with the sources of Open MPI.])])
    AS_IF([test -n "$with_ompi_source"],
        [AS_CASE([$with_ompi_source],
            [/*], [], [with_ompi_source=`pwd`/"$with_ompi_source"])
         # A separate build tree names its sources.
         nbrhood_source=$with_ompi_source
         AS_IF([test ! -r "$nbrhood_source/VERSION" && test -r "$with_ompi_source/Makefile"],
            [nbrhood_source=`sed -n 's/^abs_top_srcdir = //p' "$with_ompi_source/Makefile"`])
         AS_IF([test -r "$nbrhood_source/ompi/mca/coll/coll.h" && test -r "$nbrhood_source/VERSION"], [],
            [AC_MSG_ERROR([$with_ompi_source has no sources of Open MPI: it lacks VERSION or ompi/mca/coll/coll.h.])])
         nbrhood_source_version=`sed -n 's/^\(major\|minor\|release\)=//p' "$nbrhood_source/VERSION" | sed -n 1,3p | tr '\n' . | sed 's/\.$//'`
         AS_IF([test "$nbrhood_source_version" = "$OMPI_VERSION"], [],
            [AC_MSG_ERROR([the sources in $with_ompi_source are of Open MPI $nbrhood_source_version but $OMPI_VERSION is installed: --with-ompi-source expects the same version.])])])

    AC_PATH_PROG([PKG_CONFIG], [pkg-config])
    nbrhood_behind=
    AS_CASE([$OMPI_VERSION],
        [4.*], [],
        [nbrhood_behind=`"${PKG_CONFIG:-false}" --cflags-only-I pmix 2>/dev/null | sed 's/-I/-idirafter /g'`])
    nbrhood_save_CPPFLAGS="$CPPFLAGS"
    CPPFLAGS="$nbrhood_save_CPPFLAGS -I$srcdir $OMPI_CPPFLAGS $nbrhood_behind"
    AC_MSG_CHECKING([for Open MPI's internal headers])
    NBRHOOD_TRY_OPENMPI_HEADERS([nbrhood_headers=installed], [nbrhood_headers=incomplete])
    AS_IF([test $nbrhood_headers = incomplete && test -n "$with_ompi_source"],
        [NBRHOOD_COMPARE_OPENMPI_TREE
         for nbrhood_dir in "$with_ompi_source" "$nbrhood_source"; do
             for nbrhood_part in . opal/include ompi/include orte/include; do
                 AS_IF([test -d "$nbrhood_dir/$nbrhood_part"],
                     [nbrhood_behind="$nbrhood_behind -idirafter $nbrhood_dir/$nbrhood_part"])
             done
             test "$nbrhood_source" != "$with_ompi_source" || break
         done
         CPPFLAGS="$nbrhood_save_CPPFLAGS -I$srcdir $OMPI_CPPFLAGS $nbrhood_behind"
         NBRHOOD_TRY_OPENMPI_HEADERS([nbrhood_headers="installed, the rest in $with_ompi_source"])])
    # Debian's packages lack only the headers of Open MPI's threads.
    AS_CASE([$nbrhood_headers:$OMPI_VERSION],
        [*:4.*], [],
        [incomplete:*],
            [nbrhood_behind="$nbrhood_behind -idirafter `cd "$srcdir" && pwd`/ompi/mca/coll/nbrhood/missing"
             CPPFLAGS="$nbrhood_save_CPPFLAGS -I$srcdir $OMPI_CPPFLAGS $nbrhood_behind"
             NBRHOOD_TRY_OPENMPI_HEADERS([nbrhood_headers="installed, but for those of threads"])])
    CPPFLAGS="$nbrhood_save_CPPFLAGS"
    AC_MSG_RESULT([$nbrhood_headers])
    AS_CASE([$nbrhood_headers:$OMPI_VERSION:$with_ompi_source],
        [incomplete:@<:@56@:>@.*:],
        [AC_MSG_ERROR([the installation of Open MPI $OMPI_VERSION ($MPICC) lacks some of its internal headers: install its development packages (Debian: libopenmpi-dev libpmix-dev) or name the sources of the same version with --with-ompi-source=DIR.])],
        [incomplete:*:/*],
        [AC_MSG_ERROR([Open MPI $OMPI_VERSION ($MPICC) has no usable internal headers even with those in $with_ompi_source: install its development packages (Debian: libopenmpi-dev, since Open MPI 5.0 libpmix-dev, too); config.log has the compiler's message.])],
        [incomplete:*],
        [AC_MSG_ERROR([Open MPI $OMPI_VERSION ($MPICC) has no usable internal headers such as ompi/mca/coll/coll.h: install its development package (Debian: libopenmpi-dev), use an Open MPI configured --with-devel-headers, or name the tree in which it was configured with --with-ompi-source=DIR.])])
    OMPI_CPPFLAGS="$OMPI_CPPFLAGS $nbrhood_behind"
])

# NBRHOOD_COMPARE_OPENMPI_TREE: if opal_config.h is not installed (Open MPI was configured without
# --with-devel-headers), the one of the tree counts. It must exist, and agree with the installed Open MPI in the options
# on which the layout of internal structures depends.
AC_DEFUN([NBRHOOD_COMPARE_OPENMPI_TREE], [
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include "opal_config.h"]], [])], [], [
        nbrhood_config=$with_ompi_source/opal/include/opal_config.h
        AS_IF([test -r "$nbrhood_config"], [],
            [AC_MSG_ERROR([opal_config.h is missing, both in the installation of Open MPI $OMPI_VERSION ($MPICC) and in $with_ompi_source, whose configure was not run yet: name the directory in which Open MPI was built, or run configure there with the options that "ompi_info" shows as its configure command line.])])
        NBRHOOD_COMPARE_OPENMPI_OPTION([option:debug], [--enable-debug], [OPAL_ENABLE_DEBUG])
        AS_CASE([$OMPI_VERSION],
            [4.*], [NBRHOOD_COMPARE_OPENMPI_OPTION([options:ft_support], [--with-ft], [OPAL_ENABLE_FT_CR])],
            [NBRHOOD_COMPARE_OPENMPI_OPTION([options:ft_mpi_support], [--with-ft], [OPAL_ENABLE_FT_MPI])
             NBRHOOD_COMPARE_OPENMPI_OPTION([option:threads], [--with-threads], [MCA_threads_base_include_HEADER])])
    ])
])

# NBRHOOD_COMPARE_OPENMPI_OPTION(KEY, OPTION, MACRO): stops if the line of ompi_info that begins with KEY has another
# value of OPTION than MACRO in the opal_config.h of the tree.
AC_DEFUN([NBRHOOD_COMPARE_OPENMPI_OPTION], [
    # "yes", "no", or for threads the name of a package ("posix" is pthreads).
    nbrhood_installed=`"${OMPI_INFO:-false}" --parsable --config 2>/dev/null | sed -n 's/^$1:"*\(@<:@a-z@:>@*\).*/\1/p' | sed 's/^posix$/pthreads/'`
    nbrhood_of_tree=`sed -n 's/^#define $3 //p' "$nbrhood_config" | sed -e 's/^0$/no/' -e 's/^1$/yes/' -e 's|^"opal/mca/threads/\(@<:@a-z@:>@*\)/.*|\1|'`
    AS_IF([test -n "$nbrhood_installed" && test "$nbrhood_installed" != "$nbrhood_of_tree"],
        [AC_MSG_ERROR([$with_ompi_source is configured with other options than the installed Open MPI $OMPI_VERSION: $2 is "${nbrhood_of_tree:-unknown}" there but "$nbrhood_installed" in ompi_info; run configure there with the options that "ompi_info" shows as its configure command line.])])
])

# NBRHOOD_TRY_OPENMPI_HEADERS(IF-COMPLETE, IF-NOT): compiles the headers that the components include.
AC_DEFUN([NBRHOOD_TRY_OPENMPI_HEADERS], [
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include "ompi/mca/coll/nbrhood/coll_nbrhood_compat.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/mca/topo/base/base.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
]], [[mca_coll_base_component_t *c = 0; mca_topo_base_component_t *t = 0; return c || t;]])],
        [$1], [$2])
])
