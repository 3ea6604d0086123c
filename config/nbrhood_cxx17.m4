dnl SPDX-License-Identifier: BSD-3-Clause-Open-MPI
dnl Copyright (c) The coll/nbrhood authors.

# Also used in Open MPI's tree, where contrib/graft puts it beside Open MPI's own macros.

# NBRHOOD_PROBE_CXX17([IF-FOUND], [IF-NOT]): sets nbrhood_cxx17 to the option that makes CXX compile
# C++17, to "none" where it needs no option, to "no" where it cannot.
AC_DEFUN([NBRHOOD_PROBE_CXX17], [
    AC_LANG_PUSH([C++])
    nbrhood_cxx_plain="$CXX"
    nbrhood_cxx17=no
    AC_MSG_CHECKING([how to make $CXX compile C++17])
    for nbrhood_flag in -std=c++17 -std=c++1z none; do
        AS_IF([test "$nbrhood_flag" = none],
            [CXX="$nbrhood_cxx_plain"], [CXX="$nbrhood_cxx_plain $nbrhood_flag"])
        AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#if __cplusplus < 201703L
#error "not C++17"
#endif
template <typename... T> constexpr int sum(T... t) { return (0 + ... + t); }
int main()
{
    std::variant<int, std::string_view> v = 3;
    if (auto *p = std::get_if<int>(&v); p != nullptr) {
        auto [a, b] = std::pair<int, int>{*p, sum(1, 2)};
        return std::optional<int>{a - b}.value();
    }
    return 1;
}
]])], [nbrhood_cxx17="$nbrhood_flag"; break])
    done
    CXX="$nbrhood_cxx_plain"
    AC_MSG_RESULT([$nbrhood_cxx17])
    AC_LANG_POP([C++])
    AS_IF([test "$nbrhood_cxx17" = no], [$2], [$1])
])

# NBRHOOD_REQUIRE_CXX17: adds to CXX the option that it needs for C++17, or stops.
AC_DEFUN([NBRHOOD_REQUIRE_CXX17], [
    NBRHOOD_PROBE_CXX17(
        [AS_IF([test "$nbrhood_cxx17" = none], [], [CXX="$CXX $nbrhood_cxx17"])],
        [AC_MSG_ERROR([no C++17 compiler: "$CXX" does not exist or does not compile C++17; install g++ 8 or clang++ 7 or newer, or name one with CXX=...])])
])

# NBRHOOD_CHECK_STATIC_LIBSTDCXX: the component carries its own C++ library, so that an application
# built with another one cannot clash with it. libtool drops -static-libstdc++ (it links with
# -nostdlib), so the archive is named by its path: see ompi/mca/coll/nbrhood/Makefile.am.
AC_DEFUN([NBRHOOD_CHECK_STATIC_LIBSTDCXX], [
    AC_MSG_CHECKING([for a static C++ library])
    NBRHOOD_LIBSTDCXX=`$CXX -print-file-name=libstdc++.a 2>/dev/null`
    AS_CASE([$NBRHOOD_LIBSTDCXX],
        [/*], [AS_IF([test -r "$NBRHOOD_LIBSTDCXX"], [], [NBRHOOD_LIBSTDCXX=])],
        [NBRHOOD_LIBSTDCXX=])
    AS_IF([test -n "$NBRHOOD_LIBSTDCXX"],
        [NBRHOOD_CXX_RUNTIME_LDFLAGS="-XCClinker -static-libgcc -Wl,$NBRHOOD_LIBSTDCXX -XCClinker -lm"
         NBRHOOD_CXX_RUNTIME_LIBS=
         nbrhood_cxx_runtime="static ($NBRHOOD_LIBSTDCXX)"],
        [NBRHOOD_CXX_RUNTIME_LDFLAGS=
         NBRHOOD_CXX_RUNTIME_LIBS="-lstdc++"
         nbrhood_cxx_runtime="shared (no libstdc++.a found)"])
    AC_MSG_RESULT([$nbrhood_cxx_runtime])
    AC_SUBST([NBRHOOD_CXX_RUNTIME_LDFLAGS])
    AC_SUBST([NBRHOOD_CXX_RUNTIME_LIBS])
])

# NBRHOOD_CHECK_CXX_LIBRARY([IF-FOUND], [IF-NOT]): sets NBRHOOD_CXX_LIBS to the library with which CC
# links objects of CXX. NBRHOOD_PROBE_CXX17 comes first.
AC_DEFUN([NBRHOOD_CHECK_CXX_LIBRARY], [
    AC_MSG_CHECKING([which C++ library $CC links with objects of $CXX])
    NBRHOOD_CXX_LIBS=
    AC_LANG_PUSH([C++])
    AC_LANG_CONFTEST([AC_LANG_SOURCE([[
#include <stdexcept>
#include <string>
int main(int argc, char **argv)
{
    try {
        throw std::runtime_error(std::string(argv[0]));
    } catch (const std::exception &e) {
        return argc > 1 && e.what()[0] == 0;
    }
}
]])])
    AS_IF([(eval "$ac_compile") >&AS_MESSAGE_LOG_FD 2>&1],
        [for nbrhood_library in -lstdc++ -lc++; do
            AS_IF([$CC $CFLAGS $LDFLAGS conftest.$ac_objext $nbrhood_library -o conftest$ac_exeext >&AS_MESSAGE_LOG_FD 2>&1],
                [NBRHOOD_CXX_LIBS="$nbrhood_library"; break])
        done])
    rm -f conftest.$ac_ext conftest.$ac_objext conftest$ac_exeext
    AC_LANG_POP([C++])
    AC_MSG_RESULT([${NBRHOOD_CXX_LIBS:-none}])
    AC_SUBST([NBRHOOD_CXX_LIBS])
    AS_IF([test -n "$NBRHOOD_CXX_LIBS"], [$1], [$2])
])

# NBRHOOD_CHECK_SANITIZERS: stops when a sanitized C++ program cannot be linked.
AC_DEFUN([NBRHOOD_CHECK_SANITIZERS], [
    AC_LANG_PUSH([C++])
    nbrhood_save_CXXFLAGS="$CXXFLAGS"
    CXXFLAGS="$CXXFLAGS $NBRHOOD_SANITIZE"
    AC_MSG_CHECKING([whether $CXX can use the sanitizers])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([--enable-sanitizers was given but "$CXX $NBRHOOD_SANITIZE" cannot link a program.])])
    CXXFLAGS="$nbrhood_save_CXXFLAGS"
    AC_LANG_POP([C++])
])

# NBRHOOD_REQUIRE_FUZZER: lets libFuzzer see which branches the code takes (NBRHOOD_SANITIZE) and stops when a
# fuzz target cannot be linked, or a library that the fuzzed readers need is missing. NBRHOOD_CHECK_SANITIZERS and
# NBRHOOD_CHECK_BENCHMARK_LIBRARIES come first.
AC_DEFUN([NBRHOOD_REQUIRE_FUZZER], [
    AC_LANG_PUSH([C++])
    nbrhood_save_CXXFLAGS="$CXXFLAGS"
    NBRHOOD_SANITIZE="-fsanitize=fuzzer-no-link $NBRHOOD_SANITIZE"
    CXXFLAGS="$CXXFLAGS $NBRHOOD_SANITIZE -fsanitize=fuzzer"
    AC_MSG_CHECKING([whether $CXX has libFuzzer])
    # libFuzzer brings main().
    AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <cstddef>
#include <cstdint>
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *, std::size_t) { return 0; }
]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([--enable-fuzzing was given but "$CXX $NBRHOOD_SANITIZE -fsanitize=fuzzer" cannot link a fuzz target: name a clang++ with CXX=... (Debian: clang-14 libclang-rt-14-dev).])])
    CXXFLAGS="$nbrhood_save_CXXFLAGS"
    AC_LANG_POP([C++])
    AS_IF([test -n "$nbrhood_bench_missing"],
        [AC_MSG_ERROR([--enable-fuzzing needs the libraries of nbrhood-bench, whose inputs are fuzzed; missing (Debian packages):$nbrhood_bench_missing])])
])
