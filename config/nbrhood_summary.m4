dnl SPDX-License-Identifier: BSD-3-Clause-Open-MPI
dnl Copyright (c) The coll/nbrhood authors.

# NBRHOOD_INSTALLED_IN(VARIABLE, DIR): sets the variable to an installation directory; variables such as $libdir refer
# to other variables, which may refer to others again.
AC_DEFUN([NBRHOOD_INSTALLED_IN], [
    $1="$2"
    for nbrhood_level in 1 2 3 4; do
        eval "$1=\"$$1\""
    done
])

# NBRHOOD_SUMMARY: the results of configure, the most important ones first.
AC_DEFUN([NBRHOOD_SUMMARY], [
    AS_IF([test "$nbrhood_gtest" = yes],
        [nbrhood_core_tests="make check runs them"],
        [nbrhood_core_tests="NOT built, GoogleTest is missing (Debian: libgtest-dev)"])
    AS_IF([test "$nbrhood_gtest:$nbrhood_simgrid" = yes:yes],
        [nbrhood_simgrid_tests="make check runs them"],
        [test "$nbrhood_simgrid" = yes],
        [nbrhood_simgrid_tests="NOT built, as the core tests are not"],
        [nbrhood_simgrid_tests="NOT built, SimGrid is missing (Debian: libsimgrid-dev)"])
    AS_IF([test "$enable_sanitizers" = yes], [nbrhood_core_tests="$nbrhood_core_tests, with sanitizers"])
    AS_IF([test "$enable_fuzzing" = yes],
        [nbrhood_fuzz_targets="built"],
        [nbrhood_fuzz_targets="not built (--enable-fuzzing CXX=clang++)"])
    AS_IF([test -z "$nbrhood_bench_missing"],
        [nbrhood_bench="built"],
        [nbrhood_bench="NOT built, missing (Debian packages):$nbrhood_bench_missing"])
    AS_IF([test -n "$nbrhood_bench_missing"],
        [nbrhood_explain="NOT built, as nbrhood-bench is not"],
        [test "$nbrhood_tool_hwloc" = yes],
        [nbrhood_explain="built"],
        [nbrhood_explain="NOT built, hwloc 2 is missing (Debian: libhwloc-dev)"])
    AS_IF([test -n "$nbrhood_bench_missing"],
        [nbrhood_amg="NOT built, as nbrhood-bench is not"],
        [test "$nbrhood_hypre" = yes],
        [nbrhood_amg="built"],
        [nbrhood_amg="NOT built, hypre is missing (Debian: libhypre-dev)"])
    AS_IF([test "$with_mpi_advance" = no],
        [nbrhood_peers="not built (--with-mpi-advance=DIR)"],
        [test -n "$nbrhood_bench_missing"],
        [nbrhood_peers="NOT built, as nbrhood-bench is not"],
        [nbrhood_peers="built"])
    AS_IF([test "$nbrhood_hwloc" != no],
        [nbrhood_hwloc_line="Open MPI's (regions may be sockets and NUMA domains)"],
        [nbrhood_hwloc_line="NOT usable (regions of a real machine are nodes); Debian: libhwloc-dev"])
    AS_CASE([$nbrhood_hip:$nbrhood_rocm_smi],
        [yes:yes], [nbrhood_gpu_line="from HIP ($nbrhood_hip_name) and rocm_smi_lib ($nbrhood_rocm_smi_name), where a program uses HIP"],
        [nbrhood_gpu_line="from files only: HIP $nbrhood_hip, rocm_smi_lib $nbrhood_rocm_smi (Debian: libamdhip64-dev librocm-smi-dev)"])
    NBRHOOD_INSTALLED_IN([nbrhood_libdir], [$libdir])
    NBRHOOD_INSTALLED_IN([nbrhood_includedir], [$includedir])
    NBRHOOD_INSTALLED_IN([nbrhood_programs], [$bindir])
    NBRHOOD_INSTALLED_IN([nbrhood_helpdir], [$nbrhoodhelpdir])
    AS_ECHO(["
coll/nbrhood $PACKAGE_VERSION
  Open MPI            $OMPI_VERSION ($MPICC)
  internal headers    $nbrhood_headers
  components go to    $nbrhoodcomponentdir
  help text goes to   $nbrhood_helpdir
  costs go to         $nbrhood_helpdir/nbrhood-costs
  libnbrhood goes to  $nbrhood_libdir
  nbrhood.h goes to   $nbrhood_includedir
  programs go to      $nbrhood_programs
  C compiler          $CC $CFLAGS
  C++17 compiler      $CXX $CXXFLAGS
  C++ library         $nbrhood_cxx_runtime
  debug checks        $enable_debug
  warnings are errors $enable_werror
  hwloc               $nbrhood_hwloc_line
  GPU dies            $nbrhood_gpu_line
  core tests          $nbrhood_core_tests
  SimGrid tests       $nbrhood_simgrid_tests
  fuzz targets        $nbrhood_fuzz_targets
  nbrhood-bench       $nbrhood_bench
  nbrhood-amg         $nbrhood_amg
  nbrhood-peers       $nbrhood_peers
  nbrhood-explain     $nbrhood_explain
  manual pages        $nbrhood_man
"])
])
