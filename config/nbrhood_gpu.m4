dnl SPDX-License-Identifier: BSD-3-Clause-Open-MPI
dnl Copyright (c) The coll/nbrhood authors.

# AMD's libraries, which know the GPU of a process and the links between GPUs. The component looks for them when it runs
# and is not linked with them. These macros find their headers, and the names by which they are loaded.

# NBRHOOD_ROCM_LIBRARY(NAME, PACKAGE, HEADER, LIBRARY, CALL, VARIABLE): --with-NAME[=DIR]; sets nbrhood_VARIABLE to yes or
# no, and nbrhood_VARIABLE_cppflags.
AC_DEFUN([NBRHOOD_ROCM_LIBRARY], [
    AC_ARG_WITH([$1],
        [AS_HELP_STRING([--with-$1@<:@=DIR@:>@], [$2, in DIR or where compilers look and in /opt/rocm (default: if it is there)])],
        [], [AS_TR_SH([with_$1])=check])
    nbrhood_with="$AS_TR_SH([with_$1])"
    nbrhood_$6=no
    nbrhood_$6_name=$4.so
    nbrhood_$6_cppflags=
    AS_CASE([$nbrhood_with],
        [no], [nbrhood_directories=],
        [yes|check], [nbrhood_directories="system /opt/rocm"],
        [nbrhood_directories="$nbrhood_with"])
    nbrhood_save_CPPFLAGS="$CPPFLAGS"
    nbrhood_save_LDFLAGS="$LDFLAGS"
    nbrhood_save_LIBS="$LIBS"
    AC_MSG_CHECKING([for $2])
    for nbrhood_directory in $nbrhood_directories; do
        # The system's library does not count if the user names a directory.
        AS_IF([test "$nbrhood_directory" != system && test ! -r "$nbrhood_directory/include/$3"], [continue])
        CPPFLAGS="$nbrhood_save_CPPFLAGS -D__HIP_PLATFORM_AMD__=1"
        LDFLAGS="$nbrhood_save_LDFLAGS"
        nbrhood_flags=
        AS_IF([test "$nbrhood_directory" != system],
            [# Not -I: headers of ROCm cause warnings.
             nbrhood_flags="-isystem $nbrhood_directory/include"
             CPPFLAGS="$CPPFLAGS $nbrhood_flags"
             LDFLAGS="$LDFLAGS -L$nbrhood_directory/lib -L$nbrhood_directory/lib64"])
        LIBS="-l[]m4_bpatsubst([$4], [^lib]) $nbrhood_save_LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$3>]], [[$5]])],
            [nbrhood_$6=yes
             nbrhood_$6_cppflags="$nbrhood_flags"
             # The library that is loaded at run time must have the same interface as the one found by configure.
             nbrhood_found=`LC_ALL=C objdump -p conftest$EXEEXT 2>/dev/null | sed -n 's/^ *NEEDED *\($4\.so.*\)$/\1/p'`
             AS_IF([test -n "$nbrhood_found"], [nbrhood_$6_name="$nbrhood_found"])
             break])
    done
    AC_MSG_RESULT([$nbrhood_$6])
    CPPFLAGS="$nbrhood_save_CPPFLAGS"
    LDFLAGS="$nbrhood_save_LDFLAGS"
    LIBS="$nbrhood_save_LIBS"
    AS_IF([test "$nbrhood_$6" = no && test "$nbrhood_with" != no && test "$nbrhood_with" != check],
        [AC_MSG_ERROR([--with-$1: $2 cannot be used (config.log says why)])])

])

# NBRHOOD_CHECK_GPU: NBRHOOD_GPU_CPPFLAGS for the files that call these libraries.
AC_DEFUN([NBRHOOD_CHECK_GPU], [
    AC_LANG_PUSH([C])
    NBRHOOD_ROCM_LIBRARY([hip], [AMD's HIP], [hip/hip_runtime_api.h], [libamdhip64],
        [int device; return hipGetDevice(&device);], [hip])
    NBRHOOD_ROCM_LIBRARY([rocm-smi], [AMD's rocm_smi_lib], [rocm_smi/rocm_smi.h], [librocm_smi64],
        [uint64_t least, most; return rsmi_init(0) || rsmi_minmax_bandwidth_get(0, 1, &least, &most);], [rocm_smi])
    AC_LANG_POP([C])
    NBRHOOD_GPU_CPPFLAGS="-DNBRHOOD_HAVE_HIP=0"
    AS_IF([test "$nbrhood_hip" = yes],
        [NBRHOOD_GPU_CPPFLAGS="-DNBRHOOD_HAVE_HIP=1 -DNBRHOOD_HIP_SONAME='\"$nbrhood_hip_name\"' $nbrhood_hip_cppflags"])
    AS_IF([test "$nbrhood_rocm_smi" = yes],
        [NBRHOOD_GPU_CPPFLAGS="$NBRHOOD_GPU_CPPFLAGS -DNBRHOOD_HAVE_ROCM_SMI=1 -DNBRHOOD_ROCM_SMI_SONAME='\"$nbrhood_rocm_smi_name\"' $nbrhood_rocm_smi_cppflags"],
        [NBRHOOD_GPU_CPPFLAGS="$NBRHOOD_GPU_CPPFLAGS -DNBRHOOD_HAVE_ROCM_SMI=0"])
    # Old C libraries have these functions in a library of their own.
    nbrhood_save_LIBS="$LIBS"
    AC_SEARCH_LIBS([dlopen], [dl])
    AS_IF([test "$ac_cv_search_dlopen" = -ldl], [NBRHOOD_GPU_LIBS=-ldl], [NBRHOOD_GPU_LIBS=])
    LIBS="$nbrhood_save_LIBS"
    AC_SUBST([NBRHOOD_GPU_CPPFLAGS])
    AC_SUBST([NBRHOOD_GPU_LIBS])
])
