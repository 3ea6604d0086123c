# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# Tests of the symbols that a component exports to, and needs from, the program that loads it. Sourced; needs tally.sh.

# record_symbols DIRECTORY [PREFIX]: tests the two component files in DIRECTORY; PREFIX goes before the tests' names.
record_symbols()
{
    local directory=$1 prefix=${2:-} framework file symbols
    for framework in coll topo; do
        file=$directory/mca_${framework}_nbrhood.so
        symbols=$(nm -D --defined-only "$file" 2>&1 | awk '{ print $3 }')
        [ "$symbols" = "mca_${framework}_nbrhood_component" ]
        record $? "${prefix}the $framework component exports its struct and nothing else" "$symbols"
        # A program may have loaded libmpi with local symbols, as Python does, while Open MPI's components need another
        # library.
        symbols=$(nm -D --undefined-only "$file" 2>&1 | awk '{ print $2 }' | grep -E '^P?MPIX?_')
        [ -z "$symbols" ]
        record $? "${prefix}the $framework component calls no function of MPI, but of Open MPI inside" "$symbols"
        # The callback might come when MPI_Finalize has unloaded the component.
        symbols=$(nm -D --undefined-only "$file" 2>&1 | awk '{ print $2 }' | grep -E '^PMIx_.*_nb$')
        [ -z "$symbols" ]
        record $? "${prefix}the $framework component gives PMIx no callback" "$symbols"
        [ -r "$file" ] && ! readelf -d "$file" | grep -qE 'NEEDED.*(libstdc\+\+|libgcc_s)'
        record $? "${prefix}the $framework component needs no shared C++ library"
    done
}

# analysis_symbols LIBRARY FILE: the functions of ompi/tools/analysis in FILE. They are those that only the object of
# ompi/tools/analysis in LIBRARY (libnbrhood_analysis.a, which contains the core, too) defines. Fails where LIBRARY has
# none, or no names in FILE: the linker keeps the names of everything inside, unless the file is stripped.
analysis_symbols()
{
    local library=$1 file=$2 functions names
    functions=$(nm -A --defined-only "$library" | sed -nE 's/.*:libnbrhood_analysis_la-[^:]*: *[0-9a-f]* T //p' | sort -u)
    names=$(nm --defined-only "$file" | awk '{ print $3 }' | sort -u)
    [ -n "$functions" ] && [ -n "$names" ] || return 1
    comm -12 <(echo "$functions") <(echo "$names") | c++filt -p
}

# record_no_analysis BUILD: the component that was built in that directory holds nothing of ompi/tools/analysis, and the test
# would see it, as it does in nbrhood-explain.
record_no_analysis()
{
    local library=$1/ompi/tools/.libs/libnbrhood_analysis.a symbols
    symbols=$(analysis_symbols "$library" "$1/ompi/mca/coll/nbrhood/.libs/mca_coll_nbrhood.so") && [ -z "$symbols" ]
    record $? "the coll component holds nothing of ompi/tools/analysis" "$symbols"
    symbols=$(analysis_symbols "$library" "$1/ompi/tools/nbrhood-explain/nbrhood-explain") && [ -n "$symbols" ]
    record $? "nbrhood-explain holds functions of ompi/tools/analysis"
}
