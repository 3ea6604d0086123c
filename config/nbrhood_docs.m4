dnl SPDX-License-Identifier: BSD-3-Clause-Open-MPI
dnl Copyright (c) The coll/nbrhood authors.

# NBRHOOD_CHECK_SPHINX: whether the documents can be made into a site and manual pages (docs/conf.py). Substitutes
#   SPHINX_BUILD  the command, empty without Sphinx 5.1 or newer with MyST
# and sets the conditional NBRHOOD_MAN: manual pages can be made, or came with the tarball.
AC_DEFUN([NBRHOOD_CHECK_SPHINX], [
    AC_MSG_CHECKING([for Sphinx with MyST])
    SPHINX_BUILD=
    # The packages of the system belong to its own python3, which need not be the first one in PATH.
    for nbrhood_python in $PYTHON3 python3 /usr/bin/python3; do
        AS_IF(["$nbrhood_python" -c 'import sphinx, myst_parser; assert sphinx.version_info >= (5, 1)' >/dev/null 2>&1],
            [SPHINX_BUILD="$nbrhood_python -m sphinx"; break])
    done
    AC_MSG_RESULT([${SPHINX_BUILD:-no}])
    AS_IF([test -n "$SPHINX_BUILD"],
        [nbrhood_man="built"],
        [test -e "$srcdir/docs/man/nbrhood-explain.1"],
        [nbrhood_man="those of the tarball"],
        [nbrhood_man="NOT built, Sphinx 5.1 with MyST is missing (Debian: python3-sphinx python3-myst-parser)"])
    AC_SUBST([SPHINX_BUILD])
    AM_CONDITIONAL([NBRHOOD_MAN], [test -n "$SPHINX_BUILD" || test -e "$srcdir/docs/man/nbrhood-explain.1"])
])
