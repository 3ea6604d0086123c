# NBRHOOD_REQUIRE_CXX17: adds to CXX what it needs for C++17, or stops.
AC_DEFUN([NBRHOOD_REQUIRE_CXX17], [
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
    AC_MSG_RESULT([$nbrhood_cxx17])
    AS_IF([test "$nbrhood_cxx17" = no],
        [AC_MSG_ERROR([no C++17 compiler: "$nbrhood_cxx_plain" does not exist or does not compile C++17; install g++ 8 or clang++ 7 or newer, or name one with CXX=...])])
    AC_LANG_POP([C++])
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
